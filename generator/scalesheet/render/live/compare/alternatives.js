/* The plan's results with each of the offers or setups that it could choose.
 *
 * The page is published with those of the current accelerator. In the browser, the plan computes
 * any of them with the reader's changes: only while the section is near the visible part of the
 * page, and in slices, so that typing never waits.
 */
"use strict";

/** The choice of a plan, `plan.shown.alternatives`: the scalar `choice` that refers to a row of
 *  `table`, the columns shown beside (`facts`), the figures that depend on the choice, and which
 *  of them are the cost and the time. `by` is the accelerator column that filters the
 *  catalogue's many offers; absent for the plan's own table. */
scalesheet.alternatives = (() => {
  const { formatBy } = scalesheet.numbers;
  const { edited } = scalesheet.inputs;
  const { rowTitle } = scalesheet.marks;
  const { markOf, withUnit } = scalesheet.charts.parts;
  const { scatters } = scalesheet;
  const { span, rowLink, heading, head, cell, likely, table: tableOf } = scalesheet.tables;
  const [EVERY, FRONTIER] = ["*", "frontier"];
  const MARKED =
    "Marked “frontier”: of all that fit no other is both cheaper and faster. “Cheapest” is the chance that a row " +
    "costs least of those shown, and regret is how much more it costs than the cheapest, on average. Rows with the same " +
    "accelerator share their error; others are independent.";
  const TITLE = "Cost against time";
  const ALT = "What the plan costs and how long it takes with each that could be chosen.";
  const UNFIT = "does not fit"; // the verdict that rules a row out
  const AS_PUBLISHED = { which: "", term: "", order: {}, changes: new Map() };

  function of(plan) {
    const { choice, table: name, facts, figures, cost, time, by } = plan.shown.alternatives;
    const { rows } = plan.inputs.tables[name];
    const { columns } = plan.shown.tables[name];
    const quantities = figures.map((figure) => plan.shown.scalars[figure]);
    const cells = (fact) => plan.inputs.tables[name].columns[fact] ?? [];
    const chosenOf = (changes) => changes.get(choice) ?? plan.inputs.scalars[choice];
    const ofRow = (id) => cells(by)[rows.indexOf(id)];
    const titleOf = ({ id }) => rowTitle(plan, name, id);

    /** The plan's results with a row. */
    function result(machine, changes, row) {
      const id = rows[row];
      const { scalars, tables } = machine.set(edited(plan, new Map(changes).set(choice, id)));
      return {
        id,
        row,
        figures: figures.map((figure) => scalars[figure]),
        facts: facts.map((fact) => tables[name][fact][row]),
        columns: facts.map((fact) => tables[name][fact]),
      };
    }

    const cellOf = (figure, each) => each.figures[figures.indexOf(figure)];
    const possible = (each) =>
      [cost, time].every((figure) => typeof cellOf(figure, each).value === "number") &&
      each.figures.every(({ value }) => value !== UNFIT);
    const formatsOf = (asked, found) =>
      asked.map((figure) => {
        const { rule = {} } = plan.shown.scalars[figure];
        return formatBy(rule, Array.from(found, (each) => cellOf(figure, each)));
      });

    // -------------------------------------------------------------- the picture

    const kind = (each) =>
      by ? rowTitle(plan, columns[by].table, ofRow(each.id)) : titleOf(each);

    /** For each accelerator, the cheapest row; for a plan's own table, every row. */
    function cheapest(able) {
      const first = new Map();
      const rising = Array.from(able).sort((a, b) => cellOf(cost, a).value - cellOf(cost, b).value);
      for (const each of rising) if (!first.has(kind(each))) first.set(kind(each), each);
      return by ? Array.from(first.values()) : able;
    }

    /** Cost against time: the frontier, the current choice, and the cheapest row of each
     *  accelerator. */
    function drawing(able, chosen) {
      const axes = [time, cost];
      const shown = axes.map((axis) => plan.shown.scalars[axis]);
      const formats = formatsOf(axes, able);
      const point = (each, label) => {
        const [x, y] = axes.map((axis, n) =>
          withUnit(markOf(each.id, label, cellOf(axis, each), formats[n]), shown[n]),
        );
        return { id: each.id, label, x, y };
      };
      const titles = shown.map(({ title, symbol }) => (symbol ? `${title} (${symbol})` : title));
      const named = { id: "alternatives-picture", title: TITLE, alt: ALT };
      const drawn = (points) => scatters.drawing({ ...named, points }, titles, formats);
      const best = drawn(able.map((each) => point(each, titleOf(each)))).frontier;
      const known = new Map(best.map((each) => [each.id, each]));
      const add = (each, label) => known.has(each.id) || known.set(each.id, point(each, label));
      for (const each of able) if (each.id === chosen) add(each, "chosen");
      for (const each of cheapest(able)) add(each, kind(each));
      return drawn(able.filter(({ id }) => known.has(id)).map(({ id }) => known.get(id)));
    }

    // -------------------------------------------------------------- the table

    /** Sort by a column, by default the cost; rows without a number come last. */
    function sorted(found, { by: key = cost, falling = false }) {
      const keyOf = (each) => {
        if (key === "") return titleOf(each);
        const own = figures.includes(key) ? cellOf(key, each) : each.facts[facts.indexOf(key)];
        return own.reason ?? own.value ?? "";
      };
      return Array.from(found).sort((a, b) => {
        const [x, y] = [keyOf(a), keyOf(b)];
        if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
        const apart = typeof x === "number" ? x - y : x < y ? -1 : x > y ? 1 : 0;
        return (falling ? -apart : apart) || a.row - b.row;
      });
    }

    function rowsOf(shown, chosen, best) {
      const formats = formatsOf(figures, shown);
      const ofFacts = facts.map((fact, n) =>
        formatBy(columns[fact].rule ?? {}, shown[0]?.columns[n] ?? []),
      );
      const source = ({ id, row }) => (by ? ofRow(id) : String(cells(facts[0])[row]));
      const odds = scalesheet.odds(
        shown.map((each) => ({ name: source(each), cost: possible(each) ? cellOf(cost, each) : undefined })),
      );
      const ofCost = figures.indexOf(cost);
      const sign = (text, is) => (is ? [span(`sign ${text}`, text)] : []);
      return shown.map(({ id, figures: given, facts: own }, at) => [
        "tr",
        { class: id === chosen && "chosen" },
        [
          "th",
          { scope: "row" },
          rowLink(plan, name, id),
          ...sign("chosen", id === chosen),
          ...sign("frontier", best.has(id)),
        ],
        ...given.map((each, n) => cell(plan, quantities[n], each, formats[n])),
        ...own.map((each, n) => cell(plan, columns[facts[n]], each, ofFacts[n])),
        likely(odds[at], formats[ofCost], quantities[ofCost].symbol ?? ""),
      ]);
    }

    /** A note on what the rows are. */
    function note({ which, term, changes }, chosen, many) {
      const changed = changes.size ? ", with your changes" : "";
      const usual = by
        ? ["The plan with each offer of ", rowLink(plan, columns[by].table, ofRow(chosen))]
        : [`The plan with each row of “${plan.shown.tables[name].title}”`];
      const counted = [many === 1 ? "1 row" : `${many} rows`];
      return ["p", { class: "note" }, ...(which || term ? counted : usual), `${changed}. ${MARKED}`];
    }

    /** Note, chart and table as requested. `shown` are the rows of the table. */
    function draw(found, asked = AS_PUBLISHED) {
      const { which, term, order, changes } = asked;
      const chosen = chosenOf(changes);
      const ofTerm = ({ row }) => !term || cells("term")[row] === term;
      const drawn = drawing(found.filter((each) => possible(each) && ofTerm(each)), chosen);
      const best = new Set(drawn.frontier.map(({ id }) => id));
      const accelerator = which || ofRow(chosen);
      const wanted = ({ id, row }) =>
        which === FRONTIER ? best.has(id) : which === EVERY || cells(by)[row] === accelerator;
      const every = found.filter(
        (each) => each.id === chosen || (ofTerm(each) && (!by || wanted(each))),
      );
      const shown = sorted(every, order);
      const thing = by ? "Offer" : plan.shown.scalars[choice].title;
      const headings = [...quantities, ...facts.map((fact) => columns[fact]), { title: "Cheapest" }].map(heading);
      return {
        shown,
        best,
        note: note(asked, chosen, shown.length),
        svg: scatters.svg(drawn),
        table: tableOf("", [head(thing), ...headings], rowsOf(shown, chosen, best)),
      };
    }

    /** Whether there are several options. */
    const several = () => {
      const alike = (id) => !by || ofRow(id) === ofRow(plan.inputs.scalars[choice]);
      return rows.filter(alike).length > 1;
    };

    return { rows, names: ["", ...figures, ...facts], cells, chosenOf, titleOf, result, draw, several };
  }

  /** The content of the published page, and the figures of rows that it shows or that are on the
   *  frontier as `[id, cells]`; null if there is nothing to choose. */
  function published(plan, machine) {
    if (!plan.shown.alternatives) return null;
    const { rows, result, draw, several } = of(plan);
    if (!several()) return null;
    const found = rows.map((_, row) => result(machine, AS_PUBLISHED.changes, row));
    const { shown, best, ...drawn } = draw(found);
    const own = found.filter((each) => shown.includes(each));
    const listed = new Set([...own, ...found.filter(({ id }) => best.has(id))]);
    const figures = Array.from(listed, ({ id, figures: cells }) => [id, cells]);
    return { ...drawn, best: Array.from(best), figures };
  }

  return Object.freeze({ EVERY, FRONTIER, of, published });
})();

/** The part of a plan's page. */
if (globalThis.document) (() => {
  const { element, drawn, rowTitle } = scalesheet.marks;
  const { button, select, inSlices } = scalesheet.fields;
  const { EVERY, FRONTIER, of } = scalesheet.alternatives;
  const host = scalesheet.page;
  const at = host?.content.querySelector(".alternatives");
  if (!at) return;
  const { plan, enter, follow } = host;
  const { choice, table: name, by } = plan.shown.alternatives;
  const { rows, names, cells, chosenOf, titleOf, result, draw } = of(plan);
  const table = at.querySelector("table");
  const figure = at.querySelector("figure");
  let machine;
  let changes = host.changes();
  let found; // the plan's results with each row
  let from; // the changes for which they hold
  let near = false;
  let stop; // stops the computation
  let order = { by: names[1] };
  const controls = by ? filters() : {};

  /** The lists that filter the rows. */
  function filters() {
    const at = element("div", { class: "narrow" });
    const list = (label, options) => {
      const control = select(options, "", () => found && write());
      at.append(element("label", {}, element("span", {}, label), control));
      return control;
    };
    figure.before(at);
    const known = Array.from(new Set(cells(by))).sort();
    const { table: accelerators } = plan.shown.tables[name].columns[by];
    const terms = Array.from(new Set(cells("term"))).sort();
    const which = list("Offers", [
      ["", "of the plan's accelerator"],
      [FRONTIER, "on the frontier"],
      [EVERY, "all"],
      ...known.map((id) => [id, rowTitle(plan, accelerators, id)]),
    ]);
    return { which, term: list("Term", [["", "all"], ...terms.map((each) => [each, each])]) };
  }

  /** Compute the plan's results with each row; a later call stops an earlier one. */
  function compute() {
    if (!near || from === changes) return;
    stop?.();
    machine ??= scalesheet.runtime.machine(plan, plan.inputs);
    const asked = changes;
    at.setAttribute("aria-busy", "true");
    function* every() {
      const next = [];
      for (const row of rows.keys()) {
        next.push(result(machine, asked, row));
        yield;
      }
      return next;
    }
    function done(next) {
      [found, from] = [next, asked];
      at.removeAttribute("aria-busy");
      write();
    }
    stop = inSlices(every(), { done });
  }

  function write() {
    const [which, term] = [controls.which?.value ?? "", controls.term?.value ?? ""];
    const { shown, note, svg, table: made } = draw(found, { which, term, order, changes });
    const body = drawn(made).tBodies[0];
    shown.forEach((each, n) => body.rows[n].append(element("td", { class: "take" }, take(each))));
    at.querySelector(".note").replaceWith(drawn(note));
    figure.querySelector("svg").replaceWith(drawn(svg));
    table.tBodies[0].replaceWith(body);
    headings();
  }

  const take = (each) =>
    each.id === chosenOf(changes)
      ? ""
      : button("Take it", () => enter(choice, each.id), { "aria-label": `Take ${titleOf(each)}` });

  function sort(each) {
    order = { by: each, falling: order.by === each && !order.falling };
    write();
  }

  /** Headings sort; the initial order is by cost. */
  function headings() {
    const line = table.tHead.rows[0];
    if (line.cells.length === names.length + 1)
      line.append(element("th", { scope: "col", class: "take" }, "Choose"));
    names.forEach((each, n) => {
      const heading = line.cells[n];
      if (!heading.querySelector("button")) {
        const made = button("", () => sort(each), { class: "sort" });
        made.append(...heading.childNodes);
        heading.append(made);
      }
      if (order.by !== each) heading.removeAttribute("aria-sort");
      else heading.setAttribute("aria-sort", order.falling ? "descending" : "ascending");
    });
  }

  // ---------------------------------------------------------------- updates

  new IntersectionObserver(
    ([{ isIntersecting }]) => {
      near = isIntersecting;
      compute();
    },
    { rootMargin: "60%" },
  ).observe(at);

  follow(at, (next) => {
    changes = next;
    compute();
  });
})();
