/* The figures of a page: each mark names a quantity, which is written as on the published page.
 *
 * `data-of` is a scalar's name, `table/row/column`, or `table/@key/column` for the row that another
 * quantity selects; `data-as` is what to print, `data-within` a fixed scenario. Content is written
 * as elements and text, never as markup.
 */
"use strict";

scalesheet.marks = (() => {
  const { formatBy, plain, ends, counted } = scalesheet.numbers;
  const NBSP = "\u00a0";
  const LONG = 9;
  const MOST_ROWS = 5; // messages of a check to show
  const NAMESPACES = {
    svg: "http://www.w3.org/2000/svg",
    math: "http://www.w3.org/1998/Math/MathML",
  };

  // ---------------------------------------------------------------- the quantity of a mark

  /** {name} for a scalar, {table, column} plus {row, id} or {key} for a cell; each with its
   *  quantity. */
  function place(plan, of) {
    const parts = of.split("/");
    if (parts.length === 1) return { name: of, quantity: plan.shown.scalars[of] };
    const [table, column, row] = [parts[0], parts[parts.length - 1], parts.slice(1, -1).join("/")];
    const quantity = plan.shown.tables[table].columns[column];
    if (row === "*") return { table, column, quantity };
    if (row.startsWith("@")) return { table, column, quantity, key: place(plan, row.slice(1)) };
    return { table, column, quantity, row: plan.inputs.tables[table].rows.indexOf(row), id: row };
  }

  const formats = new WeakMap(); // by cells and columns, which are new objects when they change

  function formatIn(cells, rule) {
    if (!formats.has(cells)) formats.set(cells, formatBy(rule, Array.isArray(cells) ? cells : [cells]));
    return formats.get(cells);
  }

  /** Results with what a page needs: a cell, and the common format of each quantity, which
   *  scalars share with the results beside them. */
  function view(plan, results, beside = [results]) {
    const formats = new Map();

    function rowOf({ table, row, key }) {
      return key ? plan.inputs.tables[table].rows.indexOf(cell(key).value) : row;
    }

    function cell(at) {
      if (at.table === undefined) return explained(results.scalars[at.name]);
      return explained(results.tables[at.table][at.column][rowOf(at)] ?? cell(at.key));
    }

    /** A cell; if others have no value, with the reason of the first of these, as in missing.py. */
    function explained(of) {
      const [, table, column] = /^a row has no value: (.+)\.(.+)$/.exec(of.reason ?? "") ?? [];
      const without = results.tables[table]?.[column].flatMap((each, n) => (each.reason ? [[each, n]] : []));
      if (!without?.length) return of;
      const [[first, row], ...others] = without;
      const behind = explained(first);
      if (behind !== first) return behind;
      const more = others.length ? `, and ${counted(others.length, "more row")}` : "";
      return { reason: `${rowTitle(plan, table, plan.inputs.tables[table].rows[row])}: ${first.reason}${more}` };
    }

    function format(at) {
      const name = at.table === undefined ? at.name : `${at.table}/${at.column}`;
      if (!formats.has(name)) formats.set(name, formatOf(at));
      return formats.get(name);
    }

    function formatOf({ table, column, name, quantity }) {
      const rule = quantity.rule ?? {};
      if (table !== undefined) return formatIn(results.tables[table][column], rule);
      const cells = beside.map((each) => each.scalars[name]);
      return cells.length > 1 ? formatBy(rule, cells) : formatIn(cells[0], rule);
    }

    return { results, cell, format };
  }

  /** The id of the row that a lookup or a reference finds, with the row's title. */
  function rowTitle(plan, table, id) {
    const { rows, titles } = plan.inputs.tables[table] ?? plan.shown.tables[table] ?? { rows: [] };
    return titles?.[rows.indexOf(id)] ?? id;
  }

  // ---------------------------------------------------------------- elements

  const element = (tag, attributes = {}, ...content) =>
    filled(document.createElement(tag), attributes, content);

  function filled(made, attributes, content) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined && value !== null && value !== false) {
        made.setAttribute(name, value === true ? "" : value);
      }
    }
    made.append(...content);
    return made;
  }

  const spanOf = (kind, text) => element("span", { class: kind }, text);

  /** A drawing, [tag, attributes, ...content], as elements; `html.py` prints the same. */
  function drawn([tag, attributes, ...content], around = "http://www.w3.org/1999/xhtml") {
    const namespace = NAMESPACES[tag] ?? around;
    const within = content.map((each) => (Array.isArray(each) ? drawn(each, namespace) : each));
    return filled(document.createElementNS(namespace, tag), attributes, within);
  }

  // ---------------------------------------------------------------- what is printed

  const symbolOf = (at) => at.quantity.symbol ?? "";
  /** The unit beside a number: in the singular after 1. `unit_of` in units.py does the same. */
  const unitOf = (shown, symbol) => (shown === "1" ? symbol.replace(/^([A-Za-z]{3,})s(?=\/|$)/, "$1") : symbol);

  /** The parts of a value: {reason}, {word}, or {number, unit, range}. */
  function parts(at, cell, format) {
    if (cell.reason !== undefined) return { reason: cell.reason };
    if (typeof cell.value !== "number") return { word: plain(cell, format) };
    const shown = plain(cell, format);
    return { number: shown, unit: unitOf(shown, symbolOf(at)), range: ends(cell, format) };
  }

  const only = ({ reason, word, number: shown, unit, range }, units, ranges) => ({
    reason,
    word,
    number: shown,
    unit: units ? unit : "",
    range: ranges ? range : "",
  });

  const withUnit = (range, unit) => (range ? `${range} ${unit}`.trim() : "");

  /** How each kind of mark prints a cell: data to compare and to pass to the writer. */
  const PRINTED = {
    cell: (at, cell, format) => only(parts(at, cell, format), false, true),
    figure: (at, ...of) => only((at.quantity.table ? PRINTED.row : parts)(at, ...of), true, false),
    amount: (at, cell, format) => only(parts(at, cell, format), true, true),
    value: (at, cell, format) => only(parts(at, cell, format), false, false),
    range: (at, cell, format) => ({ text: ends(cell, format) }),
    ends: (at, cell, format) => ({ text: withUnit(ends(cell, format), symbolOf(at)) }),
    bracket: (at, cell, format) => ({ text: ends(cell, format) && ` (${ends(cell, format)})` }),
    word: (at, cell, format) =>
      only({ ...parts(at, cell, format), word: plain(cell, format).replaceAll("_", " ") }),
    text: (at, cell, format) => ({ text: plain(cell, format) }),
    row: (at, cell, format, plan) =>
      cell.reason !== undefined
        ? { reason: cell.reason }
        : { row: cell.value, word: rowTitle(plan, at.quantity.table, cell.value) },
    check: (at, cell) => ({
      word: cell.value === true ? "yes" : (cell.reason ?? "no"),
      holds: cell.value === true,
    }),
    breach: (at, cell) => ({ holds: cell.value === true }),
    broken: (at, cell, format, plan, { results }) => ({
      text: broken(plan, results, at.name),
    }),
    count: (at, cell, format, plan, { results }) => ({
      text: found(results.tables[at.table][at.column]),
    }),
  };

  /** ` Stage one, Stage two`: the rows that fail a row check. */
  function broken(plan, results, check) {
    const table = plan.shown.rowChecks[check];
    const holds = results.tables[table][check.replaceAll(".", "_")];
    const { titles } = plan.inputs.tables[table];
    const said = results.tables[table][`otherwise_${check.replaceAll(".", "_")}`];
    if (said) {
      const wrong = titles
        .map((title, n) => `${title}: ${said[n].reason ?? said[n].value}`)
        .filter((text, n) => holds[n].value === false);
      const more = wrong.length - MOST_ROWS;
      return [...wrong.slice(0, MOST_ROWS), ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
    }
    const rows = titles.filter((title, n) => holds[n].value === false);
    return rows.length ? ` ${rows.join(", ")}` : "";
  }

  /** `3 of 4 rows`, if some have no number. */
  function found(cells) {
    const known = cells.filter(({ reason }) => reason === undefined).length;
    return known < cells.length ? `${known} of ${cells.length} rows` : "";
  }

  /** A mark's content in words, to say what it was before. */
  function inWords({ text, reason, word, number: shown, unit, range }) {
    if (text !== undefined) return text.trim();
    return reason ?? word ?? [shown, unit, range && `(${range})`].filter(Boolean).join(" ");
  }

  // ---------------------------------------------------------------- how it is written

  function writeAmount(target, { reason, word, number: shown, unit, range }) {
    const cell = target.tagName === "TD";
    if (cell) {
      target.classList.toggle("num", shown !== undefined);
      target.classList.toggle("reason", reason !== undefined);
    }
    if (target.classList.contains("value")) {
      target.classList.toggle("long", Array.from(reason ?? word ?? shown).length > LONG);
    }
    if (reason !== undefined)
      return target.replaceChildren(cell ? reason : spanOf("reason", reason));
    if (word !== undefined) return target.replaceChildren(word);
    if (rewritten(target, shown, unit, range)) return undefined;
    const content = [target.tagName === "SPAN" ? shown : spanOf("num", shown)];
    if (unit) content.push(target.classList.contains("value") ? " " : NBSP, spanOf("unit", unit));
    if (range) content.push(" ", spanOf("range", range));
    return target.replaceChildren(...content);
  }

  /** Replace a number and its range, which is cheaper than creating elements. */
  function rewritten(target, shown, unit, range) {
    const [first, ...rest] = target.children;
    const last = range ? rest.pop() : undefined;
    const fits =
      first?.className === "num" &&
      rest.length === (unit ? 1 : 0) &&
      rest.every((e) => e.className === "unit");
    if (!fits || (range && last?.className !== "range")) return false;
    first.firstChild.data = shown;
    if (unit) rest[0].firstChild.data = unit;
    if (range) last.firstChild.data = range;
    return true;
  }

  /** A number whose range is in the next cell, or which spans both if it is not a number. */
  function writeValue(target, printed) {
    writeAmount(target, printed);
    const beside = target.nextElementSibling;
    if (beside?.dataset.as !== "range" || beside.dataset.of !== target.dataset.of) return;
    target.colSpan = printed.number === undefined ? 2 : 1;
    beside.hidden = printed.number === undefined;
  }

  function writeRow(target, { reason, row, word }, plan, { quantity }) {
    if (reason !== undefined) return writeAmount(target, { reason });
    // a click here unfolds a formula, so it must not be a link
    const href = target.closest("summary") ? undefined : rowPage(plan, quantity.table, row);
    return target.replaceChildren(href ? element("a", { href }, word) : word);
  }

  /** The page about a row of the catalogue or of the plan. */
  function rowPage(plan, table, row) {
    const { page, pages = {} } = plan.shown.tables[table] ?? {};
    if (page) return `../${table}/${row}.html`;
    return Object.hasOwn(pages, row) ? `../plans/${pages[row]}.html` : undefined;
  }

  function writeCheck(target, { word, holds }) {
    target.className = `verdict ${holds ? "reproduced" : "contradicted"}`;
    target.replaceChildren(word);
  }

  function writeBreach(target, { holds }) {
    target.hidden = holds;
  }

  function writeText(target, { text }) {
    target.textContent = text;
  }

  const WRITERS = {
    cell: writeAmount,
    figure: writeAmount,
    amount: writeAmount,
    value: writeValue,
    word: writeAmount,
    range: writeText,
    ends: writeText,
    bracket: writeText,
    text: writeText,
    broken: writeText,
    count: writeText,
    row: writeRow,
    check: writeCheck,
    breach: writeBreach,
  };

  // ---------------------------------------------------------------- marks

  /** What an element prints: usually, a cell of a table is a `cell`, anything else an `amount`. */
  const asOf = ({ dataset, tagName }) => dataset.as ?? (tagName === "TD" ? "cell" : "amount");

  /** A mark of the page; undefined if it names something that this plan lacks. */
  function mark(plan, target) {
    const { of, within } = target.dataset;
    const as = asOf(target);
    const at = place(plan, of);
    if (at.table !== undefined && !plan.inputs.tables[at.table]) return undefined;
    return { target, at, as, within, folds: folds(target) };
  }

  /** The folded parts of the page that contain a target, except lines that are always visible. */
  function folds(target) {
    const found = [];
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      if (!fold.querySelector(":scope > summary")?.contains(target)) found.push(fold);
    }
    return found;
  }

  const OF_MANY = new Set(["broken", "count"]); // depends on more than its own cell
  const UNTITLED = new Set(["breach"]); // has no text of its own

  const inSight = ({ folds: around }) => around.every((fold) => fold.open);

  /** Write what a mark prints now, and whether that differs from the published value. */
  function update(plan, marked, published, now) {
    const { at, as, target } = marked;
    const cellIn = (from) =>
      at.table !== undefined && at.row === undefined && !at.key ? {} : from.cell(at);
    const print = (from) =>
      PRINTED[as](at, cellIn(from), from.format(at), plan, from);
    const [cell, format] = [cellIn(now), now.format(at)];
    if (!OF_MANY.has(as) && cell === marked.cell && format === marked.format) return;
    Object.assign(marked, { cell, format });
    marked.before ??= print(published);
    marked.first ??= JSON.stringify(marked.before);
    const printed = now === published ? marked.before : print(now);
    const key = now === published ? marked.first : JSON.stringify(printed);
    if (key === (marked.last ?? marked.first)) return;
    marked.last = key;
    WRITERS[as](target, printed, plan, at);
    if (target.tagName === "A" && at.key && plan.shown.tables[at.table].page) {
      target.setAttribute("href", `../${at.table}/${now.cell(at.key).value}.html#figures`);
    }
    const changed = key !== marked.first;
    target.classList.toggle("changed", changed);
    const was = `published: ${inWords(marked.before) || "nothing"}`;
    if (changed && !UNTITLED.has(as)) target.title = was;
    else target.removeAttribute("title");
    if (!target.matches(".figure > .value")) return;
    target.parentElement.querySelector(".was")?.remove();
    if (changed)
      (target.parentElement.querySelector(".range") ?? target).after(
        element("p", { class: "was" }, was),
      );
  }

  return Object.freeze({ place, view, asOf, mark, update, inSight, element, drawn, rowTitle, rowPage, parts, unitOf });
})();
