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
  const { element, place, rowTitle } = scalesheet.marks;
  const SLICE = 12; // milliseconds
  const EVERY = "*";

  /** Of pairs of numbers those of which no other is less in both, or in one and alike in the other. */
  const frontier = (all) =>
    new Set(
      all.filter(
        (mine) =>
          !all.some(
            (other) =>
              other.cost <= mine.cost &&
              other.time <= mine.time &&
              (other.cost !== mine.cost || other.time !== mine.time),
          ),
      ),
    );

  const words = (text) => (text ? text.split(" ") : []);

  const host = scalesheet.page;
  const at = host?.content.querySelector(".alternatives[data-choice]");
  if (at) section(host, at);

  /** The part of a plan's page; `host.enter(name, id)` makes a row the choice. */
  function section({ plan, enter, follow, ...page }, at) {
    const { choice, table: name, cost, time, by, unfit } = at.dataset;
    const [facts, figures] = [words(at.dataset.facts), words(at.dataset.figures)];
    const { rows } = plan.inputs.tables[name];
    const table = at.querySelector("table");
    const note = at.querySelector(".note");
    const machine = scalesheet.runtime.machine(plan, plan.inputs);
    const quantity = (figure) => plan.shown.scalars[figure];
    const column = (fact) => plan.shown.tables[name].columns[fact];
    let changes = page.changes();
    let drawn; // the changes and the filters that the table shows
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
      const which = select("Accelerator", [["", "that of the plan"], [EVERY, "all"], ...titled]);
      const term = select("Term", [["", "all"], ...terms.map((each) => [each, each])]);
      const best = element("input", { type: "checkbox" });
      best.addEventListener("change", draw);
      at.insertBefore(
        element(
          "div",
          { class: "narrow" },
          which.label,
          term.label,
          element("label", { class: "tick" }, best, element("span", {}, "frontier only")),
        ),
        at.querySelector(".scroll"),
      );
      return { which: which.field, term: term.field, best };
    }

    function select(label, options) {
      const field = element(
        "select",
        {},
        ...options.map(([value, text]) => element("option", { value }, text)),
      );
      field.addEventListener("change", draw);
      return { field, label: element("label", {}, element("span", {}, label), field) };
    }

    /** The rows that are asked for, and the chosen one. */
    function wanted() {
      if (!controls) return rows;
      const [which, term] = [controls.which.value || ofChosen(), controls.term.value];
      const fits = (id, n) =>
        (which === EVERY || cells(by)[n] === which) && (!term || cells("term")[n] === term);
      return rows.filter((id, n) => id === chosen() || fits(id, n));
    }

    // -------------------------------------------------------------- computing

    /** What the plan gives with each row; a later call ends an earlier one. */
    function compute(ids, done) {
      const mine = (turn += 1);
      const found = [];
      function slice() {
        if (mine !== turn) return;
        const end = performance.now() + SLICE;
        while (found.length < ids.length && performance.now() < end) {
          found.push(resultOf(ids[found.length]));
        }
        if (found.length < ids.length) setTimeout(slice);
        else done(found);
      }
      slice();
    }

    const possible = ({ cost, time, figures }) =>
      cost !== undefined && time !== undefined && figures.every(({ value }) => value !== unfit);

    function resultOf(id) {
      const { scalars, tables } = machine.set(edited(plan, new Map(changes).set(choice, id)));
      const row = rows.indexOf(id);
      const amount = (figure) => {
        const { value } = scalars[figure];
        return typeof value === "number" ? value : undefined;
      };
      return {
        id,
        row,
        figures: figures.map((figure) => scalars[figure]),
        facts: facts.map((fact) => tables[name][fact][row]),
        columns: facts.map((fact) => tables[name][fact]),
        cost: amount(cost),
        time: amount(time),
      };
    }

    // -------------------------------------------------------------- drawing

    function draw() {
      if (!near) return;
      const ids = wanted();
      drawn = changes;
      at.setAttribute("aria-busy", "true");
      compute(ids, (found) => {
        const best = frontier(found.filter(possible));
        const only = controls?.best.checked;
        const shown = only ? found.filter((each) => best.has(each) || each.id === chosen()) : found;
        write(shown.sort(compare), best);
        at.removeAttribute("aria-busy");
      });
    }

    /** What the rows are ordered by; what has no number comes last. */
    function compare(a, b) {
      const [x, y] = [keyOf(a), keyOf(b)];
      if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
      const apart = typeof x === "number" ? x - y : x < y ? -1 : x > y ? 1 : 0;
      return (order.falling ? -apart : apart) || a.row - b.row;
    }

    function keyOf({ row, figures: of, facts: own }) {
      if (order.by === "") return rowTitle(plan, name, rows[row]);
      const at = figures.indexOf(order.by);
      const cell = at < 0 ? own[facts.indexOf(order.by)] : of[at];
      return cell.reason ?? cell.value ?? "";
    }

    function write(shown, best) {
      const formats = figures.map((figure, n) =>
        formatBy(
          quantity(figure).rule ?? {},
          shown.map((each) => each.figures[n]),
        ),
      );
      const ofFacts = facts.map((fact, n) =>
        formatBy(
          column(fact).rule ?? {},
          shown[0]?.columns[n] ?? [],
        ),
      );
      table.tBodies[0].replaceChildren(
        ...shown.map((each) =>
          element(
            "tr",
            { class: each.id === chosen() && "chosen" },
            element("th", { scope: "row" }, titleOf(each.id), ...signs(each, best)),
            ...each.facts.map((cell, n) => written(cell, column(facts[n]), ofFacts[n])),
            ...each.figures.map((cell, n) => written(cell, quantity(figures[n]), formats[n])),
            element("td", { class: "take" }, each.id === chosen() ? "" : button(each.id)),
          ),
        ),
      );
      headings();
      writeNote(shown.length);
    }

    const sign = (text) => element("span", { class: `sign ${text}` }, text);
    const signs = (each, best) => [
      ...(each.id === chosen() ? [sign("chosen")] : []),
      ...(best.has(each) ? [sign("frontier")] : []),
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
      const names = ["", ...facts, ...figures];
      const line = table.tHead.rows[0];
      if (line.cells.length === names.length) line.append(element("th", { scope: "col" }, ""));
      names.forEach((each, n) => {
        const heading = line.cells[n];
        if (!heading.querySelector("button")) {
          const made = element("button", { type: "button", class: "sort" });
          made.append(...heading.childNodes);
          heading.append(made);
          made.addEventListener("click", () => {
            order = { by: each, falling: order.by === each && !order.falling };
            draw();
          });
        }
        if (order.by !== each) heading.removeAttribute("aria-sort");
        else heading.setAttribute("aria-sort", order.falling ? "descending" : "ascending");
      });
    }

    function writeNote(count) {
      const told = count === 1 ? "1 row" : `${count} rows`;
      const changed = changes.size ? ", with your changes" : "";
      note.textContent = `${told}${changed}. Marked “frontier”: of those that fit no other is both cheaper and faster.`;
    }

    // -------------------------------------------------------------- following

    new IntersectionObserver(
      ([{ isIntersecting }]) => {
        near = isIntersecting;
        if (near && drawn !== changes) draw();
      },
      { rootMargin: "60%" },
    ).observe(at);

    follow(at, (next) => {
      if (next === changes && drawn === changes) return;
      changes = next;
      draw();
    });
  }
})();
