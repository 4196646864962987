/* A plan's page that follows its inputs: the controls, the figures, the charts, the address.
 *
 * The only state is the changes to inputs, and these are in the address. Every change goes through
 * `go`, which computes the plan and rewrites every mark. Without this script, the page shows the
 * plan as published; with it, nothing is requested from a server.
 */
"use strict";

(() => {
  const { formatBy, plain, ends } = scalesheet.numbers;
  const { change, without, edited, find, fromQuery, toQuery, goTo, cellName } = scalesheet.inputs;
  const { view, place, mark, update, inSight, element, drawn, rowTitle } = scalesheet.marks;
  const { field, host: hostOf, button, copying } = scalesheet.fields;
  const { yaml, command } = scalesheet.patch;
  const MOST_IN_BAR = 4;
  const OLD_LAYOUTS =
    " Layouts that no file states are still those of the published plan: this page does not search" +
    " for better ones. The command line below does, and so does a build.";

  const panel = document.querySelector("[data-plan]");
  const plan = panel && scalesheet.plans[panel.dataset.plan];
  if (!plan?.shown) return;
  const { shown } = plan;
  const content = panel.parentElement;
  // compact.py names the columns of a table once, and the row of its figures
  const bare = "table[data-columns] tr[data-row]:not(:has(> td[data-of]))";
  for (const row of content.querySelectorAll(bare))
    for (const [n, column] of row.closest("table").dataset.columns.split(" ").entries()) {
      const [of, as] = column.split(":");
      if (of !== "-") row.cells[n].dataset.of = `/${of}`;
      if (as) row.cells[n].dataset.as = as;
    }
  for (const figure of content.querySelectorAll("[data-row] :is([data-of^='/'], [data-of*='@/'])")) {
    const at = figure.closest("[data-row]");
    figure.dataset.of = figure.dataset.of.replace(/^(?=\/)|(?<=@)/, at.dataset.row);
    if (at.matches("details") && !figure.closest("summary")) figure.dataset.own = "";
  }
  const sides = new Map(Object.entries(shown.sides)); // by scenario, of what has several

  let changes = new Map();
  let published; // the plan as stated: computed on first use
  let now; // the plan with the changes

  // ---------------------------------------------------------------- computing

  const scenarioOf = (changed) => changed.get("scenario") ?? shown.scenarios[0];

  /** One for the plan shown, one for each scenario in comparisons, and one for charts over
   *  values of an input. */
  const machines = new Map();
  const OVER_VALUES = Symbol("over values");

  function resultsOf(changed, word) {
    return resultsBy(word, word ? new Map(changed).set("scenario", word) : changed);
  }

  function resultsBy(key, changed) {
    const inputs = edited(plan, changed);
    const machine = machines.get(key);
    if (machine) return machine.set(inputs);
    machines.set(key, scalesheet.runtime.machine(plan, inputs));
    return machines.get(key).results;
  }

  /** The plan with changed inputs, as marks read it; `within` fixes a scenario, since figures
   *  side by side share their format. */
  function computed(changed) {
    let sides;
    const within = (word) => {
      if (!sides) {
        const all = shown.scenarios.map((each) => resultsOf(changed, each));
        sides = new Map(shown.scenarios.map((each, n) => [each, view(plan, all[n], all)]));
      }
      return sides.get(word);
    };
    return { ...view(plan, resultsOf(changed)), within };
  }

  function start() {
    published ??= computed(new Map());
    now ??= published;
  }

  function current() {
    start();
    return now;
  }

  /** The input behind a figure, which may depend on the scenario. */
  const found = new Map(); // by scenario and figure
  function inputIn(scenario, of) {
    const key = `${scenario} ${of}`;
    if (!found.has(key)) found.set(key, find(plan, nameIn(scenario, of)));
    return found.get(key);
  }

  function nameIn(scenario, of) {
    const at = place(plan, of);
    if (at.table === undefined) return sides.get(of)?.[scenario] ?? of;
    const own = sides.get(`${at.table}/${at.column}`)?.[scenario] ?? at.column;
    return cellName(at.table, at.id, own);
  }

  // ---------------------------------------------------------------- changing

  /** Set the changes; `done` if they are worth a step of the browser's history. */
  function go(next, done) {
    changes = next;
    write();
    if (!done) return;
    host.begin();
    setTimeout(writeAddress); // after the figures are painted, since it takes longer
  }

  function writeAddress() {
    goTo(toQuery(changes));
    writeLinks();
  }

  const host = hostOf(plan, (of) => inputIn(scenarioOf(changes), of), () => changes, go);

  function readAddress() {
    const { changes: asked, faults } = fromQuery(plan, location.search);
    changes = asked;
    host.begin();
    tellFaults(faults);
    if (changes.size || now) {
      write();
      writeRest();
    } else writePanel();
    writeLinks();
  }

  // ---------------------------------------------------------------- the page

  const fields = [];
  const marks = [];
  for (const target of document.querySelectorAll("[data-of]")) {
    const made = target.dataset.input === undefined ? undefined : field(plan, target, host);
    if (made) fields.push(made);
    else marks.push(mark(plan, target));
  }
  const charts = Array.from(document.querySelectorAll("[data-chart]"), (target) => ({
    target,
    chart: shown.charts[target.dataset.chart],
  }));
  content
    .querySelector(".actions > .unit")
    ?.after(
      element(
        "span",
        { class: "unit", "data-published": true, hidden: true },
        " · as published, without your changes",
      ),
    );
  const [ofScenario, ofChanges, ofValue] = ["[data-when]", "[data-published]", "[data-only]"].map(
    (each) => Array.from(document.querySelectorAll(each)),
  );
  const used = content.querySelector("[data-used]");
  const pages = new Set(shown.pages);

  // ---------------------------------------------------------------- order of updates

  /** Visible parts are updated at once, the others after the browser has painted. */
  const near = new Set();
  const sight = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries)
        if (isIntersecting) near.add(target);
        else near.delete(target);
      if (waiting) writeRest();
    },
    { rootMargin: "50%" },
  );
  let waiting; // the timer for the others
  for (const block of content.children) sight.observe(block);

  function blockOf(target) {
    while (target.parentElement && target.parentElement !== content) target = target.parentElement;
    return target;
  }

  const parts = [];
  const follow = (target, writePart) => parts.push({ block: blockOf(target), write: writePart });
  for (const each of marks) if (each) followMark(each);
  for (const each of charts) follow(each.target, () => writeChart(each));
  for (const each of fields)
    follow(each.target, () => {
      const { name } = inputIn(scenarioOf(changes), each.of) ?? {};
      each.update(now, changes.has(name));
    });

  /** For parts of the page with their own script, loaded after this one. */
  scalesheet.page = Object.freeze({
    plan,
    content,
    follow: (target, writePart) => follow(target, () => writePart(changes)),
    enter: (name, text) => go(change(plan, changes, name, text), true),
    changes: () => changes,
    results: () => current().results,
  });

  function followMark(each) {
    follow(each.target, () => inSight(each) && writeMark(each));
  }

  function writeRest() {
    clearTimeout(waiting);
    waiting = undefined;
    for (const each of parts) each.write();
    writeUsed();
    writeTornados();
  }

  const tornados = Array.from(document.querySelectorAll("[data-tornado]"));
  let stopTornados; // while they are computed
  function writeTornados() {
    if (!tornados.length || (changes.size === 0 && !stopTornados)) return;
    stopTornados?.();
    const machine = machines.get(undefined);
    stopTornados = scalesheet.tornado.follow(plan, machine, tornados, changes.size === 0);
  }

  /** Write everything that the page shows of the plan. */
  function write() {
    start();
    now = computed(changes);
    for (const each of parts) if (near.has(each.block)) each.write();
    for (const each of ofScenario) each.hidden = each.dataset.when !== scenarioOf(changes);
    for (const each of ofChanges) each.hidden = changes.size === 0;
    for (const each of ofValue) {
      const [name, value] = each.dataset.only.split("=");
      each.hidden = String(now.results.scalars[name].value) !== value;
    }
    writePanel();
    stopTornados?.();
    clearTimeout(waiting);
    waiting = setTimeout(() => requestAnimationFrame(() => waiting && writeRest()));
  }

  function writeMark(each) {
    const from = (of) => (each.within ? of.within(each.within) : of);
    update(plan, each, from(published), from(now));
  }

  /** Folded content is written when it opens. */
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!target.open || !now) return;
      for (const each of marks)
        if (each && target.contains(each.target) && inSight(each)) writeMark(each);
    },
    true,
  );

  function writeChart(each) {
    if (now.results === each.from) return;
    each.from = now.results;
    const { svg, rows } = picture(each, now, changes);
    const key = JSON.stringify(svg);
    if (key === each.last) return;
    each.first ??= JSON.stringify(picture(each, published, new Map()).svg);
    each.last = key;
    each.target.querySelector("svg").replaceWith(drawn(svg));
    if (rows) each.target.querySelector("tbody").replaceWith(drawn(["tbody", {}, ...rows]));
    each.target.classList.toggle("changed", key !== each.first);
  }

  const picture = ({ chart }, { results }, changed) =>
    scalesheet.picture(plan, chart, results, (name, value) =>
      resultsBy(OVER_VALUES, new Map(changed).set(name, value)),
    );

  /** The rows of the catalogue that the plan refers to, as selected by the inputs. */
  function writeUsed() {
    if (!used) return;
    const groups = new Map();
    const add = ({ table }, cell) => {
      if (!shown.tables[table]?.page || typeof cell.value !== "string") return;
      const { title } = shown.tables[table];
      if (!groups.has(title)) groups.set(title, new Map());
      groups.get(title).set(`../${table}/${cell.value}.html`, rowTitle(plan, table, cell.value));
    };
    for (const name of Object.keys(shown.scalars))
      add(shown.scalars[name], now.results.scalars[name]);
    for (const [name, { page, columns }] of Object.entries(shown.tables)) {
      if (page) continue;
      for (const column of Object.keys(columns)) {
        if (!columns[column].table) continue;
        for (const cell of now.results.tables[name][column]) add(columns[column], cell);
      }
    }
    const key = JSON.stringify(Array.from(groups, ([title, links]) => [title, ...links.keys()]));
    if (key === writeUsed.last) return;
    writeUsed.last = key;
    used.replaceChildren(
      ...Array.from(groups)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([title, links]) => [
          element("dt", {}, title),
          element(
            "dd",
            {},
            ...Array.from(links, ([href, text], n) => [
              n ? "; " : "",
              element("a", { href }, text),
            ]).flat(),
          ),
        ]),
    );
  }

  /** Links to other pages of the plan keep the inputs. */
  function writeLinks() {
    beside.setAttribute("href", scalesheet.inputs.besidePublished(plan.shown.pages[0], changes));
    const folder = (path) => path.split("/").slice(0, -1).join("/");
    for (const link of document.querySelectorAll(`a[href*="${CSS.escape(plan.id)}"]`)) {
      const [, page, part = ""] =
        /^([^?#]+)(?:\?[^#]*)?(#.*)?$/.exec(link.getAttribute("href")) ?? [];
      const name = page
        ?.split("/")
        .at(-1)
        .replace(/\.html$/, "");
      if (!pages.has(name) || folder(link.pathname) !== folder(location.pathname)) continue;
      link.setAttribute("href", page + toQuery(changes) + part);
    }
  }

  // ---------------------------------------------------------------- the panel

  const radios = Array.from(panel.querySelectorAll("input[type=radio]"));
  for (const radio of radios) {
    radio.addEventListener("change", () =>
      go(change(plan, changes, "scenario", radio.value), true),
    );
  }
  const list = element("ul", { class: "changes" });
  const status = element("p", { role: "status", class: "note" });
  const faultsAt = element("div", { role: "alert" });
  const beside = element("a", {}, "Compare with the published plan");
  const resetAll = () => {
    tellFaults([]);
    go(new Map(), true);
  };
  const folded = texts();
  const state = element(
    "div",
    { class: "state", hidden: true },
    list,
    status,
    element("p", { class: "buttons" }, ...buttons()),
    folded,
  );
  panel.append(faultsAt, state);
  panel.classList.add("live");

  function buttons() {
    return [
      ...copying("Copy the link", () => location.href),
      ...copying("Copy as YAML", () => yaml(plan, changes)),
      beside,
      button("Back to the published plan", resetAll),
    ];
  }

  /** The changes as text, folded: for the plan's file, and for the command line. */
  function texts() {
    const shownAs = (title, text, ...more) => {
      const code = element("code")
      writers.push(() => (code.textContent = text()));
      const head = element("p", { class: "label" }, title, " ", ...more);
      return [head, element("pre", { class: "wrap" }, code)];
    };
    const download = () => {
      const file = new Blob([yaml(plan, changes)], { type: "application/yaml" });
      const href = URL.createObjectURL(file);
      element("a", { href, download: `${plan.id}-changes.yaml` }).click();
      setTimeout(() => URL.revokeObjectURL(href), 1000);
    };
    const writers = [];
    const fold = element("details", { class: "quiet texts" });
    fold.addEventListener("toggle", () => fold.write());
    fold.write = () => fold.open && writers.forEach((each) => each());
    fold.append(
      element("summary", {}, "The changes as text: for the plan's file, for the command line"),
      ...shownAs(
        "For the plan's file, replacing the current values",
        () => yaml(plan, changes),
        button("Download", download),
      ),
      ...shownAs(
        "On the command line",
        () => command(plan, changes),
        ...copying("Copy", () => command(plan, changes)),
      ),
      element(
        "p",
        { class: "note" },
        "The workbook to download is that of the published plan. It computes the same once its ",
        "yellow cells have these values.",
      ),
    );
    return fold;
  }

  const bar = element("aside", {
    class: "what-if-bar",
    "aria-label": "With your changes",
    hidden: true,
  });
  content.append(bar);
  const figures = element("div");
  const headline = Array.from(content.querySelectorAll(".hero > .figure")).slice(0, MOST_IN_BAR);
  for (const figure of headline) {
    const { of } = figure.querySelector(".value")?.dataset ?? {};
    if (!of) continue;
    const shownThere = figure.querySelector(".value").cloneNode(true);
    const made = element("span", { "data-of": of, "data-as": "figure" }, ...shownThere.childNodes);
    const label = element("span", { class: "label" }, figure.querySelector(".label").textContent);
    figures.append(element("p", {}, label, made));
    followMark(mark(plan, made));
    near.add(bar);
  }
  const counted = element("a", { href: `#${panel.id}` });
  bar.append(figures, element("p", { class: "buttons" }, counted, button("Reset", resetAll)));

  function tellFaults(faults) {
    faultsAt.replaceChildren(
      ...faults.map((text) =>
        element("p", { class: "bad" }, `This link contains a value we don't know: ${text}`),
      ),
    );
  }

  function writePanel() {
    for (const radio of radios) radio.checked = radio.value === scenarioOf(changes);
    state.hidden = bar.hidden = changes.size === 0;
    if (changes.size === 0) {
      status.textContent = "";
      return;
    }
    list.replaceChildren(...Array.from(changes, ([name, value]) => listed(name, value)));
    const { differing, all } = differences();
    const [some, every] = [differing, all].map((count) => count.toLocaleString("en"));
    status.textContent = `${some} of ${every} figures of the plan differ from the published ones.`;
    if (shown.searched?.some((name) => changes.has(name))) status.append(OLD_LAYOUTS);
    folded.write();
    counted.textContent = changes.size === 1 ? "1 change" : `${changes.size} changes`;
  }

  /** `Batch size: 8 → 16 seq/step`, with a button to undo it. */
  function listed(name, value) {
    const { quantity, table, row, stated } = find(plan, name);
    const rowName = table === undefined ? "" : `, ${plan.inputs.tables[table].titles[row]}`;
    const title = quantity.title + rowName;
    const reset = button("×", () => go(without(changes, name), true));
    reset.setAttribute("aria-label", `Undo: ${title}`);
    return element(
      "li",
      {},
      element("strong", {}, title),
      " ",
      element("s", {}, inWords(quantity, stated)),
      " → ",
      inWords(quantity, value),
      quantity.symbol ? element("span", { class: "unit" }, `\u00a0${quantity.symbol}`) : "",
      " ",
      reset,
    );
  }

  function inWords(quantity, value) {
    if (quantity.table) return rowTitle(plan, quantity.table, value);
    if (typeof value === "string") return value.replaceAll("_", " ");
    if (value?.reason !== undefined) return value.reason;
    const cell =
      typeof value === "number"
        ? { value, low: value, high: value }
        : typeof value === "boolean"
          ? { value }
          : value;
    const format = formatBy(quantity.rule ?? {}, [cell]);
    return ends(cell, format) || plain(cell, format);
  }

  /** The number of figures that differ from the published ones. */
  function differences() {
    let [differing, all] = [0, 0];
    const count = (quantity, a, b) => {
      if (quantity.hidden) return;
      all += 1;
      if (a === b) return;
      if (a.value !== b.value || a.low !== b.low || a.high !== b.high || a.reason !== b.reason)
        differing += 1;
    };
    const [first, second] = [published.results, now.results];
    for (const name of Object.keys(shown.scalars))
      count(shown.scalars[name], first.scalars[name], second.scalars[name]);
    for (const [name, { page, columns }] of Object.entries(shown.tables)) {
      if (page) continue;
      for (const column of Object.keys(columns)) {
        const [old, other] = [first.tables[name][column], second.tables[name][column]];
        if (old !== other) old.forEach((cell, n) => count(columns[column], cell, other[n]));
        else if (!columns[column].hidden) all += old.length;
      }
    }
    return { differing, all };
  }

  // ---------------------------------------------------------------- on demand

  let readBy; // what each step reads, by its key
  function readsOf() {
    const { s, t } = scalesheet.runtime.start(plan.inputs);
    const pairs = ([key, reads]) => [key, reads.split(" ").filter(Boolean)];
    return (readBy ??= new Map(plan.steps(s, t).map(pairs)));
  }
  scalesheet.explain.attach(plan, content, {
    get published() {
      start();
      return published;
    },
    now: current,
    reads: (key) => readsOf().get(key) ?? [],
    anchor: (key) => (readsOf().has(key) && !sides.has(key) ? "f." : "i.") + key.replace("/", ":"),
    address: (key, part) =>
      `${shown.pages[shown.homes[key] ?? 0]}.html${toQuery(changes)}#${part}`,
  });

  // ---------------------------------------------------------------- start

  addEventListener("popstate", () => {
    if (toQuery(changes) !== location.search) readAddress();
  });
  content.addEventListener("focusin", () => setTimeout(start), { once: true }); // a change is near
  readAddress();
})();
