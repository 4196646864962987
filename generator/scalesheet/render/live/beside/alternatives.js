/* What the plan would take with each of the offers, or set-ups, that it could choose.
 *
 * The page holds those of the accelerator at hand. Here the plan computes any of them, with the
 * changes that the reader made, and the table is drawn as alternatives.py draws it. It is computed
 * while it is near to what is seen, in slices, so that typing never waits for it.
 */
"use strict";

(() => {
  const { formatBy, ends, plain } = scalesheet.numbers;
  const { edited } = scalesheet.inputs;
  const { element, drawn: asElements, rowTitle } = scalesheet.marks;
  const { markOf, withUnit } = scalesheet.charts.parts;
  const { scatters } = scalesheet;
  const SLICE = 12; // milliseconds
  const [EVERY, FRONTIER] = ["*", "frontier"];
  const MARKED = "Marked “frontier”: of all that fit no other is both cheaper and faster.";

  const words = (text) => (text ? text.split(" ") : []);

  const host = scalesheet.page;
  const at = host?.content.querySelector(".alternatives[data-choice]");
  if (at) section(host, at);

  /** The part of a plan's page; `host.enter(name, id)` makes a row the choice. */
  function section({ plan, enter, follow, ...page }, at) {
    const { choice, table: name, cost, time, by, unfit, picture } = at.dataset;
    const [facts, figures] = [words(at.dataset.facts), words(at.dataset.figures)];
    const { rows } = plan.inputs.tables[name];
    const table = at.querySelector("table");
    const note = at.querySelector(".note");
    const figure = at.querySelector("figure");
    const machine = scalesheet.runtime.machine(plan, plan.inputs);
    const quantity = (figure) => plan.shown.scalars[figure];
    const column = (fact) => plan.shown.tables[name].columns[fact];
    let changes = page.changes();
    let found; // what the plan gives with each row
    let of; // the changes that it gives this with
    let near = false;
    let turn = 0;
    let order = { by: cost, falling: false };

    // -------------------------------------------------------------- which rows

    const cells = (fact) => plan.inputs.tables[name].columns[fact] ?? [];
    const chosen = () => changes.get(choice) ?? plan.inputs.scalars[choice];
    const ofChosen = () => cells(by)[rows.indexOf(chosen())];
    const controls = by ? filters() : undefined;

    function filters() {
      const known = Array.from(new Set(cells(by))).sort();
      const titled = known.map((id) => [id, rowTitle(plan, column(by).table, id)]);
      const terms = Array.from(new Set(cells("term"))).sort();
      const which = select("Offers", [
        ["", "of the plan's accelerator"],
        [FRONTIER, "on the frontier"],
        [EVERY, "all"],
        ...titled,
      ]);
      const term = select("Term", [["", "all"], ...terms.map((each) => [each, each])]);
      at.insertBefore(element("div", { class: "narrow" }, which.label, term.label), figure);
      return { which: which.field, term: term.field };
    }

    function select(label, options) {
      const field = element(
        "select",
        {},
        ...options.map(([value, text]) => element("option", { value }, text)),
      );
      field.addEventListener("change", () => found && write());
      return { field, label: element("label", {}, element("span", {}, label), field) };
    }

    /** The rows of the table: the chosen one, and those that are asked for. */
    function wanted(all, best) {
      if (!controls) return all;
      const which = controls.which.value || ofChosen();
      const fits = ({ id, row }) =>
        which === FRONTIER ? best.has(id) : which === EVERY || cells(by)[row] === which;
      return all.filter((each) => each.id === chosen() || fits(each));
    }

    // -------------------------------------------------------------- computing

    /** What the plan gives with each row; a later call ends an earlier one. */
    function compute() {
      if (!near || of === changes) return;
      const mine = (turn += 1);
      const [asked, next] = [changes, []];
      at.setAttribute("aria-busy", "true");
      function slice() {
        if (mine !== turn) return;
        const end = performance.now() + SLICE;
        while (next.length < rows.length && performance.now() < end)
          next.push(resultOf(rows[next.length], next.length));
        if (next.length < rows.length) {
          setTimeout(slice);
          return;
        }
        [found, of] = [next, asked];
        at.removeAttribute("aria-busy");
        write();
      }
      slice();
    }

    function resultOf(id, row) {
      const { scalars, tables } = machine.set(edited(plan, new Map(changes).set(choice, id)));
      return {
        id,
        row,
        figures: figures.map((figure) => scalars[figure]),
        facts: facts.map((fact) => tables[name][fact][row]),
        columns: facts.map((fact) => tables[name][fact]),
      };
    }

    const valueOf = (figure, each) => each.figures[figures.indexOf(figure)].value;
    const possible = (each) =>
      [cost, time].every((figure) => typeof valueOf(figure, each) === "number") &&
      each.figures.every(({ value }) => value !== unfit);

    // -------------------------------------------------------------- the picture

    const kind = ({ id, row }) =>
      by ? rowTitle(plan, column(by).table, cells(by)[row]) : rowTitle(plan, name, id);

    /** Of each accelerator the row that costs least; every row of a plan's own table. */
    function cheapest(able) {
      if (!by) return able;
      const first = new Map();
      for (const each of Array.from(able).sort((a, b) => valueOf(cost, a) - valueOf(cost, b)))
        if (!first.has(kind(each))) first.set(kind(each), each);
      return Array.from(first.values());
    }

    /** Cost against time: what is on the frontier, what is chosen, and of each accelerator the
     *  cheapest row. */
    function drawing(able) {
      const axes = [time, cost];
      const formats = axes.map((each) =>
        formatBy(
          quantity(each).rule ?? {},
          able.map((one) => one.figures[figures.indexOf(each)]),
        ),
      );
      const point = (each, label) => {
        const [x, y] = axes.map((axis, n) =>
          withUnit(
            markOf(each.id, label, each.figures[figures.indexOf(axis)], formats[n]),
            quantity(axis),
          ),
        );
        return { id: each.id, label, x, y };
      };
      const titles = axes.map((axis) => {
        const { title, symbol } = quantity(axis);
        return symbol ? `${title} (${symbol})` : title;
      });
      const alt = "What the plan costs and how long it takes with each that could be chosen.";
      const drawn = (points) =>
        scatters.drawing({ id: picture, title: "Cost against time", alt, points }, titles, formats);
      const best = drawn(able.map((each) => point(each, rowTitle(plan, name, each.id)))).frontier;
      const known = new Map(best.map((each) => [each.id, each]));
      const taken = able.find(({ id }) => id === chosen());
      if (taken && !known.has(taken.id))
        known.set(taken.id, point(taken, "chosen"));
      for (const each of cheapest(able))
        if (!known.has(each.id)) known.set(each.id, point(each, kind(each)));
      return drawn(able.filter(({ id }) => known.has(id)).map(({ id }) => known.get(id)));
    }

    // -------------------------------------------------------------- drawing

    function write() {
      const term = controls?.term.value;
      const able = found.filter(
        (each) => possible(each) && (!term || cells("term")[each.row] === term),
      );
      const drawn = drawing(able);
      figure.querySelector("svg").replaceWith(asElements(scatters.svg(drawn)));
      const best = new Set(drawn.frontier.map(({ id }) => id));
      const all = found.filter(({ row }) => !term || cells("term")[row] === term);
      const own = found.filter(({ id }) => id === chosen() && !all.some((each) => each.id === id));
      fill(wanted([...all, ...own], best).sort(compare), best);
    }

    /** What the rows are ordered by; what has no number comes last. */
    function compare(a, b) {
      const [x, y] = [keyOf(a), keyOf(b)];
      if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
      const apart = typeof x === "number" ? x - y : x < y ? -1 : x > y ? 1 : 0;
      return (order.falling ? -apart : apart) || a.row - b.row;
    }

    function keyOf({ row, figures: shown, facts: own }) {
      if (order.by === "") return rowTitle(plan, name, rows[row]);
      const n = figures.indexOf(order.by);
      const cell = n < 0 ? own[facts.indexOf(order.by)] : shown[n];
      return cell.reason ?? cell.value ?? "";
    }

    function fill(shown, best) {
      const formats = figures.map((each, n) =>
        formatBy(
          quantity(each).rule ?? {},
          shown.map((one) => one.figures[n]),
        ),
      );
      const ofFacts = facts.map((fact, n) =>
        formatBy(column(fact).rule ?? {}, shown[0]?.columns[n] ?? []),
      );
      table.tBodies[0].replaceChildren(
        ...shown.map((each) =>
          element(
            "tr",
            { class: each.id === chosen() && "chosen" },
            element("th", { scope: "row" }, titleOf(each.id), ...signs(each, best)),
            ...each.figures.map((cell, n) => written(cell, quantity(figures[n]), formats[n])),
            ...each.facts.map((cell, n) => written(cell, column(facts[n]), ofFacts[n])),
            element("td", { class: "take" }, each.id === chosen() ? "" : button(each.id)),
          ),
        ),
      );
      headings();
      const told = shown.length === 1 ? "1 row" : `${shown.length} rows`;
      const changed = changes.size ? ", with your changes" : "";
      note.textContent = `${told}${changed}. ${MARKED}`;
    }

    const sign = (text) => element("span", { class: `sign ${text}` }, text);
    const signs = (each, best) => [
      ...(each.id === chosen() ? [sign("chosen")] : []),
      ...(best.has(each.id) ? [sign("frontier")] : []),
    ];

    function titleOf(id) {
      const { page, pages = {} } = plan.shown.tables[name];
      const title = rowTitle(plan, name, id);
      const own = Object.hasOwn(pages, id) ? `../plans/${pages[id]}.html` : undefined;
      const href = page ? `../${name}/${id}.html` : own;
      return href ? element("a", { href }, title) : title;
    }

    function written(cell, { table: referred, ...rest }, format) {
      if (cell.reason !== undefined) return element("td", { class: "reason" }, cell.reason);
      if (typeof cell.value !== "number") {
        if (!referred) return element("td", {}, plain(cell, format));
        const { page } = plan.shown.tables[referred] ?? {};
        const title = rowTitle(plan, referred, cell.value);
        const href = `../${referred}/${cell.value}.html`;
        return element("td", {}, page ? element("a", { href }, title) : title);
      }
      const range = ends(cell, format);
      return element(
        "td",
        { class: "num" },
        element("span", { class: "num" }, plain(cell, format)),
        ...(range ? [" ", element("span", { class: "range" }, range)] : []),
      );
    }

    function button(id) {
      const made = element("button", { type: "button" }, "Take it");
      made.setAttribute("aria-label", `Take ${rowTitle(plan, name, id)}`);
      made.addEventListener("click", () => enter(choice, id));
      return made;
    }

    /** Headings sort; the order is the one by cost until another is asked for. */
    function headings() {
      const names = ["", ...figures, ...facts];
      const line = table.tHead.rows[0];
      if (line.cells.length === names.length) line.append(element("th", { scope: "col" }, "Choose"));
      names.forEach((each, n) => {
        const heading = line.cells[n];
        if (!heading.querySelector("button")) {
          const made = element("button", { type: "button", class: "sort" });
          made.append(...heading.childNodes);
          heading.append(made);
          made.addEventListener("click", () => {
            order = { by: each, falling: order.by === each && !order.falling };
            write();
          });
        }
        if (order.by !== each) heading.removeAttribute("aria-sort");
        else heading.setAttribute("aria-sort", order.falling ? "descending" : "ascending");
      });
    }

    // -------------------------------------------------------------- following

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
  }
})();
