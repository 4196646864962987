/* One job on many accelerators, or many models on one: tables and a chart of the results.
 *
 * All answers are those of the front page (`case.js`): this only has which cases to ask, the best
 * of them, and their tables as data, [tag, attributes, ...content].
 */
"use strict";

scalesheet.workload = (() => {
  const { formatBy, counted, number, people, plain, ends } = scalesheet.numbers;
  const { toQuery } = scalesheet.inputs;
  const { rowTitle } = scalesheet.marks;
  const { span, link, heading, head, likely, table } = scalesheet.tables;
  const { cases, answer, question, charts } = scalesheet;
  const { plan, changedTo, figureOf, fits, runs, answerTo, cheapest, obstaclesTo, weighed } = cases;
  const { FITS, evidenceFor, text } = answer;
  const draw = charts.parts;
  const COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
  const NODE = 8;
  const FRONT = "../../index.html";
  const OWN = "your-model"; // the name in architecture.js
  const [ROW, HALF] = [46, 5];
  const HOPELESS = 8; // successive models that do not fit, after which larger ones are not tried

  const scalars = Object.fromEntries(
    Object.entries(question.roles).map(([role, name]) => [role, plan.shown.scalars[name]]),
  );
  const symbol = (role) => scalars[role].symbol ?? "";
  const formatOf = (role, cells) => formatBy(scalars[role].rule ?? {}, cells);
  const numeric = (cell) => typeof cell?.value === "number";
  const gpusText = (count) => counted(count, "GPU");
  const title = (table, id) => rowTitle(plan, table, id);
  const page = (table, id) =>
    id === OWN ? title(table, id) : ["a", { href: `../${table}/${id}.html` }, title(table, id)];

  // ---------------------------------------------------------------- answers

  /** The answer to a case at its cheapest on-demand offer; undefined if no layout can run. */
  function* priced(wanted) {
    const found = yield* answerTo(wanted);
    return found && { ...found, at: cheapest(found) };
  }

  const costOf = (each) => (each && runs(each) ? figureOf(each.at, "cost") : undefined);

  const PROBABLY = "probably fits";
  const verdictOf = (each) => figureOf(each, "verdict").value;
  const inTime = (each, hours) => !(figureOf(each, "elapsed_hours").high > hours);

  /** The cheapest of 1, 2, 4, ... accelerators, up to `most`, that fit and finish in time:
   *  `{best}`, and `likely` if fewer cost less and probably fit; else `{why, last}`, where `last` is
   *  the smallest number that fits, if possible in time. Stops once more accelerators cost more. */
  function* cheapestWithin(wanted, hours, most = NODE) {
    let [best, likely, last, fitting, timely] = [];
    for (const gpus of COUNTS.filter((count) => count <= most)) {
      const each = yield* priced(changedTo(wanted, { gpus }));
      if (!each) continue;
      last = each;
      fitting ??= fits(each) ? each : undefined;
      if (fits(each) && inTime(each, hours)) timely ??= each;
      const cost = costOf(each);
      if (!numeric(cost) || !inTime(each, hours)) continue;
      if (verdictOf(each) === PROBABLY) likely ??= each;
      if (!fits(each)) continue;
      if (best && cost.value >= costOf(best).value * (1 - 1e-9)) break;
      best = each;
    }
    if (best) return { best, likely: likely && costOf(likely).value < costOf(best).value ? likely : undefined };
    if (!last) return { why: "no configuration runs" };
    const on = gpusText(most);
    if (!fitting) return { why: `doesn’t fit on ${on}`, last, likely };
    if (!timely) return { why: `too slow on up to ${on}`, last: fitting, likely };
    return { why: `no offer of ${gpusText(timely.wanted.get("gpus"))}`, last: timely, likely };
  }

  const SAID = ["model", "method", "data", "tokens", "samples", "sequence", "epochs", "batch", "gpu", "gpus"];

  /** The front page with a case, its layout left open; it only knows models of the catalogue. */
  function opened(wanted) {
    if (wanted.get("model") === OWN) return undefined;
    const unsaid = wanted.get("data") === "tokens" ? "samples" : "tokens";
    const names = SAID.filter((name) => name !== unsaid);
    return `${FRONT}${toQuery(new Map(names.map((name) => [name, wanted.get(name)])))}`;
  }

  // ---------------------------------------------------------------- a model: methods x accelerators

  /** Each method on each accelerator, within `hours`; yields the table as it fills. */
  function* matrix(wanted, { accelerators, methods, hours }) {
    const cells = accelerators.map(() => methods.map(() => undefined));
    for (const [row, gpu] of accelerators.entries()) {
      for (const [column, method] of methods.entries())
        cells[row][column] = yield* cheapestWithin(changedTo(wanted, { gpu, method }), hours);
      yield drawnMatrix(accelerators, methods, cells);
    }
  }

  function drawnMatrix(accelerators, methods, cells) {
    const found = cells.flat().flatMap((cell) => cell?.best ?? []);
    const hours = formatOf("hours", found.map((each) => figureOf(each, "hours")));
    const costs = formatOf("cost", found.map(costOf));
    const inWords = (each) =>
      `${gpusText(each.wanted.get("gpus"))}: ${plain(figureOf(each, "hours"), hours)}\u00a0${symbol("hours")}, ` +
      `${plain(costOf(each), costs)}\u00a0${symbol("cost")}`;
    const cell = (each) => {
      if (!each) return ["td", { class: "pending" }, "…"];
      if (!each.best) return ["td", { class: "reason" }, each.why];
      return ["td", {}, link(opened(each.best.wanted), inWords(each.best))];
    };
    return table(
      "matrix",
      [head("Accelerator"), ...methods.map((method) => head(question.methods[method]))],
      accelerators.map((gpu, n) => [
        "tr",
        {},
        ["th", { scope: "row" }, page("hardware", gpu)],
        ...cells[n].map(cell),
      ]),
    );
  }

  // ---------------------------------------------------------------- one job: accelerators by cost

  /** A job on each accelerator, on `gpus` of them or the cheapest number that finishes in time;
   *  yields `{done, of, rows}`. */
  function* sideBySide(wanted, accelerators, gpus, hours) {
    const rows = [];
    for (const [n, gpu] of accelerators.entries()) {
      const asked = changedTo(wanted, { gpu, ...(gpus ? { gpus } : {}) });
      if (gpus) rows.push({ gpu, asked, found: yield* priced(asked) });
      else {
        const { best, likely, last, why } = yield* cheapestWithin(asked, hours, COUNTS[COUNTS.length - 1]);
        if (best || !likely) rows.push({ gpu, asked, found: best ?? last, why });
        if (likely) rows.push({ gpu, asked, found: likely });
      }
      yield { done: n + 1, of: counted(accelerators.length, "accelerator"), rows: ranked(rows) };
    }
  }

  /** By cost; then those without a price, and last what does not run. */
  function ranked(rows) {
    const rank = ({ found, why }) => {
      const cost = costOf(found);
      if (!found || !runs(found)) return Infinity;
      return numeric(cost) && !why ? cost.value : 1e99;
    };
    return [...rows].sort((a, b) => rank(a) - rank(b) || (a.gpu < b.gpu ? -1 : 1));
  }

  /** What to choose, and why: the cheapest that fits, preferably with evidence. */
  function advice(rows) {
    const good = rows.filter(({ found, why }) => found && !why && fits(found) && numeric(costOf(found)));
    if (!good.length) return "Nothing here fits in time at a price on file.";
    const least = (of) => good.reduce((best, each) => (of(each) < of(best) ? each : best));
    const cost = ({ found }) => costOf(found).value;
    const best = least(({ found }) => weighed(found.wanted, costOf(found).value));
    const cheapest = least(cost);
    const name = ({ found, gpu }) => `${found.wanted.get("gpus")} × ${title("hardware", gpu)}`;
    const near = good.filter((each) => each !== best && costOf(each.found).low <= costOf(best.found).high);
    const said = [`Preferred: ${name(best)}`];
    if (cheapest !== best)
      said.push(
        `. ${name(cheapest)} would cost ${number(100 * (1 - cost(cheapest) / cost(best)), { decimals: 0 })} % less, ` +
          `but fewer than three published results are like it`,
      );
    if (near.length)
      said.push(`. The cost ranges of ${near.length} other row${near.length === 1 ? "" : "s"} overlap with its range: the order is not certain`);
    return `${said.join("")}.`;
  }

  const perTokens = (each) => {
    const cost = costOf(each);
    const tokens = figureOf(each, "trained_tokens");
    if (!numeric(cost) || !question.formulas.cost_of_tokens) return { reason: "no offer" };
    const of = (end) => question.formulas.cost_of_tokens({ cost: { value: cost[end] }, tokens });
    return { value: of("value"), low: of("low"), high: of("high") };
  };

  function amount(cell, format, href) {
    if (!cell || cell.reason !== undefined) return ["td", { class: "reason" }, cell?.reason ?? ""];
    const range = ends(cell, format);
    const shown = plain(cell, format);
    return [
      "td",
      { class: "num" },
      link(href, shown),
      ...(range ? [span("range", range)] : []),
    ];
  }

  /** Memory needed of usable memory, with the verdict. */
  function memoryCell(each) {
    const verdict = figureOf(each, "verdict").value;
    const said = `${text(each, "needed_memory", false)} of ${text(each, "usable_memory")}`;
    return [
      "td",
      { class: `fit ${FITS[verdict] ?? ""}`.trim() },
      verdict,
      span("range", said),
    ];
  }

  /** The offer behind the cost, when its price was last seen if that is long ago, and whether it
   *  is the only one that is large enough. */
  function offerCell({ offer, enough }) {
    if (!offer) return ["td", {}];
    const unseen = question.unseen[offer];
    const notes = [
      ...(enough === 1 ? ["the only one that offers that many"] : []),
      ...(unseen ? [`price last seen ${unseen.seen}`] : []),
    ];
    return ["td", { class: "words" }, page("offers", offer), ...(notes.length ? [span("range", notes.join("; "))] : [])];
  }

  /** The table of a comparison. */
  function comparedTable(rows) {
    const running = rows.filter(({ found }) => found && runs(found)).map(({ found }) => found);
    const formats = Object.fromEntries(
      ["elapsed_hours", "energy"].map((role) => [role, formatOf(role, running.map((each) => figureOf(each, role)))]),
    );
    const costs = formatOf("cost", running.map(costOf).filter(numeric));
    const each = formatOf("cost", running.map(perTokens).filter(numeric));
    const candidates = rows.map(({ gpu, found, why }) => ({ name: gpu, cost: why ? undefined : costOf(found) }));
    const odds = scalesheet.odds(candidates);
    const body = rows.map(({ gpu, asked, found, why }, n) => {
      const own = ["th", { scope: "row" }, page("hardware", gpu)];
      if (!found)
        return ["tr", {}, own, ["td", { class: "reason", colspan: "9" }, `cannot run: ${obstaclesTo(asked).join("; ")}`]];
      const many = gpusText(found.wanted.get("gpus"));
      const gpus = ["td", {}, link(opened(found.wanted), many)];
      if (!runs(found)) {
        const none = (count) => Array.from({ length: count }, () => ["td", {}]);
        return ["tr", {}, own, gpus, memoryCell(found), ...none(7)];
      }
      return [
        "tr",
        {},
        own,
        gpus,
        memoryCell(found),
        amount(figureOf(found, "elapsed_hours"), formats.elapsed_hours, opened(found.wanted)),
        why ? ["td", { class: "reason" }, why] : amount(costOf(found), costs),
        likely(odds[n], costs, symbol("cost")),
        offerCell(found.at),
        amount(perTokens(found), each),
        amount(figureOf(found, "energy"), formats.energy),
        ["td", { class: "words" }, question.evidence ? evidenceFor(found.wanted) : ""],
      ];
    });
    return table(
      "workload",
      [
        head("Accelerator"),
        head("Count"),
        head("Memory"),
        heading({ title: "Hours with start-up", symbol: symbol("hours") }),
        heading({ title: "Cost, on demand", symbol: symbol("cost") }),
        heading({ title: "Cheapest" }),
        head("Offer"),
        heading({ title: "Per billion tokens", symbol: symbol("cost") }),
        heading({ title: "Energy", symbol: symbol("energy") }),
        head("Evidence"),
      ],
      body,
    );
  }

  /** The cost of each accelerator with its range, the cheapest first. */
  function comparedChart(rows) {
    const priced = rows.filter(({ found, why }) => !why && numeric(costOf(found)));
    if (!priced.length) return undefined;
    const cells = priced.map(({ found }) => costOf(found));
    const format = formatOf("cost", cells);
    const ticks = draw.steps(cells.flatMap(({ value, low, high }) => [value, low, high]));
    const axis = `Cost, on demand, ${symbol("cost")}: expected, and the 80 % range`;
    const on = { axis, ticks: draw.told(ticks, format), at: draw.along(ticks) };
    const marks = priced.map(({ gpu, found }, n) =>
      draw.markOf(gpu, `${title("hardware", gpu)}, ${gpusText(found.wanted.get("gpus"))}`, cells[n], format),
    );
    const told = marks.map((mark) => ({ ...mark, muted: draw.inBrackets(mark) }));
    const [body, bottom] = draw.rowsOf(told, ROW, ({ value, low, high }, top) => {
      const bar = { class: "series-1", x: "0%", y: String(top), width: draw.share(on.at(value)), height: "12" };
      const whisker = low === null ? [] : draw.whisker(on.at(low), on.at(high), top + 6, HALF);
      return [["rect", bar], ...whisker];
    });
    const said = marks.map(({ label, text, range }) => `${label}: ${text} (${range})`).join("; ");
    return draw.picture(
      { id: "workload", title: axis },
      "bars",
      bottom + draw.BELOW,
      `${axis}. ${said}.`,
      [...draw.grid(on, bottom), ...body, ...draw.below(on, bottom)],
    );
  }

  // ---------------------------------------------------------------- one accelerator: models x
  // methods

  /** Models on an accelerator by method; yields `{done, of, rows}`, small models first. */
  function* onCard(wanted, methods) {
    const { rows: ids, columns } = plan.inputs.tables.models;
    const size = (n) => columns.parameters[n];
    const places = Array.from(ids.keys()).sort((a, b) => size(a) - size(b));
    const rows = [];
    for (const n of places) {
      const model = ids[n];
      const sequence = Math.min(wanted.get("sequence"), cases.longest(model));
      const cells = [];
      for (const method of methods)
        cells.push(yield* answerTo(changedTo(wanted, { model, method, sequence })));
      rows.push({ model, parameters: size(n), cells });
      yield { done: rows.length, of: counted(places.length, "model"), rows };
      const last = rows.slice(-HOPELESS);
      if (last.length === HOPELESS && !last.some(somehow)) return;
    }
  }

  /** Whether a model runs by some method. */
  const somehow = ({ cells }) => cells.some((each) => each && runs(each));

  function cardTable(rows, methods) {
    const cell = (each) => (each ? linked(memoryCell(each), opened(each.wanted)) : ["td", { class: "reason" }, "cannot run"]);
    const linked = ([tag, attributes, verdict, range], href) => [tag, attributes, link(href, verdict), range];
    return table(
      "card",
      [head("Model"), heading({ title: "Parameters" }), ...methods.map((method) => head(question.methods[method]))],
      rows.map(({ model, parameters, cells }) => [
        "tr",
        {},
        ["th", { scope: "row" }, page("models", model)],
        ["td", { class: "num" }, people(parameters)],
        ...cells.map(cell),
      ]),
    );
  }

  return Object.freeze({
    ...{ scalars, symbol, gpusText, title, people, numeric, costOf, priced, opened, advice },
    ...{ cheapestWithin, matrix, sideBySide, comparedTable, comparedChart, onCard, cardTable },
  });
})();
