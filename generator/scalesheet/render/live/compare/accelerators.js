/* Accelerators side by side: their table, and on the page which ones, in the address.
 *
 * What is shown is `scalesheet.accelerators`, texts and numbers of the catalogue; nothing is computed
 * here but which number is the best and its ratio to the first.
 */
"use strict";

/** The figures in rows, the accelerators of these ids in columns. */
scalesheet.accelerators.table = (() => {
  const { accelerators: all, numbers, runtime } = scalesheet;
  const { span, link, head, cell, times, table } = scalesheet.tables;

  /** Whether it is the best number; none is if all that have one are equal. */
  function bestOf({ best }, values) {
    const known = new Set(values.filter((value) => value !== undefined));
    if (!best || known.size < all.least) return () => false;
    const wanted = best === "most" ? runtime.max(...known) : runtime.min(...known);
    return (value) => value === wanted;
  }

  /** The number of a cell, which is one, {value, page, told}, a text, or {reason}. */
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
  const { button } = scalesheet.fields;
  const { rows, least, most } = all;
  const ids = Object.keys(rows);
  const usual = at.dataset.chosen.split(",");
  let chosen = usual;

  // ---------------------------------------------------------------- which ones

  /** The ids that an address asks for, and in words what of it is not possible. */
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
      if (!faults.length) faults.push(`At least ${least} accelerators are compared.`);
      of.push(...usual.filter((id) => !of.includes(id)).slice(0, least - of.length));
    }
    return { of, faults: Array.from(new Set(faults)) };
  }

  const flat = (text) => text.toLowerCase().replace(/[\s_-]+/g, " ").trim();

  /** The accelerator that people mean by a text: its id, title or other name, else the one whose
   *  name holds it. */
  function meant(text) {
    const said = flat(text);
    const names = (id) => [id, rows[id].title, ...(rows[id].names ?? [])].map(flat);
    const exact = ids.find((id) => names(id).includes(said));
    if (exact || said === "") return exact;
    const holding = ids.filter((id) => names(id).some((name) => name.includes(said)));
    return holding.sort((a, b) => rows[a].title.length - rows[b].title.length)[0];
  }

  function write() {
    const next = drawn(all.table(chosen));
    table.replaceWith(next);
    table = next;
    list.replaceChildren(...chosen.map(listed));
    field.disabled = chosen.length === most;
  }

  // ---------------------------------------------------------------- choosing

  const list = element("ul", { class: "chosen" });
  const message = element("p", { role: "alert", class: "bad", hidden: true });
  const field = element("input", {
    id: "add-accelerator",
    type: "text",
    list: "all-accelerators",
    autocomplete: "off",
    spellcheck: "false",
  });
  const label = element("label", { for: "add-accelerator" }, "Add an accelerator");
  const options = element(
    "datalist",
    { id: "all-accelerators" },
    ...ids.map((id) => element("option", { value: rows[id].title })),
  );
  at.append(list, element("p", { class: "add" }, label, field, options), message);
  at.classList.add("live");

  function tell(texts) {
    message.hidden = texts.length === 0;
    message.textContent = texts.join(" ");
  }

  function listed(id, n) {
    const { title } = rows[id];
    const others = chosen.filter((each) => each !== id);
    const named = (name) => ({ "aria-label": name, title: name });
    const first = () => go([id, ...others]);
    const away = { ...named(`Remove ${title}`), disabled: chosen.length === least };
    return element(
      "li",
      {},
      element("span", {}, title),
      n ? button("1st", first, named(`Compare with ${title}`)) : "",
      button("×", () => go(others), away),
    );
  }

  function go(next) {
    chosen = next;
    tell([]);
    write();
    scalesheet.inputs.goTo(`?of=${chosen.map(encodeURIComponent).join(",")}`);
  }

  field.addEventListener("change", () => {
    const text = field.value;
    const id = meant(text);
    field.value = "";
    if (id === undefined) tell(text.trim() ? [`There is no accelerator “${text}” here.`] : []);
    else if (chosen.includes(id)) tell([`${rows[id].title} is there already.`]);
    else go([...chosen, id]);
  });

  function read() {
    const { of, faults } = fromAddress(location.search);
    chosen = of;
    tell(faults);
    write();
  }

  addEventListener("popstate", read);
  read();
})();
