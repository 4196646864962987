/* Two plans side by side: each with its own inputs, and the data of a day.
 *
 * The address is the state: `?a=pixelis&a.batch_size=16&a.prices=2026-06-01&b=pixelis`. A plan's
 * script loads on demand and computes both sides as on the plan's own page; this adds which figures
 * are comparable, and their ratio.
 */
"use strict";

/** The results of two sides. A side is {letter, id, plan, changes, day}: a plan, changes to its
 *  inputs, and the day of its data, or empty. */
scalesheet.compared.sides = (() => {
  const { compared, runtime } = scalesheet;
  const { edited } = scalesheet.inputs;
  const { place, view } = scalesheet.marks;
  const { span, head, cell, times, table } = scalesheet.tables;
  const OFFERS = "offers";

  // ---------------------------------------------------------------- the data of a day

  const readsPrices = (plan) => plan.inputs.tables[OFFERS]?.columns.node_price !== undefined;

  const noPrice = (day) => `no price known at ${day}`;

  /** The plan with the data of a day, as in a build for that day: prices, and values that have
   *  changed since. */
  function dated(plan, day) {
    if (!day) return plan;
    const { tables, scalars } = plan.inputs;
    const own = compared.earlier.plans?.[plan.id] ?? {};
    const past = { ...compared.earlier.tables, ...own.tables };
    const then = { scalars: { ...scalars }, tables: { ...tables } };
    for (const [name, entries] of Object.entries(own.scalars ?? {}))
      then.scalars[name] = held(entries, day, scalars[name]);
    for (const name of Object.keys(past).filter((each) => tables[each]))
      then.tables[name] = withPast(tables[name], past[name], day);
    if (readsPrices(plan)) then.tables[OFFERS] = withPrices(plan, then.tables[OFFERS], day);
    return { ...plan, inputs: then };
  }

  // formulas that do not handle reasons get no number instead
  const NONE = { value: NaN };

  /** The value on a day: a day belongs to the value that begins on it. */
  function held(entries, day, now) {
    const found = entries.find(([until]) => day < until);
    return found ? (found[1] ?? NONE) : now;
  }

  function withPast(table, past, day) {
    const columns = { ...table.columns };
    for (const [column, cells] of Object.entries(past)) {
      columns[column] = table.columns[column].map((now, row) =>
        held(cells[table.rows[row]] ?? [], day, now),
      );
    }
    return { ...table, columns };
  }

  function withPrices(plan, table, day) {
    const { ranged } = plan.shown.tables[OFFERS].columns.node_price;
    const { of, reason } = compared.prices;
    const none = reason ? { reason: noPrice(day) } : NONE;
    const found = table.rows.map((id) => (of[id] ?? []).filter(([since]) => since <= day).at(-1));
    const amount = ([, , value, low, high]) => {
      if (value.reason !== undefined) return reason ? value : none;
      return ranged && low !== undefined ? { value, low, high } : value;
    };
    const columns = {
      ...table.columns,
      node_price: found.map((price) => (price ? amount(price) : none)),
      since: found.map((price) => price?.[0] ?? null),
      seen: found.map((price) => price?.[1] ?? null),
    };
    return { ...table, columns };
  }

  // ---------------------------------------------------------------- which figures

  /** Pairs of figures `[name, group, scale]`, equal names first, the others in order. */
  function paired(a, b) {
    const rest = b.filter(([name]) => !a.some(([other]) => other === name));
    return [
      ...a.map((each) => [each, b.find(([name]) => name === each[0]) ?? rest.shift()]),
      ...rest.splice(0).map((each) => [undefined, each]),
    ];
  }

  /** All pairs of two plans, by question. */
  function aligned(a, b) {
    const of = (figures, group) => figures.filter((each) => each[1] === group);
    const every = [...a, ...b].map(([, group]) => group);
    const known = compared.groups.filter((group) => every.includes(group));
    const groups = Array.from(new Set([...known, ...every]));
    const pairs = groups.map((group) => [group, paired(of(a, group), of(b, group))]);
    return pairs.flatMap(([group, found]) => found.map(([x, y]) => ({ group, x, y })));
  }

  // ---------------------------------------------------------------- the table

  const cellIn = (side, name) => side.view.cell(place(side.plan, name));

  function shownIn(side, [name], heading) {
    const { plan, day } = side;
    const at = place(plan, name);
    const { title, symbol } = at.quantity;
    const found = side.view.cell(at);
    const known = !day || found.reason !== runtime.NO_VALUE;
    const value = known ? found : { reason: noPrice(day) };
    const td = cell(plan, at.quantity, value, side.view.format(at), symbol);
    td[1].class ??= "num";
    if (title !== heading) td.push(span("note", title));
    return td;
  }

  /** `65 % more` for two numbers, else whether both are the same. */
  function against([a, b], x, y) {
    if (!x || !y) return "";
    const [one, other] = [cellIn(a, x[0]), cellIn(b, y[0])];
    if (typeof one.value !== "number" || typeof other.value !== "number") {
      const same = one.value === other.value && one.reason === other.reason;
      return same ? "same" : "differs";
    }
    if (one.value * x[2] === other.value * y[2]) return "same";
    const value = runtime.divide(other.value * y[2], one.value * x[2]);
    return Number.isFinite(value) ? times(value) : "";
  }

  function row([a, b], { group, x, y }) {
    const titles = [x && place(a.plan, x[0]), y && place(b.plan, y[0])].map(
      (at) => at?.quantity.title,
    );
    const heading = a.id === b.id || titles[0] === titles[1] ? (titles[0] ?? group) : group;
    const told = against([a, b], x, y);
    return [
      "tr",
      { class: told === "same" && "same" },
      ["th", { scope: "row" }, heading],
      x ? shownIn(a, x, heading) : ["td", {}],
      y ? shownIn(b, y, heading) : ["td", {}],
      ["td", { class: "ratio" }, told],
    ];
  }

  const ofNumbers = ["th", { scope: "col", class: "num" }];
  const counted = (n, one, many) => `${n} ${n === 1 ? one : many}`;

  function column({ letter, id, day, changes }) {
    const { size } = changes;
    const state = size ? counted(size, "change", "changes") : "as published";
    const told = day ? `${state}, data of ${day}` : state;
    const abbr = letter.toUpperCase();
    const [name, attributes] = ofNumbers;
    return [name, { ...attributes, abbr }, `${abbr}: ${compared.plans[id].title}`, span("note", told)];
  }

  /** For one plan in two states: all other figures that differ. */
  function others([a, b], shown) {
    if (a.id !== b.id) return [];
    const known = new Set(shown.flatMap(({ x, y }) => [x?.[0], y?.[0]]));
    return Object.keys(a.plan.shown.scalars)
      .filter((name) => {
        const { hidden } = a.plan.shown.scalars[name];
        if (hidden || known.has(name)) return false;
        const [one, other] = [cellIn(a, name), cellIn(b, name)];
        return ["value", "low", "high", "reason"].some((part) => one[part] !== other[part]);
      })
      .map((name) => ({ group: name, x: [name, "", 1], y: [name, "", 1] }));
  }

  /** The results of a side's plan; only what depends on a change is recomputed. */
  function resultsOf(side, inputs) {
    if (side.computes === side.plan) return side.machine.set(inputs);
    side.computes = side.plan;
    side.machine = runtime.machine(side.plan, inputs);
    return side.machine.results;
  }

  /** The table, and for one plan in two states the other figures that differ. Sets each side's
   *  `results`, and `priced`, its plan with the data of its day. */
  return (sides) => {
    const [a, b] = sides;
    for (const side of sides) {
      side.priced = dated(side.plan, side.day);
      side.results = resultsOf(side, edited(side.priced, side.changes));
    }
    const beside = a.id === b.id ? [a.results, b.results] : undefined;
    for (const side of sides) side.view = view(side.priced, side.results, beside);
    const shown = aligned(...sides.map(({ id }) => compared.plans[id].figures));
    const rest = others(sides, shown);
    const headings = [head("Figure"), ...sides.map(column), [...ofNumbers, "B against A"]];
    const rows = (pairs) => pairs.map((pair) => row(sides, pair));
    const told = counted(rest.length, "further figure differs", "further figures differ");
    const of = (pairs) => table("compared", headings, rows(pairs));
    return { table: of(shown), rest: rest.length ? { told, table: of(rest) } : null };
  };
})();

if (globalThis.document) (() => {
  const page = document.querySelector("#sides");
  if (!page) return;
  const { compared } = scalesheet;
  const { Refused, FOREIGN, find, fromQuery, toQuery, goTo, cellName } = scalesheet.inputs;
  const { element, drawn, view } = scalesheet.marks;
  const { button, copying, host, select } = scalesheet.fields;
  const ids = Object.keys(compared.plans);
  if (!ids.length) return;
  const DAY = /^\d{4}-\d{2}-\d{2}$/;

  /** The state of each side: a plan, changes to its inputs, and the day of its data, or empty. */
  const sides = ["a", "b"].map((letter) => ({ letter, changes: new Map(), day: "", pinned: [] }));
  let asked = 0; // counts addresses: a plan that loads late must not replace a newer one

  // ---------------------------------------------------------------- plans

  const loading = new Map();

  /** A plan with its inputs and formulas, from its own script. */
  function load(id) {
    if (scalesheet.plans[id]?.shown) return Promise.resolve(scalesheet.plans[id]);
    if (!loading.has(id)) {
      const script = element("script", { src: `../assets/${id}.js` });
      const done = new Promise((resolve, reject) => {
        script.addEventListener("load", () => resolve(scalesheet.plans[id]));
        script.addEventListener("error", () => {
          loading.delete(id);
          reject(new Refused(`The formulas of “${compared.plans[id].title}” did not load.`));
        });
      });
      loading.set(id, done);
      document.head.append(script);
    }
    return loading.get(id);
  }

  /** Whether a text is a valid day. */
  const isDay = (text) =>
    DAY.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);

  // ---------------------------------------------------------------- the address

  /** What an address states for each side, and what belongs to neither. */
  function split(search) {
    const found = { a: { rest: [] }, b: { rest: [] } };
    const faults = [];
    for (const [name, text] of new URLSearchParams(search)) {
      const [side, ...rest] = name.split(".");
      if (!Object.hasOwn(found, side)) {
        if (!FOREIGN.has(name)) faults.push(`“${name}” belongs to neither side: write a.${name}`);
      } else if (rest.length === 0) found[side].id = text;
      else found[side].rest.push([rest.join("."), text]);
    }
    return { found, faults };
  }

  async function readAddress() {
    const turn = (asked += 1);
    const { found, faults } = split(location.search);
    const { start, scenario } = page.dataset;
    if (start && !found.a.id && !found.b.id && !faults.length) {
      // one plan, corrected and as in its document
      found.a.id = found.b.id = start;
      found.b.rest.push(["scenario", scenario]);
    }
    const usual = [ids[0], found.a.id ?? ids[1] ?? ids[0]];
    for (const [n, side] of sides.entries()) {
      const { id, rest } = found[side.letter];
      const known = id === undefined || Object.hasOwn(compared.plans, id);
      if (!known) faults.push(`There is no plan “${id}” here.`);
      const next = id !== undefined && known ? id : ids.includes(usual[n]) ? usual[n] : ids[0];
      side.asked = { id: next, rest };
    }
    let plans;
    try {
      plans = await Promise.all(sides.map((side) => load(side.asked.id)));
    } catch (error) {
      if (turn === asked) tell([...faults, error.message]);
      return;
    }
    if (turn !== asked) return;
    sides.forEach((side, n) => take(side, plans[n], side.asked.rest, faults));
    tell(faults);
    rebuild();
  }

  /** Set the state of a side from an address. */
  function take(side, plan, rest, faults) {
    const inputs = new URLSearchParams();
    let day = "";
    for (const [name, text] of rest) {
      if (name !== "prices" || find(plan, name)) inputs.append(name, text);
      else if (isDay(text)) day = text;
      else faults.push(`“${text}” is not a day; write prices=2026-06-01.`);
    }
    const { changes, faults: own } = fromQuery(plan, inputs.toString());
    faults.push(...own.map((text) => `${side.letter.toUpperCase()}: ${text}`));
    Object.assign(side, { id: side.asked.id, plan, changes, day, pinned: [] });
  }

  function addressOf([a, b]) {
    const of = ({ letter, id, changes, day }) => {
      const own = toQuery(changes).slice(1);
      return [
        `${letter}=${encodeURIComponent(id)}`,
        ...(day ? [`${letter}.prices=${day}`] : []),
        ...(own ? own.split("&").map((each) => `${letter}.${each}`) : []),
      ];
    };
    return `?${[...of(a), ...of(b)].join("&")}`;
  }

  const writeAddress = () => goTo(addressOf(sides));

  // ---------------------------------------------------------------- a side

  const scenarioOf = ({ plan, changes }) => changes.get("scenario") ?? plan.shown.scenarios[0];

  /** `batch_size`, or `runs/small/steps` for a cell: an input by the name of its mark. */
  function markOf(plan, name) {
    const { table, row, column } = find(plan, name);
    return table === undefined ? name : `${table}/${plan.inputs.tables[table].rows[row]}/${column}`;
  }

  function nameOf(of) {
    const [table, row, column] = of.split("/");
    return row === undefined ? of : cellName(table, row, column);
  }

  function hostOf(side) {
    const input = (of) => find(side.plan, nameOf(of));
    return host(side.plan, input, () => side.changes, (changes, done) => {
      const scenario = scenarioOf(side);
      side.changes = changes;
      if (scenarioOf(side) !== scenario) build(side);
      write();
      if (!done) return;
      side.host.begin();
      setTimeout(writeAddress); // after the figures are painted, since it takes longer
    });
  }

  /** The inputs that a reader may change: not those of the other scenario. */
  function changeable({ plan, ...side }) {
    const end = `.${scenarioOf({ plan, ...side })}`;
    return Object.keys(plan.inputs.scalars).filter((name) => {
      const { hidden, kind } = plan.shown.scalars[name];
      return find(plan, name) && kind !== "text" && (!hidden || name.endsWith(end));
    });
  }

  const labelled = (text, control) =>
    element("label", {}, element("span", { class: "label" }, text), control);

  /** Rebuild everything that belongs to a side: its plan, the day of its data, its fields. */
  function build(side) {
    const { plan, id, letter, day, changes } = side;
    const word = letter.toUpperCase();
    const titles = ids.map((each) => [each, compared.plans[each].title]);
    const plans = select(titles, id, (next) => choosePlan(side, next));
    plans.setAttribute("aria-label", `Plan ${word}`);
    const { edition } = compared;
    const days = [edition, ...compared.days];
    const data = select(
      [...new Set([...days, day || edition])]
        .sort()
        .reverse()
        .map((each) => [each === edition ? "" : each, each === edition ? `${each}, now` : each]),
      day,
      (next) => {
        side.day = next;
        write();
        writeAddress();
      },
    );
    const names = [...compared.plans[id].choices, ...changes.keys(), ...side.pinned];
    side.host = hostOf(side);
    side.fields = [];
    const listed = Array.from(new Set(names), (name) => fieldOf(side, name)).filter(Boolean);
    const others = changeable(side).filter((name) => !names.includes(name));
    const more = select(
      [["", "Choose …"], ...others.map((name) => [name, titleOf(plan, name)])],
      "",
      (name) => {
        side.pinned.push(name);
        build(side);
        write();
        side.at.querySelector(`[data-of="${CSS.escape(name)}"] :is(input, select)`)?.focus();
      },
    );
    side.open = element("a", {});
    side.reset = button("Back to the published plan", () => {
      Object.assign(side, { changes: new Map(), day: "", pinned: [] });
      build(side);
      write();
      writeAddress();
    });
    side.at.replaceChildren(
      element("div", { class: "title" }, element("span", { class: "letter" }, word), plans),
      element(
        "div",
        { class: "choices" },
        ...(days.length > 1 ? [labelled("Data of", data)] : []),
        ...listed,
        labelled("Another input", more),
      ),
      element("p", { class: "buttons" }, side.open, side.reset),
    );
  }

  function titleOf(plan, name) {
    const { quantity, table, row } = find(plan, name);
    return table === undefined
      ? quantity.title
      : `${quantity.title}, ${plan.inputs.tables[table].titles[row]}`;
  }

  function fieldOf(side, name) {
    if (!find(side.plan, name)) return undefined;
    const of = markOf(side.plan, name);
    const target = element("span", { "data-of": of, "data-as": "amount" });
    const made = scalesheet.fields.field(side.plan, target, side.host);
    if (!made) return undefined;
    side.fields.push({ ...made, name });
    return element(
      "div",
      { class: "choice" },
      element("span", { class: "label" }, titleOf(side.plan, name)),
      target,
    );
  }

  async function choosePlan(side, id) {
    const turn = (asked += 1);
    try {
      const plan = await load(id);
      if (turn !== asked) return;
      Object.assign(side, { id, plan, changes: new Map(), pinned: [] });
      tell([]);
      rebuild();
      writeAddress();
    } catch (error) {
      tell([error.message]);
    }
  }

  const tableAt = element("div", { class: "scroll" });
  const differing = element("details", { class: "differing", hidden: true });

  function write() {
    const { table, rest } = compared.sides(sides);
    for (const side of sides) {
      const own = view(side.priced, side.results);
      for (const each of side.fields) each.update(own, side.changes.has(each.name));
      side.open.setAttribute("href", `../plans/${side.id}.html${toQuery(side.changes)}`);
      side.open.textContent = side.changes.size ? "Open the plan with these inputs" : "Open the plan";
      side.reset.hidden = !side.changes.size && !side.day;
    }
    tableAt.replaceChildren(drawn(table));
    differing.hidden = !rest;
    const parts = rest ? [["summary", {}, rest.told], ["div", { class: "scroll" }, rest.table]] : [];
    differing.replaceChildren(...parts.map((each) => drawn(each)));
    page.classList.add("filled");
  }

  // ---------------------------------------------------------------- start

  const alert = element("div", { role: "alert" });

  function tell(faults) {
    alert.replaceChildren(
      ...Array.from(new Set(faults), (text) => element("p", { class: "bad" }, text)),
    );
  }

  function rebuild() {
    for (const side of sides) build(side);
    write();
  }

  function swap() {
    const [a, b] = sides;
    for (const key of ["id", "plan", "changes", "day", "pinned"]) [a[key], b[key]] = [b[key], a[key]];
    rebuild();
    writeAddress();
  }

  for (const side of sides)
    side.at = element("section", { class: "side", "aria-label": `Side ${side.letter.toUpperCase()}` });
  page.append(
    alert,
    element("div", { class: "both" }, ...sides.map(({ at }) => at)),
    element(
      "p",
      { class: "buttons" },
      button("Swap the sides", swap),
      ...copying("Copy the link", () => location.href),
    ),
    tableAt,
    differing,
  );
  page.classList.add("live");
  addEventListener("popstate", readAddress);
  readAddress();
})();
