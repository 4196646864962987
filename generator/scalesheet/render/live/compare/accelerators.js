/* Accelerators side by side: their table, and on the page the selection, which is in the address.
 *
 * The data are in `scalesheet.accelerators`, texts and numbers of the catalogue; this only computes
 * which number is best and its ratio to the first.
 */
"use strict";

/** A table of figures by the accelerators with these ids. */
scalesheet.accelerators.table = (() => {
  const { accelerators: all, numbers, runtime } = scalesheet;
  const { span, link, head, cell, times, table } = scalesheet.tables;

  /** Whether it is the best number; none is if all existing ones are equal. */
  function bestOf({ best }, values) {
    const known = new Set(values.filter((value) => value !== undefined));
    if (!best || known.size < all.least) return () => false;
    const wanted = best === "most" ? runtime.max(...known) : runtime.min(...known);
    return (value) => value === wanted;
  }

  /** The number of a cell, which is a number, {value, page, told}, a text, or {reason}. */
  const numberOf = (given) => (typeof given === "number" ? given : given.value);
  const said = (given) => given !== "" && given.reason === undefined;

  function row(figure, cells) {
    const { title, symbol, page, note, rule = {} } = figure;
    const values = cells.map(numberOf);
    const isBest = bestOf(figure, values);
    const known = values.filter((value) => value !== undefined).map((value) => ({ value }));
    const format = numbers.formatBy(rule, known);
    const heading = [link(page, title)];
    if (symbol) heading.push(" ", span("unit", symbol));
    if (note) heading.push(span("note", note));
    const made = cells.map((given, n) => {
      const value = values[n];
      if (value === undefined) return cell(undefined, {}, given.reason ? given : { value: given });
      const td = cell(undefined, {}, { value, low: value, high: value }, format);
      if (isBest(value)) td.push(span("best", "best"));
      if (n && values[0]) td.push(span("ratio", times(runtime.divide(value, values[0]))));
      if (given.told) td.push(["a", { class: "of-offer", href: given.page }, given.told]);
      return td;
    });
    return ["tr", {}, ["th", { scope: "row" }, ...heading], ...made];
  }

  return (ids) => {
    const columns = ids.map((id) => all.rows[id]);
    const titles = ids.map((id, n) => [
      "th",
      { scope: "col", class: "num" },
      link(`../hardware/${id}.html`, columns[n].title),
    ]);
    const rows = all.figures
      .map((figure, n) => [figure, columns.map(({ cells }) => cells[n])])
      .filter(([, cells]) => cells.some(said));
    return table("compared", [head("Figure"), ...titles], rows.map((each) => row(...each)));
  };
})();

if (globalThis.document) (() => {
  const { accelerators: all } = scalesheet;
  const at = document.querySelector("#accelerators[data-chosen]");
  let table = document.querySelector("table.compared");
  if (!at || !table) return;
  const { element, drawn } = scalesheet.marks;
  const { chooser } = scalesheet.fields;
  const { rows, least, most } = all;
  const ids = Object.keys(rows);
  const usual = at.dataset.chosen.split(",");
  let chosen = usual;

  // ---------------------------------------------------------------- selection

  /** The ids in an address, and in words what of it is impossible. */
  function fromAddress(search) {
    const asked = new URLSearchParams(search).get("of");
    if (asked === null) return { of: usual, faults: [] };
    const of = [];
    const faults = [];
    for (const name of asked.split(",").map((each) => each.trim())) {
      if (name === "" || of.includes(name)) continue;
      if (!ids.includes(name)) faults.push(`There is no accelerator “${name}” here.`);
      else if (of.length === most) faults.push(`No more than ${most} fit side by side.`);
      else of.push(name);
    }
    if (of.length < least) {
      if (!faults.length) faults.push(`Choose at least ${least} accelerators.`);
      of.push(...usual.filter((id) => !of.includes(id)).slice(0, least - of.length));
    }
    return { of, faults: Array.from(new Set(faults)) };
  }

  function write() {
    const next = drawn(all.table(chosen));
    table.replaceWith(next);
    table = next;
    choosing.show(chosen);
  }

  // ---------------------------------------------------------------- choosing

  const message = element("p", { role: "alert", class: "bad", hidden: true });
  const names = new Map(ids.map((id) => [id, [rows[id].title, ...(rows[id].names ?? [])]]));
  const choosing = chooser(names, { go, tell: (text) => tell(text ? [text] : []), least, most, first: true });
  at.append(choosing.shown, choosing.add, message);
  at.classList.add("live");

  function tell(texts) {
    message.hidden = texts.length === 0;
    message.textContent = texts.join(" ");
  }

  function go(next) {
    chosen = next;
    tell([]);
    write();
    scalesheet.inputs.goTo(`?of=${chosen.map(encodeURIComponent).join(",")}`);
  }

  function read() {
    const { of, faults } = fromAddress(location.search);
    chosen = of;
    tell(faults);
    write();
  }

  addEventListener("popstate", read);
  read();
})();
