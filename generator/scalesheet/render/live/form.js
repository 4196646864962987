/* What the build uses of these scripts for the front page: the form of its question, and the
 * answer to its initial case. `front.js` makes both interactive. */
"use strict";

scalesheet.answered = (() => {
  const { AUTO, built, complete, unasked, toField, obstaclesTo } = scalesheet.cases;
  const { answered } = scalesheet.answer;

  const { question } = scalesheet;
  const { axes, methods: METHODS } = question;
  const plan = scalesheet.plans[question.plan];
  const { scalars } = plan.shown;
  const { models, hardware, offers } = plan.inputs.tables;

  // ---------------------------------------------------------------- the form

  const wanted = complete(new Map());
  const hidden = unasked(wanted);

  const field = (name, label, control, unit) => [
    "div",
    { class: "field", "data-field": name, hidden: hidden.includes(name) },
    [
      "label",
      { for: `ask-${name}` },
      label,
      ...(unit ? [["span", { class: "unit" }, ` ${unit}`]] : []),
    ],
    control,
  ];

  function entry(name, label, unit) {
    const kind = { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false" };
    const control = { id: `ask-${name}`, name, value: toField(name, wanted.get(name)), ...kind };
    return field(name, label, ["input", control], unit);
  }

  /** A list of `[value, text]`, `[value]` alone, or `[group, list]`. */
  function choice(name, label, options) {
    const made = ([value, content = value]) =>
      Array.isArray(content)
        ? ["optgroup", { label: value }, ...content.map(made)]
        : ["option", { value, selected: value === String(wanted.get(name)) }, content];
    return field(name, label, ["select", { id: `ask-${name}`, name }, ...options.map(made)]);
  }

  /** A list with the choice to search, and these fixed values. */
  const open = (name, label, values) =>
    choice(name, label, [AUTO, ...values].map((each) => [String(each)]));

  /** By family, smaller models first. */
  function byFamily() {
    const { rows, titles, columns } = models;
    const families = new Map();
    const size = (n) => columns.parameters[n];
    for (const n of Array.from(rows.keys()).sort((a, b) => size(a) - size(b))) {
      const family = columns.family[n] ?? titles[n];
      if (!families.has(family)) families.set(family, []);
      families.get(family).push([rows[n], titles[n]]);
    }
    return Array.from(families).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** By whether they are offered for rent; numbers in titles by size. */
  function byOffer() {
    const { rows, titles, columns } = hardware;
    const sold = new Set(offers.columns.accelerator);
    const natural = (title) =>
      title.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(9, "0"));
    const all = rows
      .map((id, n) => [id, titles[n]])
      .filter((_, n) => columns.kind[n] !== "processor") // nobody rents one for training
      .sort(([, a], [, b]) => (natural(a) < natural(b) ? -1 : 1));
    return [
      ["Rented by the hour", all.filter(([id]) => sold.has(id))],
      ["No offer in the catalogue", all.filter(([id]) => !sold.has(id))],
    ];
  }

  const methods = () => [
    "fieldset",
    { class: "field", "data-field": "method" },
    ["legend", {}, "Method"],
    [
      "div",
      { class: "segments" },
      ...Object.entries(METHODS).map(([value, title]) => {
        const checked = value === wanted.get("method");
        const control = ["input", { type: "radio", name: "method", value, checked }];
        return ["label", {}, control, ["span", {}, title]];
      }),
    ],
  ];

  /** Parts of the layout that are usually searched: the result is shown, and can be fixed. */
  const layout = (text) => [
    "details",
    { class: "layout" },
    ["summary", {}, "Layout: ", ["span", { "data-layout": true }, text]],
    [
      "p",
      { class: "note" },
      "Found for you: the fastest layout that fits, as ",
      ["code", {}, "scalesheet choose"],
      " finds it. Set what you know.",
    ],
    [
      "div",
      { class: "row layout" },
      entry("batch", "Batch", "sequences"),
      entry("rank", "LoRA rank"),
      choice("precision", "Products in", scalars.precision.words.map((word) => [word])),
      open("stage", "ZeRO stage", axes.stage),
      open("tensor", "Tensor parallel", axes.tensor),
      open("pipeline", "Pipeline stages", axes.pipeline),
      open("experts", "Expert parallel", axes.experts),
      open("micro_batch", "Micro-batch", axes.micro_batch),
      open("checkpointing", "Checkpointing", axes.checkpointing),
      open("trainer", "Trainer", scalars.trainer.words),
      choice("offload", "In host memory", scalars.offload.words.map((word) => [word])),
      entry("restarts", "Restarts", "a day"),
      entry("interruptions", "Spot interruptions", "a day"),
    ],
  ];

  const button = (act, text, disabled) => [
    "button",
    { type: "button", "data-do": act, disabled },
    text,
  ];

  const form = (layoutText) => [
    "form",
    { class: "ask", "data-question": true, novalidate: true, "aria-label": "Your question" },
    choice("model", "Model", byFamily()),
    methods(),
    [
      "div",
      { class: "row data" },
      entry("samples", "Samples"),
      entry("tokens", "Tokens"),
      choice("data", "Unit", [["samples"], ["tokens"]]),
      entry("sequence", "Length", "tokens"),
      entry("epochs", "Epochs"),
    ],
    [
      "div",
      { class: "row hardware" },
      choice("gpu", "Accelerator", byOffer()),
      entry("gpus", "Count"),
    ],
    layout(layoutText),
    [
      "p",
      { class: "buttons" },
      button("copy", "Copy the link"),
      button("reset", "Start again", true),
    ],
    ["p", { role: "status", class: "sr" }],
    ["div", { role: "alert", "data-faults": true }],
  ];

  // ---------------------------------------------------------------- the answer

  /** Trees of the form, the answer and what is below it; or else the problem with the case. */
  return () => {
    const [fault] = built.faults;
    if (fault) return { problem: `${fault.name}: ${fault.message}` };
    const parts = {};
    for (const part of answered(wanted, new Map())) Object.assign(parts, part);
    if (!parts.found) return { problem: `no layout can run: ${obstaclesTo(wanted).join("; ")}` };
    return {
      form: form(parts.layout),
      answer: parts.answer,
      beside: ["div", { class: "beside", "data-beside": true }, parts.offers, parts.changes],
    };
  };
})();
