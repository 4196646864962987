/* The answer to a case of the front page: its layout, the plan with it, the results with each
 * offer, and the effects of single changes.
 *
 * A case is a Map of all inputs of the question. Slow functions are generators, which yield often.
 */
"use strict";

scalesheet.cases = (() => {
  const { Refused, read, edited, change, rowsOf, written } = scalesheet.inputs;
  const { number, people } = scalesheet.numbers;
  const { AXES, nearest, possible, search, sells, forget } = scalesheet.layouts;
  const MOST_GPUS = 1024;
  const AUTO = "auto";
  const BLOCKED = ["does not fit", "cannot run"];

  const { question } = scalesheet;
  const plan = scalesheet.plans[question.plan];
  const { scalars } = plan.shown;
  let machine; // for all cases: successive cases share most of the plan
  const computed = (inputs) =>
    (machine ??= scalesheet.runtime.machine(plan, inputs)).set(inputs);
  const { methods, pretraining: PRETRAINING, trainers, roles } = question;
  const figureOf = ({ results }, role) => results.scalars[roles[role]];
  const LAYOUT = Object.keys(AXES);
  const OWN = "owned_gpu"; // the plan's input for the page's `gpu`
  const inputName = (name) => (name === "gpu" ? OWN : name);
  const FOUND = new Set([...LAYOUT, "trainer"]); // searched unless stated
  const OPEN = new Set(["epochs", "sequence", "batch", "data"]); // with defaults by method
  // the plan's inputs in the order of the address
  const ORDER = [
    ...["model", "method", "data", "tokens", "samples", "sequence", "epochs", "batch", "rank"],
    ...["offload", "restarts", "interruptions"],
    ...["precision", "trainer", "supply", "offer", OWN, "gpus", ...LAYOUT],
  ];
  const ASKED = ORDER.map((name) => (name === OWN ? "gpu" : name)).filter(
    (name) => name !== "supply" && name !== "offer",
  );

  // ---------------------------------------------------------------- the case

  /** The value of an input from its text. Throws Refused. */
  function valueOf(name, text) {
    const quantity = scalars[inputName(name)];
    if (FOUND.has(name) && text === AUTO) return AUTO;
    const value = read(text, quantity, rowsOf(plan, quantity));
    if (value?.low !== undefined) throw new Refused("Expected one number.");
    return value;
  }

  /** What is stated in texts, `[[name, text], ...]`, and what of it is impossible. */
  function readCase(texts) {
    const [stated, faults] = [new Map(), []];
    for (const [name, text] of texts) {
      try {
        if (!ASKED.includes(name)) throw new Refused(`There is no “${name}” in this question.`);
        stated.set(name, valueOf(name, text));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        faults.push({ name, message: error.message });
      }
    }
    return { stated, faults };
  }

  const built = readCase(Object.entries(question.stated));

  /** The page's initial case: the plan's stated values, with the case of the build. */
  const first = new Map(
    ASKED.map((name) => [name, FOUND.has(name) ? AUTO : plan.inputs.scalars[inputName(name)]]),
  );
  for (const [name, value] of built.stated) first.set(name, value);

  /** The longest sequence that a model was made for. */
  function longest(model) {
    const { rows, columns } = plan.inputs.tables.models;
    const most = columns.max_sequence[rows.indexOf(model)];
    return typeof most === "number" ? most : Infinity;
  }

  /** The complete case for what a reader states. Unless stated, pretraining has the plan's
   *  number of epochs and sequence length, and its usual batch. No sequence is longer than the
   *  model allows, unless a reader states it. */
  function complete(stated) {
    const wanted = new Map([...first, ...stated]);
    const pretrained = wanted.get("method") === PRETRAINING;
    const began = first.get("method") === PRETRAINING ? built.stated : new Map();
    const open = (name) => !stated.has(name) && !began.has(name);
    if (pretrained && open("data") && !stated.has("samples")) wanted.set("data", "tokens");
    if (pretrained)
      for (const name of ["epochs", "sequence"])
        if (open(name)) wanted.set(name, plan.inputs.scalars[name]);
    if (!stated.has("sequence"))
      wanted.set("sequence", Math.min(wanted.get("sequence"), longest(wanted.get("model"))));
    if (!pretrained) return wanted;
    if (open("batch")) {
      const { scalars: found } = computed(inputsOf(wanted, {}).inputs);
      wanted.set("batch", found[roles.usual_batch].value);
    }
    return wanted;
  }

  /** What the address says of what is stated: everything that differs from the page's initial
   *  case, or from the method's defaults. */
  function told(stated) {
    const usual = complete(new Map([...stated].filter(([name]) => !OPEN.has(name))));
    const names = ASKED.filter((name) => stated.has(name));
    const other = (name) => [first, usual].some((each) => each.get(name) !== stated.get(name));
    return new Map(names.filter(other).map((name) => [name, stated.get(name)]));
  }

  /** Questions that a case does not ask: the other way to count tokens, or the rank without
   *  adapters. */
  const unasked = (wanted) => [
    wanted.get("data") === "samples" ? "tokens" : "samples",
    ...(wanted.get("method").includes("LoRA") ? [] : ["rank"]),
  ];

  /** `100,000`: numbers may be typed with commas. */
  const inField = (value) =>
    Number.isInteger(value) && value < 1e15 ? number(value, { decimals: 0 }) : written(value);

  /** The text in a field: `1.5B` tokens. */
  const toField = (name, value) => (name === "tokens" ? people(value, true) : inField(value));

  /** A case with some changes. */
  const changedTo = (wanted, some) => new Map([...wanted, ...Object.entries(some)]);

  /** The inputs of the plan for a case, plus further ones. */
  function inputsOf(wanted, extra) {
    const trainer = wanted.get("trainer");
    const values = { trainer: trainer === AUTO ? trainers[wanted.get("method")] : trainer };
    for (const [name, value] of wanted) if (!FOUND.has(name)) values[inputName(name)] = value;
    let changes = new Map();
    const all = { ...values, supply: "owned", ...extra };
    for (const name of ORDER) {
      if (name in all) changes = change(plan, changes, name, written(all[name]));
    }
    return { changes, inputs: edited(plan, changes) };
  }

  /** The stated parts of the layout. */
  const fixedIn = (wanted) =>
    Object.fromEntries(
      LAYOUT.filter((name) => wanted.get(name) !== AUTO).map((name) => [name, wanted.get(name)]),
    );

  /** Whether a case runs, or may run: only then do its hours and cost mean anything. */
  const runs = (answer) => !BLOCKED.includes(figureOf(answer, "verdict").value);

  const fits = (answer) => figureOf(answer, "verdict").value === "fits";

  /** Why the nearest layout cannot run, in words. */
  function obstaclesTo(wanted) {
    const layout = nearest(plan, inputsOf(wanted, {}).inputs, fixedIn(wanted));
    const { holds, says } = computed(inputsOf(wanted, layout).inputs).tables.conditions;
    return says.filter((_, n) => !holds[n].value).map(({ value }) => value);
  }

  /** Layout values in the address that no list has, and with which no layout can run: `[[name,
   *  why], ...]`. */
  function impossible(wanted) {
    const unlisted = LAYOUT.filter((name) => ![AUTO, ...AXES[name]].includes(wanted.get(name)));
    const can = (each) => possible(plan, inputsOf(each, {}).inputs, fixedIn(each));
    if (!unlisted.length || can(wanted)) return [];
    return unlisted
      .filter((name) => can(changedTo(wanted, { [name]: AUTO })))
      .map((name) => {
        const lists = AXES[name].join(", ");
        return [name, `“${written(wanted.get(name))}” is not possible here; one of ${lists} is.`];
      });
  }

  /** The answer to a case: the layout, the plan's results with it, and their inputs. */
  function* answerTo(wanted) {
    const found = yield* search(plan, inputsOf(wanted, {}).inputs, fixedIn(wanted));
    if (!found) return undefined;
    const { changes, inputs } = inputsOf(wanted, found.layout);
    return { wanted, layout: found.layout, changes, results: computed(inputs) };
  }

  const offersOf = (gpu) => {
    const { rows, columns } = plan.inputs.tables.offers;
    return rows
      .map((id, n) => ({ id, n, term: columns.term[n], price: cellOf(columns.price[n]) }))
      .filter(({ n }) => columns.accelerator[n] === gpu);
  };

  const cellOf = (x) =>
    typeof x === "number" ? { value: x, low: x, high: x } : (x ?? { reason: "" });

  /** The answer with an offer. */
  function bought(answer, offer) {
    const { changes, inputs } = inputsOf(answer.wanted, {
      ...answer.layout,
      supply: "rented",
      offer,
    });
    return { changes, offer, results: computed(inputs) };
  }

  /** The results with each offer of the accelerator, the cheapest first, then offers that are
   *  too small. */
  function* offersFor(answer) {
    const gpus = answer.wanted.get("gpus");
    const found = [];
    for (const each of offersOf(answer.wanted.get("gpu"))) {
      if (!sells(question.sold[each.id], gpus)) found.push(each);
      else {
        const other = bought(answer, each.id);
        const cost = figureOf(other, "cost");
        if (cost.reason === undefined) found.push({ ...each, changes: other.changes, cost });
        yield;
      }
    }
    const by = ({ cost }) => (cost ? cost.value : Infinity);
    return found.sort((a, b) => by(a) - by(b) || (a.id < b.id ? -1 : 1));
  }

  /** The on-demand offers of an accelerator, and those that sell enough together at a recently
   *  seen price. */
  function onDemand(wanted) {
    const { columns } = plan.inputs.tables.offers;
    const all = offersOf(wanted.get("gpu")).filter(
      ({ term, n }) => term === "on-demand" && typeof columns.node_price[n] === "number",
    );
    const gpus = wanted.get("gpus");
    const seen = all.filter(({ id }) => !question.unseen[id]?.stale);
    return { all, enough: seen.filter(({ id }) => sells(question.sold[id], gpus)) };
  }

  /** The answer at its cheapest on-demand offer; without one it has no cost. */
  function cheapest(answer) {
    const gpus = answer.wanted.get("gpus");
    const { columns } = plan.inputs.tables.offers;
    const price = ({ n }) => Math.ceil(gpus / columns.gpus[n]) * columns.node_price[n];
    const { enough } = onDemand(answer.wanted);
    const [best] = enough.sort((a, b) => price(a) - price(b) || (a.id < b.id ? -1 : 1));
    return best ? { ...bought(answer, best.id), enough: enough.length } : withoutCost(answer);
  }

  /** The cost that decides: options without comparable published results must be much cheaper. */
  function weighed(wanted, cost) {
    const { evidence } = question;
    if (!evidence) return cost;
    const [method, gpu] = ["method", "gpu"].map((name) => wanted.get(name));
    const kind = `${method}|${evidence.families[gpu]}|${evidence.sizes[wanted.get("model")]}`;
    return evidence.knows.includes(kind) ? cost : cost * evidence.near;
  }

  /** The effects of single changes: other methods, other numbers of accelerators on sale,
   *  another accelerator. For a case that does not fit: what would make it fit. */
  function* changesOf(answer) {
    const { wanted } = answer;
    const [method, gpus] = [wanted.get("method"), wanted.get("gpus")];
    const found = [];
    function* tried(name, value) {
      const some = { [name]: value };
      const changed = changedTo(wanted, some);
      const { all, enough } = onDemand(changed);
      if (all.length && !enough.length) return undefined;
      const other = yield* answerTo(changed);
      if (!other) return undefined;
      const each = { some, ...cheapest(other) };
      found.push(each);
      return each;
    }
    const tuning = Object.keys(methods).filter((each) => each !== PRETRAINING && each !== method);
    if (method !== PRETRAINING)
      for (const other of fits(answer) ? tuning : tuning.reverse()) yield* tried("method", other);
    if (!fits(answer)) {
      yield* lighter(answer, tried);
      yield* larger(answer, tried);
    }
    const { hardware } = plan.inputs.tables;
    const eight = hardware.columns.dense_fp8?.[hardware.rows.indexOf(wanted.get("gpu"))];
    if (fits(answer) && wanted.get("precision") !== "FP8" && eight) yield* tried("precision", "FP8");
    if (gpus % 2 === 0) yield* tried("gpus", gpus / 2);
    let more = gpus * 2;
    let last = yield* tried("gpus", more);
    while (!fits(answer) && last && !fits(last) && more < MOST_GPUS) {
      found.pop();
      last = yield* tried("gpus", (more *= 2));
    }
    yield* elsewhere(answer, found);
    if (fits(answer)) return found;
    const good = found.filter(fits);
    return good.length ? good : found.filter(runs);
  }

  const LEAST_SEQUENCE = 512;

  /** Options with less memory on the same accelerators: the longest shorter sequence that fits,
   *  then activation checkpointing if it is ruled out, then offloading to host memory. */
  function* lighter({ wanted }, tried) {
    let sequence = wanted.get("sequence") / 2;
    for (; sequence >= LEAST_SEQUENCE; sequence = Math.floor(sequence / 2)) {
      const other = yield* answerTo(changedTo(wanted, { sequence }));
      if (other && fits(other)) break;
    }
    if (sequence >= LEAST_SEQUENCE) yield* tried("sequence", Math.floor(sequence));
    if (wanted.get("checkpointing") === "none") yield* tried("checkpointing", "full");
    for (const offload of OFFLOADS.slice(OFFLOADS.indexOf(wanted.get("offload")) + 1))
      if (fits((yield* tried("offload", offload)) ?? NOTHING)) return;
  }

  const OFFLOADS = scalars.offload?.words ?? [];
  const NOTHING = { results: { scalars: { [roles.verdict]: {} } } };

  /** The next larger accelerator: of the same vendor, the smallest with more memory in which it
   *  fits. */
  function* larger({ wanted }, tried) {
    const { rows, columns } = plan.inputs.tables.hardware;
    const own = rows.indexOf(wanted.get("gpu"));
    const memory = (n) => columns.memory[n] ?? 0;
    const sold = new Set(plan.inputs.tables.offers.columns.accelerator);
    const above = Array.from(rows.keys())
      .filter((n) => columns.vendor[n] === columns.vendor[own] && sold.has(rows[n]) && memory(n) > memory(own))
      .sort((a, b) => memory(a) - memory(b));
    for (const n of above) {
      const other = yield* answerTo(changedTo(wanted, { gpu: rows[n] }));
      if (other && fits(other)) return yield* tried("gpu", rows[n]);
    }
    return undefined;
  }

  /** The cheapest accelerator for the case, preferably with evidence; if none fits, in a larger
   *  number. */
  function* elsewhere({ wanted }, found) {
    const { columns } = plan.inputs.tables.offers;
    const rented = columns.accelerator.filter((_, n) => columns.term[n] === "on-demand");
    const sold = Array.from(new Set(rented)).sort();
    for (let gpus = wanted.get("gpus"); gpus <= MOST_GPUS; gpus *= 2) {
      let best;
      for (const gpu of sold) {
        const changed = changedTo(wanted, { gpu, gpus });
        if (gpu === wanted.get("gpu") || !onDemand(changed).enough.length) continue;
        const other = yield* answerTo(changed);
        if (!other || !fits(other)) continue;
        const at = cheapest(other);
        const cost = weighed(changed, figureOf(at, "cost").value);
        if (Number.isFinite(cost) && !(best?.cost <= cost))
          best = { some: gpus === wanted.get("gpus") ? { gpu } : { gpu, gpus }, cheapest: true, ...at, cost };
      }
      if (best) return found.push(best);
    }
    return undefined;
  }

  const withoutCost = ({ changes, results }) => ({
    changes,
    results: { ...results, scalars: { ...results.scalars, [roles.cost]: { reason: "no offer" } } },
  });

  /** How to change a case that no layout can run: a layout that is searched, a batch that
   *  divides, and single changes in addition. */
  function* mended(wanted) {
    const [batch, gpus] = [wanted.get("batch"), wanted.get("gpus")];
    const found = [];
    const power = 2 ** Math.floor(Math.log2(gpus));
    const open = Object.fromEntries(LAYOUT.map((name) => [name, AUTO]));
    const fixed = LAYOUT.some((name) => wanted.get(name) !== AUTO);
    const ways = [{ batch: Math.ceil(batch / gpus) * gpus }, { gpus: power }];
    function* tried(all) {
      for (const some of all) {
        const other = yield* answerTo(changedTo(wanted, some));
        if (other && runs(other)) found.push({ some, ...cheapest(other) });
      }
    }
    yield* tried(fixed ? [open, ...ways] : ways);
    if (!found.length) yield* tried(ways.map((some) => ({ ...some, ...open })));
    const free = found.length ? undefined : yield* answerTo(changedTo(wanted, open));
    if (!free) return found;
    return (yield* changesOf(free)).map((each) => ({ ...each, some: { ...each.some, ...open } }));
  }

  /** Add the reader's model to those of the catalogue, or replace the previous one. */
  function own(id, title, row) {
    const { models } = plan.inputs.tables;
    const at = models.rows.includes(id) ? models.rows.indexOf(id) : models.rows.length;
    models.rows[at] = id;
    models.titles[at] = title;
    for (const [name, cells] of Object.entries(models.columns)) cells[at] = row[name] ?? null;
    machine = undefined;
    forget();
    if (!question.evidence) return;
    const { sizes } = question.evidence;
    const far = (n) => Math.abs(Math.log(models.columns.parameters[n] / row.parameters));
    const others = models.rows.map((_, n) => n).filter((n) => n !== at && models.rows[n] in sizes);
    sizes[id] = sizes[models.rows[others.reduce((best, n) => (far(n) < far(best) ? n : best))]];
  }

  return Object.freeze({
    ...{ plan, changedTo, cheapest, onDemand, own, weighed },
    ...{ AUTO, FOUND, ASKED, built, first, valueOf, readCase, complete, told, unasked, inField, longest },
    ...{ toField, figureOf, fits, runs, obstaclesTo, impossible, answerTo, offersFor, changesOf, mended },
  });
})();
