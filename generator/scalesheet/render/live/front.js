/* The front page: the form of the question, what is asked in the address, the answer as it comes.
 *
 * All state is what the reader states in place of what the page begins with, in the words of
 * `scalesheet show --set`, and `gpu` for the accelerator whoever sells it. Without this script the
 * page shows that case as the build answered it.
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

  let stated = new Map(); // what the reader says
  let asked = complete(stated); // the case
  let toFocus = false; // whether the answer takes the focus, when it comes
  let stop; // the answer that was begun last: only that goes on

  // ---------------------------------------------------------------- answering

  /** Answers in slices, so that the page stays quick to the touch; the first at once. */
  function respond() {
    stop?.();
    beside.setAttribute("aria-busy", "true");
    stop = inSlices(answered(asked, stated), { each: write });
  }

  /** Puts a part of the answer where the one before stands. */
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

  /** Makes the case of what is said; `done` when it is worth a step of the browser's history. */
  function go(said, done) {
    const wanted = complete(said);
    // what was answered while it was typed is not written anew: a pointer may be about to click it
    const same = ASKED.every((name) => wanted.get(name) === asked.get(name));
    [stated, asked] = [said, wanted];
    reset.disabled = told(said).size === 0;
    if (!same) respond();
    if (done) setTimeout(() => goTo(toQuery(told(said)))); // it takes longer than the answer does
  }

  // ---------------------------------------------------------------- the form

  const fields = new Map();
  for (const control of form.querySelectorAll("input:not([type=radio]), select"))
    fields.set(control.name, { control, error: undefined });
  const radios = Array.from(form.querySelectorAll("input[type=radio]"));

  /** Shows the case in the form, but for a field that somebody is typing in. */
  function show() {
    for (const [name, { control }] of fields) {
      if (control === document.activeElement && control.type === "text") continue;
      control.value = toField(name, asked.get(name));
      if (control.value !== "" || control.type === "text") continue;
      const other = toField(name, asked.get(name)); // what an address says, and no list has
      control.append(element("option", { value: other }, other));
      control.value = other;
    }
    for (const radio of radios) radio.checked = radio.value === asked.get("method");
    const hidden = unasked(asked);
    for (const field of form.querySelectorAll("[data-field]"))
      field.hidden = hidden.includes(field.dataset.field);
    warn();
  }

  /** Says what keeps an address from running, and where the model was made for shorter sequences; the
   *  answer stands all the same. */
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

  /** What was found, beside the word that leaves it open. */
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
    let typed = false; // something, and it is not in the address yet
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
    // the browser's own address field takes the focus without a change
    control.addEventListener("blur", () => typed && enterTyped());
  }
  for (const radio of radios)
    radio.addEventListener("change", () => enter("method", radio.value, true));
  form.addEventListener("submit", (event) => event.preventDefault());

  /** Takes a change that the page proposes. */
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

  /** Puts a text on the clipboard, also where a page has no leave to do so itself. */
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
