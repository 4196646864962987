/* The pages of a workload: a job in a form and in the address, and its live results.
 *
 * `data-workload` says which page it is: `compare` accelerators for one job, what fits on one
 * `card`, the `model` of this page by method and accelerator, or `any` model by its config.json.
 */
"use strict";

(() => {
  const at = document.querySelector("[data-workload]");
  if (!at) return;
  const { Refused, goTo, FOREIGN } = scalesheet.inputs;
  const { people } = scalesheet.numbers;
  const { element, drawn } = scalesheet.marks;
  const { button, chooser, inSlices, copying } = scalesheet.fields;
  const { cases, question, workload } = scalesheet;
  const { needed } = scalesheet.architecture;
  const { plan, valueOf, complete, inField, toField } = cases;
  const { workload: mode } = at.dataset;
  const PAUSE = 200; // ms between redraws of unfinished results
  const { models, hardware, offers } = plan.inputs.tables;
  const methods = question.tuning;
  const published = at.querySelector(".published");
  const rented = hardware.rows.filter((id) => offers.columns.accelerator.includes(id));

  // ---------------------------------------------------------------- the state

  const NAMES = {
    compare: ["model", "method", "tokens", "sequence", "batch", "gpus", "hours", "of"],
    card: ["gpu", "gpus", "sequence", "batch"],
    model: ["tokens", "sequence", "batch", "hours"],
    any: ["config", "tokens", "sequence", "batch", "hours"],
  }[mode];
  const usual = (name) => plan.inputs.scalars[name];
  const START = {
    model: at.dataset.model ?? "llama-3-1-70b",
    method: "LoRA",
    tokens: usual("tokens"),
    sequence: usual("sequence"),
    batch: usual("batch"),
    hours: Number(at.dataset.hours),
    gpus: mode === "card" ? 1 : "auto",
    gpu: at.dataset.gpu ?? "rtx4090",
    of: (at.dataset.accelerators ?? "").split(",").filter(Boolean),
    config: "",
  };
  let state = { ...START };

  /** The value of a part of the state from its text. Throws Refused. */
  function read(name, text) {
    if (name === "config") return text;
    if (name === "of") return text === "all" ? rented : text.split(",").map((id) => valueOf("gpu", id));
    if (name === "gpus" && text === "auto") return "auto";
    if (name === "hours") {
      const hours = Number(text.replaceAll(",", ""));
      if (!(hours > 0)) throw new Refused(`Expected hours above 0; found “${text}”.`);
      return hours;
    }
    return valueOf(name, text);
  }

  const encoded = (name) => {
    const value = state[name];
    if (name !== "of") return String(value);
    return value.length === rented.length ? "all" : value.join(",");
  };

  /** The parts of the state that differ from the initial one. */
  function query() {
    const other = NAMES.filter((name) => encoded(name) !== String(name === "of" ? START.of.join(",") : START[name]));
    const said = new URLSearchParams(other.map((name) => [name, encoded(name)]));
    return other.length ? `?${said}` : "";
  }

  /** The case of the state. */
  function wanted() {
    const said = new Map([["data", "tokens"], ["epochs", 1]]);
    for (const name of ["model", "method", "tokens", "sequence", "batch", "gpu"])
      if (NAMES.includes(name) || name === "model") said.set(name, state[name]);
    if (state.gpus !== "auto") said.set("gpus", state.gpus);
    if (state.batch === START.batch && state.method === question.pretraining) said.delete("batch");
    // unless stated, it is the longest that the model allows
    if (state.sequence === START.sequence)
      said.set("sequence", Math.min(state.sequence, cases.longest(state.model)));
    return complete(said);
  }

  // ---------------------------------------------------------------- the form

  const form = element("form", { class: "ask workload-form", novalidate: true, "aria-label": "The job" });
  const message = element("p", { class: "bad", role: "alert", hidden: true });
  const progress = element("p", { class: "note", role: "status" });
  const output = element("div", { class: "workload-out" });
  const fields = new Map();

  const option = ([value, text]) => element("option", { value }, text);
  const group = (label, list) => element("optgroup", { label }, ...list.map(option));

  function byFamily() {
    const families = new Map();
    models.rows.forEach((id, n) => {
      const family = models.columns.family[n] ?? models.titles[n];
      families.set(family, [...(families.get(family) ?? []), [models.columns.parameters[n], id, models.titles[n]]]);
    });
    return Array.from(families)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([family, list]) => group(family, list.sort((a, b) => a[0] - b[0]).map(([, id, title]) => [id, title])));
  }

  function byOffer() {
    const all = hardware.rows
      .map((id, n) => [id, hardware.titles[n]])
      .filter((_, n) => hardware.columns.kind[n] !== "processor");
    return [
      group("Rented by the hour", all.filter(([id]) => rented.includes(id))),
      group("No offer in the catalogue", all.filter(([id]) => !rented.includes(id))),
    ];
  }

  const CONTROLS = {
    model: ["Model", () => element("select", {}, ...byFamily())],
    method: ["Method", () => element("select", {}, ...Object.entries(question.methods).map(option))],
    gpu: ["Accelerator", () => element("select", {}, ...byOffer())],
    tokens: ["Tokens", text],
    sequence: ["Length", text],
    batch: ["Batch", text],
    gpus: [mode === "card" ? "GPUs" : "GPUs, or auto", text],
    hours: ["Within hours", text],
    config: [`config.json, or one key a line, at least ${needed.join(", ")}`, box],
  };

  function box() {
    return element("textarea", { rows: "8", spellcheck: "false", placeholder: needed.map((key) => `${key}: …`).join("\n") });
  }

  function text() {
    return element("input", { type: "text", autocomplete: "off", spellcheck: "false" });
  }

  function show() {
    for (const [name, control] of fields) {
      if (control === document.activeElement) continue;
      const value = state[name];
      control.value = typeof value === "number" ? toField(name, value) : value;
    }
  }

  function tell(error) {
    message.hidden = !error;
    message.textContent = error ?? "";
  }

  function enter(name, said) {
    try {
      go({ ...state, [name]: read(name, said) }, true);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      tell(error.message);
    }
  }

  for (const name of NAMES.filter((each) => each !== "of")) {
    const [label, make] = CONTROLS[name];
    const control = make();
    const id = `workload-${name}`;
    control.id = id;
    control.addEventListener("change", () => enter(name, control.value));
    fields.set(name, control);
    form.append(element("div", { class: `field ${name}` }, element("label", { for: id }, label), control));
  }
  form.addEventListener("submit", (event) => event.preventDefault());

  // ---------------------------------------------------------------- accelerators of a comparison

  const named = new Map(hardware.rows.map((id, n) => [id, [hardware.titles[n], id]]));
  const choose = (of) => go({ ...state, of }, true);
  const choosing = chooser(named, { go: choose, tell });
  choosing.add.append(button("All for rent", () => choose(rented)));

  // ---------------------------------------------------------------- answering

  const accelerators = START.of;
  const MADE = {
    compare: () => workload.sideBySide(wanted(), state.of, state.gpus === "auto" ? 0 : state.gpus, state.hours),
    card: () => workload.onCard(wanted(), methods),
    model: () => workload.matrix(wanted(), { accelerators, methods, hours: state.hours }),
    any: () => workload.matrix(wanted(), { accelerators, methods, hours: state.hours }),
  };

  const DRAWN = {
    compare({ rows }) {
      const chart = workload.comparedChart(rows);
      const figure = chart ? [["figure", { class: "chart" }, chart]] : [];
      const said = ["p", { class: "lead advice" }, workload.advice(rows)];
      return ["div", {}, said, ...figure, ["div", { class: "scroll" }, workload.comparedTable(rows)]];
    },
    card: ({ rows }) => ["div", { class: "scroll" }, workload.cardTable(rows, methods)],
    model: (table) => ["div", { class: "scroll" }, table],
    any: (table) => ["div", { class: "scroll" }, table],
  };

  let stop;

  function respond() {
    stop?.();
    // the published content stays until something else is asked
    if (published && query() === "" && !output.hasChildNodes()) return;
    if (mode === "any" && !ownModel()) return;
    let last;
    let drawnAt = -Infinity;
    at.setAttribute("aria-busy", "true");
    const draw = () => last && output.replaceChildren(drawn(DRAWN[mode](last)));
    function each(part) {
      last = part;
      if (performance.now() - drawnAt < PAUSE) return;
      drawnAt = performance.now();
      draw();
      progress.textContent = part.of ? `${part.done} of ${part.of}` : "…";
    }
    function done() {
      draw();
      progress.textContent = "";
      published?.remove();
      at.removeAttribute("aria-busy");
    }
    stop = inSlices(MADE[mode](), { each, done });
  }

  /** Read the model in the text box and show the memory to load it; return whether there is one. */
  function ownModel() {
    output.replaceChildren();
    if (!state.config.trim()) return false;
    try {
      const { id, row } = scalesheet.architecture.install(state.config);
      state.model = id;
      ownFigures(row);
      tell();
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      tell(error.message);
      return false;
    }
  }

  const own = element("div", { class: "hero" });

  function ownFigures(row) {
    const card = (label, value, note) =>
      element(
        "div",
        { class: "figure" },
        element("p", { class: "label" }, label),
        element("p", { class: "value" }, value),
        element("p", { class: "range" }, note ?? ""),
      );
    const active = row.active_parameters < 0.99 * row.parameters ? `${people(row.active_parameters)} active per token` : "";
    const gib = (bytes) => `${Number((bytes / 2 ** 30).toPrecision(3))} GiB`;
    const sequence = wanted().get("sequence");
    const given = { ...row, bits_per_parameter: 16, length: sequence, sequences: 1, element_bytes: 2, window: 0, window_layers: 0, linear_layers: 0, linear_state: 0 };
    const cells = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value }]));
    const { weight_bytes: weights, kv_cache_bytes: cache } = question.formulas;
    const cards = [card("Parameters", people(row.parameters), active)];
    if (weights) cards.push(card("To load", gib(weights(cells)), "weights in 16 bit"));
    if (weights && cache)
      cards.push(card("To run", gib(weights(cells) + cache(cells)), `with one sequence of ${inField(sequence)} tokens`));
    own.replaceChildren(...cards);
  }

  // ---------------------------------------------------------------- the address

  function go(next, done) {
    state = next;
    tell();
    show();
    if (mode === "compare") choosing.show(state.of);
    if (done) goTo(query());
    respond();
  }

  function readAddress() {
    const next = { ...START };
    const faults = [];
    for (const [name, said] of new URLSearchParams(location.search)) {
      if (FOREIGN.has(name)) continue;
      try {
        if (!NAMES.includes(name)) throw new Refused(`There is no “${name}” in this question.`);
        next[name] = read(name, said);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        faults.push(`This link contains a value we don’t know: ${error.message}`);
      }
    }
    go(next, false);
    if (faults.length) tell(faults.join(" "));
  }

  form.append(...copying("Copy the link", () => location.href));
  at.prepend(form, ...(mode === "compare" ? [element("div", { class: "chooser" }, choosing.shown, choosing.add)] : []), message, ...(mode === "any" ? [own] : []), progress);
  at.append(output);
  at.classList.add("live");
  addEventListener("popstate", readAddress);
  readAddress();
})();
