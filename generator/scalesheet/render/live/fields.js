/* The inputs of a page as fields: a number to type, a choice from a list, each with its reset.
 *
 * A field shows the current input. Typed text applies as soon as it can be read; text that cannot
 * be read at the end is reported beside the field, and changes nothing.
 */
"use strict";

scalesheet.fields = (() => {
  const { ends, number, plain } = scalesheet.numbers;
  const { Refused, change, without, written, rowsOf } = scalesheet.inputs;
  const { element, place, asOf, rowTitle, unitOf } = scalesheet.marks;

  let made = 0;

  /** Whether a reader may change a figure: a number, or a choice that something depends on. */
  const editable = ({ kind = "number", used }, alone) =>
    kind === "number" || (["word", "flag", "reference"].includes(kind) && (used || alone));

  /** The options of a choice, with their labels. */
  function options(plan, quantity) {
    if (quantity.kind === "flag")
      return [
        ["yes", "yes"],
        ["no", "no"],
      ];
    if (quantity.kind === "word")
      return quantity.words.map((word) => [word, word.replaceAll("_", " ")]);
    return rowsOf(plan, quantity).map((id) => [id, rowTitle(plan, quantity.table, id)]);
  }

  /** The options of a list, grouped if it is long. */
  function choice(plan, quantity, control) {
    const all = options(plan, quantity).map(([value, text]) => element("option", { value }, text));
    const { groups } = plan.shown.tables[quantity.table] ?? {};
    const grouped = Object.entries(groups ?? {}).map(([label, rows]) =>
      element("optgroup", { label }, ...rows.map((row) => all[row])),
    );
    control.replaceChildren(...(grouped.length > 1 ? grouped : all));
    return control;
  }

  /** A value as text in a field: in full, and a share in percent. */
  function raw(value, { percent, sort } = {}) {
    if (sort === "date" && typeof value === "number") return number(value, { date: true });
    if (!percent || typeof value === "boolean") return written(value);
    const share = (x) => `${Number((x * 100).toPrecision(15))}%`;
    if (typeof value === "number") return share(value);
    return value?.low === undefined ? "" : `${share(value.low)}..${share(value.high)}`;
  }

  // ---------------------------------------------------------------- one field

  /** What a field needs from its page: `find(of)` is the input behind a figure, `changes()` are
   *  the current changes, and `go(changes, done)` replaces them. While the text in a field is
   *  unreadable, the changes revert to those when editing began. */
  function host(plan, find, changes, go) {
    let before = changes();
    const input = (of) => {
      const found = find(of);
      const value = changes().has(found?.name) ? changes().get(found.name) : found?.stated;
      return found && { ...found, value };
    };
    return {
      input,
      begin() {
        before = changes();
      },
      enter({ of, number }, text, done) {
        const from = number ? before : changes();
        go(text === undefined ? from : change(plan, from, input(of).name, text), done);
      },
      reset: (of) => go(without(changes(), input(of).name), true),
    };
  }

  /** A field in place of a figure. `host.enter(field, text, done)` takes the entered text, and
   *  throws Refused; `host.input(of)` is the input that the figure currently shows, if any. */
  function field(plan, target, host) {
    const { of } = target.dataset;
    const as = asOf(target);
    const at = place(plan, of);
    const { quantity } = at;
    if (!host.input(of) || !editable(quantity, at.table === undefined)) return undefined;
    const number = (quantity.kind ?? "number") === "number";
    const row = at.table === undefined ? "" : `, ${rowTitle(plan, at.table, at.id)}`;
    const name = `${quantity.title}${row}${quantity.symbol ? ` in ${quantity.symbol}` : ""}`;
    const control = number
      ? element("input", {
          type: "text",
          inputmode: "decimal",
          autocomplete: "off",
          spellcheck: "false",
        })
      : choice(plan, quantity, element("select"));
    control.setAttribute("aria-label", name);
    const words = (kind) => target.querySelector(`.${kind}`)?.textContent;
    const reason = target.matches(".reason") ? target.textContent : words("reason");
    // a number without unit and range is the whole text
    const text = words("num") ?? (reason === undefined ? target.textContent : "");
    const first = {
      text: number ? text : written(host.input(of).value),
      beside: words("range") ?? "",
      reason,
    };
    const range = element("span", { class: "range" });
    const reset = element("button", { type: "button", class: "reset", hidden: true });
    const shown = element("span", { class: "field" }, control);
    const unit = as === "amount" && quantity.symbol && element("span", { class: "unit" });
    if (unit) shown.append(" ", unit);
    shown.append(reset);
    if (number && as !== "value") shown.append(" ", range);
    target.replaceChildren(shown);
    if (target.tagName === "TD") target.classList.add("input");
    const published = besideSource(target);
    const self = { target, control, of, at, quantity, number, error: undefined };
    listen(self, host, reset);

    function fill({ text, beside, reason }) {
      if (range.textContent !== beside) range.textContent = beside;
      if (reason !== undefined) noChoice(control, number, reason);
      const free = control !== document.activeElement || !number;
      if (free && (text !== self.text || control.value !== text)) show(self, text);
      self.text = text;
      if (unit) unit.textContent = unitOf(text, quantity.symbol);
    }
    fill(first); // as published, before anything is computed

    self.update = (now, edited) => {
      const cell = now.cell(at);
      const format = now.format(at);
      const still = cell === self.cell && format === self.format && edited === self.edited;
      if (still && control.value === self.text) return;
      Object.assign(self, { cell, format, edited });
      const none = cell.reason !== undefined;
      const text = none ? "" : number ? plain(cell, format) : written(cell.value);
      fill({ text, beside: none || !number ? "" : ends(cell, format), reason: cell.reason });
      if (edited === reset.hidden) {
        target.classList.toggle("changed", edited);
        reset.hidden = !edited;
        if (published) published.hidden = !edited;
      }
      if (!edited) return;
      const was = raw(host.input(of).stated, quantity.rule);
      reset.title = `Back to ${was || "what was published"}`;
      if (published) published.textContent = publishedText(plan, quantity, was);
      reset.setAttribute("aria-label", `${reset.title}: ${name}`);
    };
    return self;
  }

  /** Where the source of an input is shown, the published value is added before it once the
   *  input is changed, since the source is for that value. */
  function besideSource(target) {
    const words = target.closest("tr")?.querySelector(":scope > td.words:not([data-of])");
    if (!words) return undefined;
    const published = element("span", { class: "published-as", hidden: true });
    words.prepend(published);
    return published;
  }

  function publishedText(plan, quantity, was) {
    const text = quantity.kind === "reference" ? rowTitle(plan, quantity.table, was) : was;
    const symbol = text && quantity.symbol ? ` ${quantity.symbol}` : "";
    return `Changed here; published: ${text || "another"}${symbol}. `;
  }

  /** Show why there is no value to enter or choose. */
  function noChoice(control, number, reason) {
    if (number) {
      control.placeholder = reason;
      control.size = Array.from(reason).length;
    } else if (!control.querySelector("[disabled]")) {
      control.prepend(element("option", { value: "", disabled: true }, reason));
    }
  }

  function show({ control, number }, text) {
    control.value = text;
    if (number) control.size = Math.max(3, Array.from(text).length);
  }

  function listen(self, host, reset) {
    const { control, number, quantity, of } = self;
    const enter = (text, done) => {
      try {
        host.enter(self, text, done);
        tell(self, "");
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        host.enter(self, undefined, done);
        if (done) tell(self, error.message);
      }
    };
    reset.addEventListener("click", () => {
      tell(self, "");
      host.reset(of);
      control.focus();
    });
    let typed = false; // text that is not applied yet
    const enterTyped = () => {
      typed = false;
      enter(control.value, true);
    };
    control.addEventListener("change", enterTyped);
    if (!number) return;
    control.addEventListener("focus", () => {
      if (control.getAttribute("aria-invalid")) return;
      self.full = raw(host.input(of).value, quantity.rule);
      show(self, self.full);
      control.select();
      host.begin();
    });
    control.addEventListener("input", () => {
      typed = true;
      control.size = Math.max(3, Array.from(control.value).length);
      enter(control.value, false);
    });
    control.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      typed = false;
      enter(undefined, false);
      tell(self, "");
      control.value = self.full;
      control.blur();
    });
    control.addEventListener("blur", () => {
      if (typed) enterTyped(); // the browser's own address field takes the focus without a change
      if (!control.getAttribute("aria-invalid")) show(self, self.text);
    });
  }

  /** Show beside a field what is wrong with the entered text, or nothing. */
  function tell(self, message) {
    self.error?.remove();
    self.error = undefined;
    for (const name of ["aria-invalid", "aria-describedby"]) self.control.removeAttribute(name);
    if (!message) return;
    self.error = element(
      "span",
      { class: "bad", role: "alert", id: `bad-${(made += 1)}` },
      message,
    );
    self.control.setAttribute("aria-invalid", "true");
    self.control.setAttribute("aria-describedby", self.error.id);
    self.control.closest(".field").append(self.error);
  }

  // ---------------------------------------------------------------- other controls

  function button(text, act, attributes = {}) {
    const control = element("button", { type: "button", ...attributes }, text);
    control.addEventListener("click", () => act(control));
    return control;
  }

  /** Buttons that copy a text; none if the browser does not allow it. */
  function copying(label, text) {
    const copied = (control) =>
      navigator.clipboard.writeText(text()).then(() => {
        control.textContent = "Copied";
        setTimeout(() => control.replaceChildren(label), 2000);
      });
    return navigator.clipboard ? [button(label, copied)] : [];
  }

  /** A list to choose from, of `[value, text]`. */
  function select(choices, chosen, act) {
    const all = choices.map(([value, text]) => element("option", { value }, text));
    const control = element("select", {}, ...all);
    control.value = chosen;
    control.addEventListener("change", () => act(control.value));
    return control;
  }

  const flat = (text) => text.toLowerCase().replace(/[\s_-]+/g, " ").trim();

  /** The id for a text: by one of its names, else by the shortest title that contains it. */
  function meant(names, text) {
    const said = flat(text);
    const of = (id) => names.get(id).map(flat);
    const ids = Array.from(names.keys());
    const exact = ids.find((id) => of(id).includes(said));
    if (exact || said === "") return exact;
    const holding = ids.filter((id) => of(id).some((name) => name.includes(said)));
    return holding.sort((a, b) => names.get(a)[0].length - names.get(b)[0].length)[0];
  }

  /** A selection of accelerators: a list from which they can be removed, and a field that adds
   *  one by name. `names` has those of each id, its title first; `go` gets the new selection,
   *  whose order matters if one may be `first`. */
  function chooser(names, { go, tell, least = 1, most = Infinity, first = false }) {
    let chosen = [];
    const [id, list] = ["add-accelerator", "all-accelerators"];
    const shown = element("ul", { class: "chosen" });
    const control = element("input", { id, list, type: "text", autocomplete: "off", spellcheck: "false" });
    const options = Array.from(names.values(), ([title]) => element("option", { value: title }));
    const label = element("label", { for: id }, "Add an accelerator");
    const add = element("p", { class: "add" }, label, control, element("datalist", { id: list }, ...options));

    control.addEventListener("change", () => {
      const text = control.value.trim();
      const added = meant(names, text);
      control.value = "";
      if (added === undefined) tell(text && `There is no accelerator “${text}” here.`);
      else if (chosen.includes(added)) tell(`${names.get(added)[0]} is already shown.`);
      else go([...chosen, added]);
    });

    function listed(each, n) {
      const [title] = names.get(each);
      const others = chosen.filter((other) => other !== each);
      const named = (name) => ({ "aria-label": name, title: name });
      const away = { ...named(`Remove ${title}`), disabled: chosen.length === least };
      return element(
        "li",
        {},
        element("span", {}, title),
        first && n ? button("1st", () => go([each, ...others]), named(`Compare with ${title}`)) : "",
        button("×", () => go(others), away),
      );
    }

    function show(now) {
      chosen = now;
      shown.replaceChildren(...chosen.map(listed));
      control.disabled = chosen.length >= most;
    }

    return { shown, add, show };
  }

  // ---------------------------------------------------------------- slow work

  const SLICE = 12; // milliseconds

  /** Run a generator in slices, so that the page stays responsive: `each` gets what it yields,
   *  and `done` what it returns. Returns a function that stops it. */
  function inSlices(steps, { each, done }) {
    let timer;
    function slice() {
      const end = performance.now() + SLICE;
      do {
        const next = steps.next();
        if (next.done) return done?.(next.value);
        if (next.value !== undefined) each?.(next.value);
      } while (performance.now() < end);
      timer = setTimeout(slice);
      return undefined;
    }
    slice();
    return () => clearTimeout(timer);
  }

  return Object.freeze({ field, host, choice, raw, tell, button, copying, select, chooser, inSlices });
})();
