/* The page that holds accelerators side by side: which ones, in the address, and their table.
 *
 * What is shown is `scalesheet.accelerators`, texts and numbers of the catalogue; nothing is computed
 * here but which number is the best and its ratio to the first. The table is drawn as
 * compare_accelerators.py draws it.
 */
"use strict";

(() => {
  const at = document.querySelector("#accelerators[data-chosen]");
  const { accelerators: all, runtime, numbers } = scalesheet;
  const table = document.querySelector("table.compared");
  if (!at || !all || !table) return;
  const { element } = scalesheet.marks;
  const { figures, rows, least, most } = all;
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

  // ---------------------------------------------------------------- the table

  /** Where the best number stands; nowhere if all that have one are equal. */
  function bestOf({ best }, values) {
    const known = new Set(values.filter((value) => value !== undefined));
    if (!best || known.size < least) return () => false;
    const wanted = best === "most" ? runtime.max(...known) : runtime.min(...known);
    return (value) => value === wanted;
  }

  function ratioOf(value, first) {
    const ratio = runtime.divide(value, first);
    return `${numbers.number(ratio, numbers.formatBy({ digits: 3 }, [{ value: ratio }]))} ×`;
  }

  /** The number of a cell, which is one, `[number, page, what it is of]`, a text, or a reason. */
  function numberOf(cell) {
    const value = Array.isArray(cell) ? cell[0] : cell;
    return typeof value === "number" ? value : undefined;
  }

  const said = (cell) => cell !== "" && cell.reason === undefined;

  function row(figure, cells) {
    const values = cells.map(numberOf);
    const isBest = bestOf(figure, values);
    const heading = element("th", { scope: "row" });
    heading.append(figure.page ? element("a", { href: figure.page }, figure.title) : figure.title);
    if (figure.symbol) heading.append(" ", element("span", { class: "unit" }, figure.symbol));
    if (figure.note) heading.append(element("span", { class: "note" }, figure.note));
    const known = values.filter((value) => value !== undefined).map((value) => ({ value }));
    const format = numbers.formatBy(figure.rule ?? {}, known);
    const made = cells.map((cell, n) => {
      const value = values[n];
      if (value === undefined)
        return element("td", { class: cell.reason && "reason" }, cell.reason ?? cell);
      const text = numbers.number(value, format);
      const [, page, told] = Array.isArray(cell) ? cell : [];
      const td = element("td", { class: "num" }, element("span", { class: "num" }, text));
      if (isBest(value)) td.append(element("span", { class: "best" }, "best"));
      if (n && values[0]) {
        td.append(element("span", { class: "ratio" }, ratioOf(value, values[0])));
      }
      if (told) td.append(element("a", { class: "of-offer", href: page }, told));
      return td;
    });
    return element("tr", {}, heading, ...made);
  }

  function write() {
    const columns = chosen.map((id) => rows[id]);
    table.tHead.rows[0].replaceChildren(
      element("th", { scope: "col" }, "Figure"),
      ...chosen.map((id) =>
        element(
          "th",
          { scope: "col", class: "num" },
          element("a", { href: `../hardware/${id}.html` }, rows[id].title),
        ),
      ),
    );
    table.tBodies[0].replaceChildren(
      ...figures
        .map((figure, n) => [figure, columns.map(({ cells }) => cells[n])])
        .filter(([, cells]) => cells.some(said))
        .map(([figure, cells]) => row(figure, cells)),
    );
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

  function button(name, text, act, disabled) {
    const made = element("button", { type: "button", "aria-label": name, title: name, disabled }, text);
    made.addEventListener("click", act);
    return made;
  }

  function listed(id, n) {
    const { title } = rows[id];
    const others = chosen.filter((each) => each !== id);
    return element(
      "li",
      {},
      element("span", {}, title),
      n ? button(`Compare with ${title}`, "1st", () => go([id, ...others])) : "",
      button(`Remove ${title}`, "×", () => go(others), chosen.length === least),
    );
  }

  function go(next) {
    chosen = next;
    tell([]);
    write();
    const address = new URL(location.href);
    address.search = `?of=${chosen.map(encodeURIComponent).join(",")}`;
    if (address.href !== location.href) history.pushState(null, "", address);
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
