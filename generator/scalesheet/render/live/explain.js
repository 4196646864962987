/* The explanation of a figure, shown beside it: its current value, range and kind, the formula with
 * its numbers, its dependencies, source and place in the data.
 *
 * This page or another page of the plan has all of it; this collects what is there on one figure,
 * with the current numbers, where the reader asked.
 */
"use strict";

scalesheet.explain = (() => {
  const { element, place, mark, update, rowTitle } = scalesheet.marks;
  const EDGE = 12; // pixels between the panel and the edge of the window

  // ---------------------------------------------------------------- where the page has it

  const byId = (id) => document.getElementById(id);

  /** The fold with the formula of a figure; for a column, that of the row. */
  function foldOf({ table, column, name, id }) {
    if (table === undefined) return byId(`f.${name}`)?.closest("details");
    const own = byId(`f.${table}:${column}:${id}`) ?? withRow(table, column, id);
    return (own ?? byId(`f.${table}:${column}`))?.closest("details");
  }

  function withRow(table, column, id) {
    const several = document.querySelectorAll(
      `[data-rows][id^="${CSS.escape(`f.${table}:${column}:`)}"]`,
    );
    return Array.from(several).find(({ dataset }) => dataset.rows.split(" ").includes(id));
  }

  /** The line with the source of an input. */
  function lineOf({ table, name }, of) {
    if (table === undefined) return byId(`i.${name}`);
    return document.querySelector(`table.records [data-of="${CSS.escape(of)}"]`)?.closest("tr");
  }

  // ---------------------------------------------------------------- copies

  /** A copy of a part of the page, without hidden elements and ids. */
  function copied(part) {
    if (!part) return undefined;
    const copy = part.cloneNode(true);
    for (const each of copy.querySelectorAll("[hidden], .field button")) each.remove();
    for (const each of [copy, ...copy.querySelectorAll("[id]")]) each.removeAttribute("id");
    return copy;
  }

  /** Replace the example row of a formula by another row. */
  function ofRow(copy, table, from, to) {
    if (from === undefined || from === to) return;
    for (const each of copy.querySelectorAll("[data-own]")) {
      const { of } = each.dataset;
      for (const sign of ["", "@"])
        if (of.includes(`${sign}${table}/${from}/`))
          each.dataset.of = of.replace(`${sign}${table}/${from}/`, `${sign}${table}/${to}/`);
    }
  }

  // ---------------------------------------------------------------- the panel

  /** Show explanations for figures in `content`. `host.now()` and `host.published` are the plan
   *  as marks read it, `host.address(key, part)` links to a part of the page with a figure. */
  function attach(plan, content, host) {
    const body = element("div", { class: "body" });
    const close = element("button", { type: "button", class: "close", "aria-label": "Close" }, "×");
    const panel = element("div", {
      class: "told",
      popover: "auto",
      role: "dialog",
      "aria-label": "What this figure depends on",
      tabindex: "-1",
    });
    panel.append(close, body);
    content.append(panel);
    if (!panel.showPopover) return;
    let from; // the figure to explain
    close.addEventListener("click", () => panel.hidePopover());
    panel.addEventListener("toggle", ({ newState }) => {
      if (newState === "closed") from?.isConnected && from.focus({ preventScroll: true });
    });

    function write(target) {
      const made = mark(plan, target);
      if (!made) return;
      made.last = ""; // the previous content was for another row or an earlier state
      update(plan, made, host.published, host.now());
      target.classList.remove("changed");
      if (made.last !== made.first) target.classList.add("changed");
    }

    function figure(of, as) {
      const made = element("span", { "data-of": of, "data-as": as });
      write(made);
      return made;
    }

    function open(of, target) {
      const at = place(plan, of);
      if (!at?.quantity) return false;
      body.replaceChildren(...told(at, of));
      panel.setAttribute("aria-label", `What this figure depends on: ${titleOf(at)}`);
      if (target && !panel.contains(target)) from = target;
      if (!panel.matches(":popover-open")) panel.showPopover();
      put(from);
      panel.focus({ preventScroll: true });
      return true;
    }

    /** Place it beside the figure, within the window; on a phone, the style puts it at the
     *  bottom. */
    function put(beside) {
      const { left, top, bottom } = beside.getBoundingClientRect();
      const { offsetWidth: width, offsetHeight: height } = panel;
      const below = bottom + 6 + height + EDGE <= innerHeight || top - 6 - height < EDGE;
      const y = below ? Math.min(bottom + 6, innerHeight - height - EDGE) : top - 6 - height;
      panel.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`;
      panel.style.top = `${Math.max(EDGE, y)}px`;
    }

    // -------------------------------------------------------------- content

    function titleOf({ table, quantity, id, key }) {
      if (table === undefined) return quantity.title;
      const row = id ?? host.now().cell(key).value;
      return `${quantity.title}, ${rowTitle(plan, table, row)}`;
    }

    function* told(at, of) {
      const { table, key, id, quantity } = at;
      if (table !== undefined && plan.shown.tables[table].title)
        yield element("p", { class: "label" }, plan.shown.tables[table].title);
      yield element("p", { class: "title" }, titleOf(at));
      const as = quantity.kind === "reference" ? "row" : "amount";
      const value = element("p", { class: "value", "data-of": of, "data-as": as });
      write(value);
      yield value;
      if (value.title) yield element("p", { class: "was" }, value.title);
      value.removeAttribute("title");
      const line = lineOf(at, of);
      if (line) return yield* stated(line, at);
      if (key && plan.shown.tables[table].page)
        return yield catalogue(table, host.now().cell(key).value);
      const fold = foldOf(at);
      if (fold) return yield* computed(fold, table, id);
      yield* bare(at);
      return undefined;
    }

    /** An input: kind, source, note, where it is stated. */
    function* stated(line, at) {
      const [chip, words] = [line.querySelector(".kind")?.parentElement, ".words"];
      const kinds = Array.from(copied(chip)?.querySelectorAll(".kind") ?? []);
      const allowed = scalesheet.inputs.expected(at.quantity).replace(/^Expected/, "Takes");
      yield element("p", { class: "kinds" }, "Input, ", ...kinds);
      const notes = copied(line.querySelector(words));
      if (notes?.childNodes.length) {
        dated(notes);
        yield element("p", {}, ...notes.childNodes);
      }
      if ((at.quantity.kind ?? "number") === "number")
        yield element("p", { class: "note" }, `${allowed}.`);
      yield links([line.id ? `#${line.id}` : "", "Among the inputs"], line);
    }

    /** A formula, with its current numbers. */
    function* computed(fold, table, row) {
      const block = fold.querySelector(":scope > div");
      const example = fold.querySelector("summary [data-of]")?.dataset.of.split("/")[1];
      const outer = fold.querySelector("summary .note:last-child")?.textContent.includes("outer");
      const chip = element("span", { class: "kind derived" }, "derived");
      yield element("p", { class: "kinds" }, chip, outer ? " The range is an outer bound." : "");
      for (const part of block.children) {
        if (part.matches("details, dl, .users")) continue;
        const copy = copied(part);
        ofRow(copy, table, example, row);
        for (const each of copy.querySelectorAll("[data-of]")) write(each);
        for (const each of copy.querySelectorAll("a.edit")) each.remove();
        dated(copy);
        if (copy.matches(".wide")) copy.tabIndex = 0; // it may scroll
        if (copy.textContent.trim()) yield copy;
      }
      yield links([`#${block.id}`, "All about this figure"], block);
    }

    function catalogue(table, row) {
      const href = `../${table}/${row}.html#figures`;
      return element(
        "p",
        { class: "links" },
        element("a", { href }, `Source, kind and history: ${rowTitle(plan, table, row)}`),
      );
    }

    /** What is known if the page has nothing more: dependencies, and where it is shown. */
    function* bare({ table, name, column, id }) {
      const key = table === undefined ? name : `${table}/${column}`;
      const needs = host.reads(key).flatMap((read) => {
        const parts = read.split("/");
        const own = parts.length > 1;
        if (own && parts[0] !== table) return [];
        const of = own ? `${parts[0]}/${id}/${parts[1]}` : read;
        const { quantity } = place(plan, of);
        if (!quantity || quantity.hidden) return [];
        return [[quantity.title, " (", figure(of, as(quantity)), ")"]];
      });
      const listed = needs.flatMap((need, n) => (n ? [", ", ...need] : need));
      if (needs.length) yield element("p", {}, "Needs ", ...listed, ".");
      const part = table === undefined ? "" : `t.${table}`;
      const own = needs.length || table === undefined;
      const [home, anchor] = own ? [key, host.anchor(key)] : [part, part];
      yield element(
        "p",
        { class: "links" },
        element("a", { href: host.address(home, anchor) }, "Formula and sources"),
      );
    }

    const as = ({ kind }) => (kind === "reference" ? "row" : "amount");

    function links([href, text], line) {
      const edit = copied(line.querySelector("a.edit"));
      if (edit) edit.textContent = "Its place in the data";
      const made = element("p", { class: "links" });
      if (href) made.append(element("a", { href }, text));
      if (edit) made.append(href ? " · " : "", edit);
      return made;
    }

    /** Add publisher and date to each source, from the page's list of sources. */
    function dated(copy) {
      const list = byId("sources")?.nextElementSibling;
      for (const link of copy.querySelectorAll('a[href^="../sources/"]')) {
        const page = link.getAttribute("href").split("?")[0];
        const known = list?.querySelector(`a[href="${CSS.escape(page)}"]`)?.closest("li");
        const said = known?.lastChild?.nodeType === Node.TEXT_NODE && known.lastChild.data;
        if (said) link.after(element("span", { class: "note" }, said.replace(" — ", " (") + ")"));
      }
    }

    // -------------------------------------------------------------- opening

    /** The figure under a press; none in a field, in another link, or in a line that unfolds. */
    function asked(target) {
      const found = target.closest("[data-of]");
      if (!found || !content.contains(found) || target.closest("summary, button, input, select"))
        return undefined;
      const link = target.closest("a");
      return link && link !== found ? undefined : found;
    }

    content.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || String(getSelection())) return;
      const inside = panel.contains(event.target) && event.target.closest("a[href^='#']");
      if (inside) panel.hidePopover();
      const found = asked(event.target);
      if (found && open(found.dataset.of, found)) event.preventDefault();
    });

    content.addEventListener("keydown", (event) => {
      const { key, target } = event;
      const inField = target.matches("input, select");
      if (key !== "Enter" || (inField && !event.altKey)) {
        if (key.startsWith("Arrow") && target.matches("td[data-of]")) walk(event);
        return;
      }
      const found = inField ? target.closest("[data-of]") : asked(target);
      if (found && found.tagName !== "A" && open(found.dataset.of, inField ? target : found))
        event.preventDefault();
    });

    /** Arrow keys move between figures of a table, which is a single tab stop. */
    function walk(event) {
      const { target: cell, key } = event;
      const across = { ArrowLeft: -1, ArrowRight: 1 }[key];
      const down = { ArrowUp: -1, ArrowDown: 1 }[key];
      const others = across
        ? Array.from(cell.parentElement.cells)
        : Array.from(cell.closest("table").rows, (row) => row.cells[cell.cellIndex]);
      const figures = others.filter((each) => each?.matches("td[data-of]"));
      const next = figures[figures.indexOf(cell) + (across ?? down ?? 0)];
      if (!next || next === cell) return;
      event.preventDefault();
      cell.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }

    for (const table of content.querySelectorAll("table.data")) {
      const first = table.querySelector("td[data-of]:not([data-input])");
      if (first) first.tabIndex = 0;
    }
    for (const value of content.querySelectorAll(".hero .value[data-of]")) {
      value.tabIndex = 0;
      value.setAttribute("role", "button");
    }
    content.classList.add("asks");
  }

  return Object.freeze({ attach });
})();
