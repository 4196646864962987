/* The page that holds two plans side by side: each with inputs of its own, and the data of a day.
 *
 * The address is the state: `?a=pixelis&a.batch_size=16&a.prices=2026-06-01&b=pixelis`. A plan's script
 * is loaded when it is asked for, and computes both sides as it computes the plan's own page; what is
 * added here is which figures stand beside which, and their ratio.
 */
"use strict";

(() => {
  const page = document.querySelector("#sides");
  const { compared, runtime } = scalesheet;
  if (!page || !compared) return;
  const { formatBy, number } = scalesheet.numbers;
  const { Refused, change, edited, find, fromQuery, toQuery, cellName } = scalesheet.inputs;
  const { element, parts, place, rowTitle, view } = scalesheet.marks;
  const ids = Object.keys(compared.plans);
  if (!ids.length) return;
  const FOREIGN = new Set(["h"]); // what the theme's search asks a page to mark
  const DAY = /^\d{4}-\d{2}-\d{2}$/;
  const OFFERS = "offers";

  /** What each side shows: a plan, changes of its inputs, the day of its data or nothing. */
  const sides = ["a", "b"].map((letter) => ({ letter, changes: new Map(), day: "", pinned: [] }));
  let asked = 0; // of the addresses: a plan that arrives late is not shown over a later one

  // ---------------------------------------------------------------- plans

  const loading = new Map();

  /** A plan with its inputs and formulas, from its own script. */
  function load(id) {
    if (scalesheet.plans[id]?.shown) return Promise.resolve(scalesheet.plans[id]);
    if (!loading.has(id)) {
      const script = element("script", { src: `../assets/${id}.js` });
      const done = new Promise((resolve, reject) => {
        script.addEventListener("load", () => resolve(scalesheet.plans[id]));
        script.addEventListener("error", () => {
          loading.delete(id);
          reject(new Refused(`The formulas of “${compared.plans[id].title}” did not load.`));
        });
      });
      loading.set(id, done);
      document.head.append(script);
    }
    return loading.get(id);
  }

  /** Whether a text is a day of the calendar. */
  const isDay = (text) =>
    DAY.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);

  const readsPrices = (plan) => plan.inputs.tables[OFFERS]?.columns.node_price !== undefined;

  const noPrice = (day) => `no price known at ${day}`;

  /** The plan with the data of a day, as a build at that day has it: prices, and values that
   *  were others then. */
  function dated(plan, day) {
    if (!day) return plan;
    const { tables, scalars } = plan.inputs;
    const own = compared.earlier.plans?.[plan.id] ?? {};
    const past = { ...compared.earlier.tables, ...own.tables };
    const then = { scalars: { ...scalars }, tables: { ...tables } };
    for (const [name, entries] of Object.entries(own.scalars ?? {}))
      then.scalars[name] = held(entries, day, scalars[name]);
    for (const name of Object.keys(past).filter((each) => tables[each]))
      then.tables[name] = withPast(tables[name], past[name], day);
    if (readsPrices(plan)) then.tables[OFFERS] = withPrices(plan, then.tables[OFFERS], day);
    return { ...plan, inputs: then };
  }

  // formulas that reckon with no reason get no number, which leaves them without one
  const NONE = { value: NaN };

  /** What held on a day: a day belongs to what begins on it. */
  function held(entries, day, now) {
    const found = entries.find(([until]) => day < until);
    return found ? (found[1] ?? NONE) : now;
  }

  function withPast(table, past, day) {
    const columns = { ...table.columns };
    for (const [column, cells] of Object.entries(past)) {
      columns[column] = table.columns[column].map((now, row) =>
        held(cells[table.rows[row]] ?? [], day, now),
      );
    }
    return { ...table, columns };
  }

  function withPrices(plan, table, day) {
    const { ranged } = plan.shown.tables[OFFERS].columns.node_price;
    const { of, reason } = compared.prices;
    const none = reason ? { reason: noPrice(day) } : NONE;
    const found = table.rows.map((id) => (of[id] ?? []).filter(([since]) => since <= day).at(-1));
    const amount = ([, , value, low, high]) => {
      if (value.reason !== undefined) return reason ? value : none;
      return ranged && low !== undefined ? { value, low, high } : value;
    };
    const columns = {
      ...table.columns,
      node_price: found.map((price) => (price ? amount(price) : none)),
      since: found.map((price) => price?.[0] ?? null),
      seen: found.map((price) => price?.[1] ?? null),
    };
    return { ...table, columns };
  }

  // ---------------------------------------------------------------- the address

  /** What an address asks of each side, and what of it belongs to none. */
  function split(search) {
    const found = { a: { rest: [] }, b: { rest: [] } };
    const faults = [];
    for (const [name, text] of new URLSearchParams(search)) {
      const [side, ...rest] = name.split(".");
      if (!Object.hasOwn(found, side)) {
        if (!FOREIGN.has(name)) faults.push(`“${name}” is of neither side: write a.${name}`);
      } else if (rest.length === 0) found[side].id = text;
      else found[side].rest.push([rest.join("."), text]);
    }
    return { found, faults };
  }

  async function readAddress() {
    const turn = (asked += 1);
    const { found, faults } = split(location.search);
    const usual = [ids[0], found.a.id ?? ids[1] ?? ids[0]];
    for (const [n, side] of sides.entries()) {
      const { id, rest } = found[side.letter];
      const known = id === undefined || Object.hasOwn(compared.plans, id);
      if (!known) faults.push(`There is no plan “${id}” here.`);
      const next = id !== undefined && known ? id : ids.includes(usual[n]) ? usual[n] : ids[0];
      side.asked = { id: next, rest };
    }
    let plans;
    try {
      plans = await Promise.all(sides.map((side) => load(side.asked.id)));
    } catch (error) {
      if (turn === asked) tell([...faults, error.message]);
      return;
    }
    if (turn !== asked) return;
    sides.forEach((side, n) => take(side, plans[n], side.asked.rest, faults));
    tell(faults);
    rebuild();
  }

  /** Makes what an address asks for the state of a side. */
  function take(side, plan, rest, faults) {
    const inputs = new URLSearchParams();
    let day = "";
    for (const [name, text] of rest) {
      if (name !== "prices" || find(plan, name)) inputs.append(name, text);
      else if (isDay(text)) day = text;
      else faults.push(`“${text}” is no day; write prices=2026-06-01.`);
    }
    const { changes, faults: own } = fromQuery(plan, inputs.toString());
    faults.push(...own.map((text) => `${side.letter.toUpperCase()}: ${text}`));
    Object.assign(side, { id: side.asked.id, plan, changes, before: changes, day, pinned: [] });
  }

  function addressOf([a, b]) {
    const of = ({ letter, id, changes, day }) => {
      const own = toQuery(changes).slice(1);
      return [
        `${letter}=${encodeURIComponent(id)}`,
        ...(day ? [`${letter}.prices=${day}`] : []),
        ...(own ? own.split("&").map((each) => `${letter}.${each}`) : []),
      ];
    };
    return `?${[...of(a), ...of(b)].join("&")}`;
  }

  function writeAddress() {
    const address = new URL(location.href);
    address.search = addressOf(sides);
    if (address.href !== location.href) history.pushState(null, "", address);
  }

  // ---------------------------------------------------------------- a side

  const scenarioOf = ({ plan, changes }) => changes.get("scenario") ?? plan.shown.scenarios[0];

  /** `batch_size`, or `runs/small/steps` of a cell: an input as a mark names it. */
  function markOf(plan, name) {
    const { table, row, column } = find(plan, name);
    return table === undefined ? name : `${table}/${plan.inputs.tables[table].rows[row]}/${column}`;
  }

  function nameOf(of) {
    const [table, row, column] = of.split("/");
    return row === undefined ? of : cellName(table, row, column);
  }

  /** What a field asks of the page that it stands on. */
  function hostOf(side) {
    const input = (of) => {
      const found = find(side.plan, nameOf(of));
      if (!found) return undefined;
      const { name, stated } = found;
      return { ...found, value: side.changes.has(name) ? side.changes.get(name) : stated };
    };
    const go = (changes, done) => {
      side.changes = changes;
      write();
      if (!done) return;
      side.before = changes;
      setTimeout(writeAddress); // after the figures are painted: it takes longer than they do
    };
    return {
      input,
      begin() {
        side.before = side.changes;
      },
      enter({ of, number: typed }, text, done) {
        const from = typed ? side.before : side.changes;
        const next = text === undefined ? from : change(side.plan, from, input(of).name, text);
        const scenario = scenarioOf(side);
        go(next, done);
        if (scenarioOf(side) !== scenario) build(side);
      },
      reset(of) {
        const rest = new Map(side.changes);
        rest.delete(input(of).name);
        go(rest, true);
        if (of === "scenario") build(side);
      },
    };
  }

  /** The inputs that a reader may change: not those of the other scenario. */
  function changeable({ plan, ...side }) {
    const end = `.${scenarioOf({ plan, ...side })}`;
    return Object.keys(plan.inputs.scalars).filter((name) => {
      const { hidden, kind } = plan.shown.scalars[name];
      return find(plan, name) && kind !== "text" && (!hidden || name.endsWith(end));
    });
  }

  const labelled = (text, control) =>
    element("label", {}, element("span", { class: "label" }, text), control);

  function button(text, act) {
    const made = element("button", { type: "button" }, text);
    made.addEventListener("click", () => act(made));
    return made;
  }

  function select(options, chosen, act) {
    const made = element(
      "select",
      {},
      ...options.map(([value, text]) => element("option", { value }, text)),
    );
    made.value = chosen;
    made.addEventListener("change", () => act(made.value));
    return made;
  }

  /** Everything that belongs to a side, anew: its plan, the day of its data, its fields. */
  function build(side) {
    const { plan, id, letter, day, changes } = side;
    const word = letter.toUpperCase();
    const titles = ids.map((each) => [each, compared.plans[each].title]);
    const plans = select(titles, id, (next) => choosePlan(side, next));
    plans.setAttribute("aria-label", `Plan ${word}`);
    const { edition } = compared;
    const days = [edition, ...compared.days];
    const data = select(
      [...new Set([...days, day || edition])]
        .sort()
        .reverse()
        .map((each) => [each === edition ? "" : each, each === edition ? `${each}, now` : each]),
      day,
      (next) => {
        side.day = next;
        write();
        writeAddress();
      },
    );
    const names = [...compared.plans[id].choices, ...changes.keys(), ...side.pinned];
    side.fields = [];
    const listed = Array.from(new Set(names), (name) => fieldOf(side, name)).filter(Boolean);
    const others = changeable(side).filter((name) => !names.includes(name));
    const more = select(
      [["", "Choose …"], ...others.map((name) => [name, titleOf(plan, name)])],
      "",
      (name) => {
        side.pinned.push(name);
        build(side);
        write();
        side.at.querySelector(`[data-of="${CSS.escape(name)}"] :is(input, select)`)?.focus();
      },
    );
    side.open = element("a", {});
    side.reset = button("Back to the published plan", () => {
      Object.assign(side, { changes: new Map(), before: new Map(), day: "", pinned: [] });
      build(side);
      write();
      writeAddress();
    });
    side.at.replaceChildren(
      element("div", { class: "title" }, element("span", { class: "letter" }, word), plans),
      element(
        "div",
        { class: "choices" },
        ...(days.length > 1 ? [labelled("Data of", data)] : []),
        ...listed,
        labelled("Another input", more),
      ),
      element("p", { class: "buttons" }, side.open, side.reset),
    );
  }

  function titleOf(plan, name) {
    const { quantity, table, row } = find(plan, name);
    return table === undefined
      ? quantity.title
      : `${quantity.title}, ${plan.inputs.tables[table].titles[row]}`;
  }

  function fieldOf(side, name) {
    if (!find(side.plan, name)) return undefined;
    const of = markOf(side.plan, name);
    const target = element("span", { "data-of": of, "data-as": "amount" });
    const made = scalesheet.fields.field(side.plan, target, hostOf(side));
    if (!made) return undefined;
    side.fields.push({ ...made, name });
    return element(
      "div",
      { class: "choice" },
      element("span", { class: "label" }, titleOf(side.plan, name)),
      target,
    );
  }

  async function choosePlan(side, id) {
    const turn = (asked += 1);
    try {
      const plan = await load(id);
      if (turn !== asked) return;
      Object.assign(side, { id, plan, changes: new Map(), before: new Map(), pinned: [] });
      tell([]);
      rebuild();
      writeAddress();
    } catch (error) {
      tell([error.message]);
    }
  }

  // ---------------------------------------------------------------- which figures

  /** Pairs of figures `[name, group, scale]`, the same name first, else in their order. */
  function paired(a, b) {
    const rest = b.filter(([name]) => !a.some(([other]) => other === name));
    return [
      ...a.map((each) => [each, b.find(([name]) => name === each[0]) ?? rest.shift()]),
      ...rest.splice(0).map((each) => [undefined, each]),
    ];
  }

  /** All pairs of two plans, by question. */
  function aligned(a, b) {
    const of = (figures, group) => figures.filter((each) => each[1] === group);
    const every = [...a, ...b].map(([, group]) => group);
    const known = compared.groups.filter((group) => every.includes(group));
    const groups = Array.from(new Set([...known, ...every]));
    const pairs = groups.map((group) => [group, paired(of(a, group), of(b, group))]);
    return pairs.flatMap(([group, found]) => found.map(([x, y]) => ({ group, x, y })));
  }

  // ---------------------------------------------------------------- the table

  const table = element(
    "table",
    { class: "data compared" },
    element("thead", {}, element("tr")),
    element("tbody"),
  );
  const differing = element("details", { class: "differing", hidden: true });

  const cellIn = (side, name) => side.view.cell(place(side.plan, name));

  function shownIn(side, [name], heading) {
    const at = place(side.plan, name);
    const cell = side.view.cell(at);
    const { reason, word, number: text, unit, range } = parts(at, cell, side.view.format(at));
    const td = element("td", { class: reason === undefined ? "num" : "reason" });
    if (reason !== undefined)
      td.append(side.day && reason === runtime.NO_VALUE ? noPrice(side.day) : reason);
    else if (text !== undefined) {
      td.append(element("span", { class: "num" }, text));
      if (unit) td.append("\u00a0", element("span", { class: "unit" }, unit));
      if (range) td.append(" ", element("span", { class: "range" }, range));
    } else td.append(at.quantity.table ? rowTitle(side.plan, at.quantity.table, cell.value) : word);
    if (at.quantity.title !== heading)
      td.append(element("span", { class: "note" }, at.quantity.title));
    return td;
  }

  /** `1.65 ×` of two numbers, else whether both say the same. */
  function against(x, y) {
    if (!x || !y) return "";
    const [one, other] = [cellIn(sides[0], x[0]), cellIn(sides[1], y[0])];
    if (typeof one.value !== "number" || typeof other.value !== "number") {
      const same = one.value === other.value && one.reason === other.reason;
      return same ? "same" : "differs";
    }
    if (one.value * x[2] === other.value * y[2]) return "same";
    const value = runtime.divide(other.value * y[2], one.value * x[2]);
    return Number.isFinite(value) ? `${number(value, formatBy({ digits: 3 }, [{ value }]))} ×` : "";
  }

  function row({ group, x, y }) {
    const [a, b] = sides;
    const titles = [x && place(a.plan, x[0]), y && place(b.plan, y[0])].map(
      (at) => at?.quantity.title,
    );
    const heading = a.id === b.id || titles[0] === titles[1] ? (titles[0] ?? group) : group;
    const told = against(x, y);
    return element(
      "tr",
      { class: told === "same" ? "same" : null },
      element("th", { scope: "row" }, heading),
      x ? shownIn(a, x, heading) : element("td"),
      y ? shownIn(b, y, heading) : element("td"),
      element("td", { class: "ratio" }, told),
    );
  }

  function head() {
    const column = ({ letter, id, day, changes }) => {
      const counted = changes.size === 1 ? "1 change" : `${changes.size} changes`;
      const told = [changes.size ? counted : "as published", day && `data of ${day}`];
      return element(
        "th",
        { scope: "col", class: "num" },
        `${letter.toUpperCase()}: ${compared.plans[id].title}`,
        element("span", { class: "note" }, told.filter(Boolean).join(", ")),
      );
    };
    return [
      element("th", { scope: "col" }, "Figure"),
      ...sides.map(column),
      element("th", { scope: "col", class: "num" }, "B against A"),
    ];
  }

  /** Of one plan in two states, all other figures that differ. */
  function others(shown) {
    const [a, b] = sides;
    if (a.id !== b.id) return [];
    const known = new Set(shown.flatMap(({ x, y }) => [x?.[0], y?.[0]]));
    return Object.keys(a.plan.shown.scalars)
      .filter((name) => {
        const { hidden } = a.plan.shown.scalars[name];
        if (hidden || known.has(name)) return false;
        const [one, other] = [cellIn(a, name), cellIn(b, name)];
        return ["value", "low", "high", "reason"].some((part) => one[part] !== other[part]);
      })
      .map((name) => ({ group: name, x: [name, "", 1], y: [name, "", 1] }));
  }

  /** What a side's plan gives; only what rests on a change is computed again. */
  function resultsOf(side, inputs) {
    if (side.computes === side.plan) return side.machine.set(inputs);
    side.computes = side.plan;
    side.machine = runtime.machine(side.plan, inputs);
    return side.machine.results;
  }

  function write() {
    const [a, b] = sides;
    for (const side of sides) {
      side.priced = dated(side.plan, side.day);
      side.results = resultsOf(side, edited(side.priced, side.changes));
    }
    const beside = a.id === b.id ? [a.results, b.results] : undefined;
    for (const side of sides) {
      side.view = view(side.priced, side.results, beside);
      const own = view(side.priced, side.results);
      for (const each of side.fields) each.update(own, side.changes.has(each.name));
      side.open.setAttribute("href", `../plans/${side.id}.html${toQuery(side.changes)}`);
      side.open.textContent = side.changes.size ? "Open the plan with these inputs" : "Open the plan";
      side.reset.hidden = !side.changes.size && !side.day;
    }
    const figures = sides.map(({ id }) => compared.plans[id].figures);
    const shown = aligned(...figures);
    table.tHead.rows[0].replaceChildren(...head());
    table.tBodies[0].replaceChildren(...shown.map(row));
    const rest = others(shown);
    differing.hidden = rest.length === 0;
    const counted = rest.length === 1 ? "1 further figure differs" : `${rest.length} further figures differ`;
    const body = element("tbody", {}, ...rest.map(row));
    const inner = element("table", { class: "data compared" }, body);
    differing.replaceChildren(
      element("summary", {}, counted),
      element("div", { class: "scroll" }, inner),
    );
    page.classList.add("filled");
  }

  // ---------------------------------------------------------------- start

  const alert = element("div", { role: "alert" });

  function tell(faults) {
    alert.replaceChildren(
      ...Array.from(new Set(faults), (text) => element("p", { class: "bad" }, text)),
    );
  }

  function rebuild() {
    for (const side of sides) build(side);
    write();
  }

  function swap() {
    const [a, b] = sides;
    const { id, plan, changes, before, day, pinned } = a;
    for (const key of ["id", "plan", "changes", "before", "day", "pinned"]) a[key] = b[key];
    Object.assign(b, { id, plan, changes, before, day, pinned });
    rebuild();
    writeAddress();
  }

  const copy = (made) =>
    navigator.clipboard.writeText(location.href).then(() => {
      made.textContent = "Copied";
      setTimeout(() => made.replaceChildren("Copy the link"), 2000);
    });

  for (const side of sides)
    side.at = element("section", { class: "side", "aria-label": `Side ${side.letter.toUpperCase()}` });
  page.append(
    alert,
    element("div", { class: "both" }, ...sides.map(({ at }) => at)),
    element(
      "p",
      { class: "buttons" },
      button("Swap the sides", swap),
      ...(navigator.clipboard ? [button("Copy the link", copy)] : []),
    ),
    element("div", { class: "scroll" }, table),
    differing,
  );
  page.classList.add("live");
  addEventListener("popstate", readAddress);
  readAddress();
})();
