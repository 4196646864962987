/* The front page: the form of the question, the case in the address, the answer as it is found.
 *
 * The only state is what the reader states in place of the initial case, in the words of
 * `scalesheet show --set`, with `gpu` for the accelerator from any provider. Without this script,
 * the page shows the initial case as the build answered it.
 */
"use strict";

(() => {
  const { Refused, FOREIGN, toQuery, goTo } = scalesheet.inputs;
  const { element, drawn, rowTitle } = scalesheet.marks;
  const { tell, inSlices } = scalesheet.fields;
  const { cases } = scalesheet;
  const { AUTO, FOUND, ASKED, valueOf, readCase, complete, told, unasked, inField, longest } = cases;
  const { toField, impossible } = cases;
  const { answered } = scalesheet.answer;

  const form = document.querySelector("[data-question]");
  if (!form) return;
  const plan = scalesheet.plans[scalesheet.question.plan];
  const beside = document.querySelector("[data-beside]");
  const status = form.querySelector("[role=status]");
  const faultsAt = form.querySelector("[data-faults]");
  const [copy, reset] = ["copy", "reset"].map((act) => form.querySelector(`[data-do=${act}]`));

  const UNKNOWN = "This link contains a value we don't know: ";

  let stated = new Map(); // the reader's values
  let asked = complete(stated); // the case
  let toFocus = false; // whether the answer takes the focus when it is found
  let stop; // stops the current answer: only the latest one continues

  // ---------------------------------------------------------------- answering

  /** Answer in slices, so that the page stays responsive; the first part at once. */
  function respond() {
    stop?.();
    beside.setAttribute("aria-busy", "true");
    stop = inSlices(answered(asked, stated), { each: write });
  }

  /** Replace a part of the answer. */
  function write({ found, layout, answer, offers, changes, sentence }) {
    if (changes) {
      beside.querySelector(".changes").replaceWith(drawn(changes));
      beside.removeAttribute("aria-busy");
      if (sentence) status.textContent = sentence;
      return;
    }
    document.querySelector("[data-answer]").replaceWith(drawn(answer));
    beside.querySelector(".offers").replaceWith(drawn(offers));
    if (toFocus) document.querySelector("[data-answer] .case").focus({ preventScroll: true });
    toFocus = false;
    form.querySelector("[data-layout]").textContent = layout;
    showFound(found?.layout ?? {});
  }

  /** Make a case of the values; `done` if it is worth a step of the browser's history. */
  function go(said, done) {
    const wanted = complete(said);
    // what was answered during typing is not written again: a pointer may be about to click it
    const same = ASKED.every((name) => wanted.get(name) === asked.get(name));
    [stated, asked] = [said, wanted];
    reset.disabled = told(said).size === 0;
    if (!same) respond();
    if (done) setTimeout(() => goTo(toQuery(told(said)))); // after the answer: it takes longer
  }

  // ---------------------------------------------------------------- the form

  const fields = new Map();
  for (const control of form.querySelectorAll("input:not([type=radio]), select"))
    fields.set(control.name, { control, error: undefined });
  const radios = Array.from(form.querySelectorAll("input[type=radio]"));

  /** Show the case in the form, except in a field that is being edited. */
  function show() {
    for (const [name, { control }] of fields) {
      if (control === document.activeElement && control.type === "text") continue;
      control.value = toField(name, asked.get(name));
      if (control.value !== "" || control.type === "text") continue;
      const other = toField(name, asked.get(name)); // a value from the address that no list has
      control.append(element("option", { value: other }, other));
      control.value = other;
    }
    for (const radio of radios) radio.checked = radio.value === asked.get("method");
    const hidden = unasked(asked);
    for (const field of form.querySelectorAll("[data-field]"))
      field.hidden = hidden.includes(field.dataset.field);
    warn();
  }

  /** Say why an address cannot run, and if the model was made for shorter sequences; the answer
   *  is shown nevertheless. */
  function warn() {
    const model = asked.get("model");
    const most = longest(model);
    const warnings = new Map(impossible(asked).map(([name, why]) => [name, UNKNOWN + why]));
    if (asked.get("sequence") > most) {
      const title = rowTitle(plan, "models", model);
      warnings.set("sequence", `${title} supports sequences of at most ${inField(most)} tokens.`);
    }
    for (const [name, field] of fields) {
      if (field.warned) tell(field, "");
      field.warned = warnings.has(name) && !field.error;
      if (field.warned) tell(field, warnings.get(name));
    }
  }

  /** Show the result beside the choice to search. */
  function showFound(found) {
    for (const name of FOUND) {
      const option = fields.get(name)?.control.querySelector(`option[value=${AUTO}]`);
      if (option) option.textContent = name in found ? `${AUTO}: ${found[name]}` : AUTO;
    }
  }

  function enter(name, text, done) {
    const field = fields.get(name);
    try {
      const value = valueOf(name, text);
      if (field) tell(field, "");
      go(new Map([...stated, [name, value]]), done);
      show();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (done) tell(field, error.message);
    }
  }

  for (const [name, { control }] of fields) {
    let typed = false; // text that is not in the address yet
    const enterTyped = () => {
      typed = false;
      enter(name, control.value, true);
    };
    control.addEventListener("change", enterTyped);
    if (control.type !== "text") continue;
    control.addEventListener("input", () => {
      typed = true;
      enter(name, control.value, false);
    });
    // the browser's own address field takes the focus without a change event
    control.addEventListener("blur", () => typed && enterTyped());
  }
  for (const radio of radios)
    radio.addEventListener("change", () => enter("method", radio.value, true));
  form.addEventListener("submit", (event) => event.preventDefault());

  /** Apply a change that the page suggests. */
  beside.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-change]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const asks = new URLSearchParams(link.getAttribute("href"));
    const next = new Map();
    for (const [name, text] of asks) next.set(name, valueOf(name, text));
    clearFaults();
    toFocus = true;
    go(next, true);
    show();
    form.parentElement.scrollIntoView({ block: "nearest" });
  });

  reset.addEventListener("click", () => {
    clearFaults();
    go(new Map(), true);
    show();
  });

  copy.addEventListener("click", async () => {
    writeAddress(stated);
    await copied(location.href);
    const was = copy.textContent;
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = was), 2000);
  });

  /** Copy a text to the clipboard, even if the page has no permission to do so itself. */
  async function copied(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = element("textarea", { class: "sr", readonly: true });
    area.value = text;
    form.append(area);
    area.select();
    document.execCommand("copy");
    return area.remove();
  }

  // ---------------------------------------------------------------- the address

  function clearFaults() {
    faultsAt.replaceChildren();
    for (const field of fields.values()) tell(field, "");
  }

  function readAddress() {
    const texts = Array.from(new URLSearchParams(location.search));
    const { stated: said, faults } = readCase(texts.filter(([name]) => !FOREIGN.has(name)));
    clearFaults();
    for (const { name, message: why } of faults) {
      const message = UNKNOWN + why;
      if (fields.has(name)) tell(fields.get(name), message);
      else faultsAt.append(element("p", { class: "bad" }, message));
    }
    go(said, false);
    show();
  }

  addEventListener("popstate", readAddress);
  form.classList.add("live");
  readAddress();
})();
