/* The section on uncertainty of a plan's page, for inputs that a reader changed.
 *
 * A worker makes the draws. Its script is the text of functions that this page has loaded, because
 * a page opened from a folder can load no other. If a browser refuses that, the page draws by
 * itself. The text is the same as that of `render/sureness.py`.
 */
"use strict";

(() => {
  const { page, runtime, marks, numbers, makeRuntime, makeDraws, makeQuantiles } = scalesheet;
  const part = (name) => document.querySelector(`[data-sure=${name}]`);
  const section = part("section");
  if (!page || !section || !page.plan.drawn) return;
  const { plan } = page;
  const { scalars } = plan.shown;
  const [MEMBERS, SHOWN] = [2, 5]; // as in sureness.py
  const SOBOL = "Alone and with others: share of the variance (first-order and total Sobol index).";
  const NAMES = ["p10", "p50", "p80", "p90", "mean"];

  // ---------------------------------------------------------------- the worker

  /** The data for answers, in the worker and in the page. */
  const spoken = { steps: plan.steps, inputs: plan.inputs, drawn: plan.drawn };
  const code = () => `"use strict";
globalThis.scalesheet = { plans: {} };
const rt = scalesheet.runtime = (${makeRuntime})();
const drawn = { ...${JSON.stringify(plan.drawn)}, made: ${plan.drawn.made} };
const spoken = { steps: ${plan.steps}, inputs: ${JSON.stringify(plan.inputs)}, drawn };
const answer = (${makeQuantiles})((${makeDraws})(rt)).answering(spoken);
onmessage = ({ data: [asked, changes] }) => {
  for (const found of answer(changes)) postMessage([asked, found]);
};
`;

  let ask; // (asked, changes), answers by `take`
  let wanted; // what the page shows, as text

  function start() {
    const inPage = () => {
      let answer;
      return (asked, changes) =>
        setTimeout(() => {
          if (asked !== wanted) return;
          answer ??= makeQuantiles(makeDraws(runtime)).answering(spoken);
          for (const found of answer(changes)) take([asked, found]);
        });
    };
    try {
      const worker = new Worker(URL.createObjectURL(new Blob([code()], { type: "text/javascript" })));
      let waiting;
      worker.onmessage = ({ data }) => take(data);
      worker.onerror = () => {
        ask = inPage();
        if (waiting) ask(...waiting);
      };
      ask = (...message) => worker.postMessage((waiting = message));
    } catch {
      ask = inPage();
    }
  }

  function take([asked, found]) {
    if (asked !== wanted) return;
    write(found);
    section.removeAttribute("aria-busy");
  }

  // ---------------------------------------------------------------- in words

  /** Fixed decimals; exact halves round to even, as in Python. */
  function fixed(x, decimals = 0) {
    const size = x * 10 ** decimals;
    const half = Math.abs(size % 1) === 0.5;
    return (half ? (2 * Math.round(size / 2)) / 10 ** decimals : x).toFixed(decimals);
  }

  const percent = (share, decimals = 0) => `${fixed(100 * share, decimals)} %`;

  function chance(share) {
    if (share === 0 || share === 1) return percent(share);
    const shown = percent(share, 1);
    if (shown !== "100.0 %" && shown !== "0.0 %") return shown;
    return share > 0.5 ? "more than 99.9 %" : "less than 0.1 %";
  }

  function hundred(share) {
    const count = fixed(100 * share);
    if ((count !== "0" && count !== "100") || share <= 0 || share >= 1) return count;
    return count === "100" ? "more than 99" : "less than 1";
  }

  /** A number without the digits that its error makes meaningless. */
  function deserved(value, error) {
    if (!Number.isFinite(value) || !(error > 0) || !Number.isFinite(error)) return value;
    const places = -Math.floor(Math.log10(error));
    if (places >= 0) return Number(fixed(value, Math.min(places, 100)));
    return Number(fixed(value / 10 ** -places)) * 10 ** -places;
  }

  const formatOf = (name, cell) => numbers.formatBy(scalars[name].rule ?? {}, [cell]);
  const unitOf = (name) => (scalars[name].symbol ? ` ${scalars[name].symbol}` : "");

  const dated = (name) => scalars[name].rule?.sort === "date";

  /** A difference of two values of a figure with its unit: days, if they are dates. */
  function amount(name, x) {
    if (dated(name)) return `${numbers.number(x, numbers.formatBy({}, [{ value: x }]))} d`;
    return numbers.number(x, formatOf(name, { value: x })) + unitOf(name);
  }

  function withADigit(format, error) {
    const shown = format.percent ? 100 * error : error;
    if (format.scientific || !(shown > 0)) return format;
    return { ...format, decimals: Math.max(format.decimals, -Math.floor(Math.log10(shown))) };
  }

  function rowOf(name, each, expected) {
    const format = formatOf(name, expected);
    const said = (x) => numbers.number(x, format);
    const at = Object.fromEntries(NAMES.map((level) => [level, deserved(each.values[level], each.errors[level])]));
    const error = each.errors.p80;
    return {
      name,
      title: scalars[name].title,
      quantiles: NAMES.map((level) => said(at[level])),
      reserve: dated(name) ? amount(name, Math.abs(at.p80 - at.p50)) : said(Math.abs(at.p80 - at.p50)),
      error: dated(name) ? amount(name, error) : numbers.number(error, withADigit(format, error)),
      expected: numbers.plain({ value: expected.value, reason: expected.reason }, format),
    };
  }

  function some(titles) {
    if (titles.length <= MEMBERS) return titles.join(" and ");
    return `${titles.slice(0, MEMBERS).join(", ")} and ${titles.length - MEMBERS} more`;
  }

  function called({ members, made }) {
    const titles = Array.from(new Set(members.values()));
    return made ? `${titles[0]} (predicted)` : some(titles);
  }

  const causesOf = (found) =>
    found.figures[found.first].causes.slice(0, SHOWN).map((each) => ({
      title: called(each.unknown),
      share: percent(each.share),
      total: each.total === undefined ? "…" : percent(each.total),
      saves: percent(each.saves),
      worth: amount(found.first, each.saves * found.figures[found.first].reserve),
      how: each.unknown.found_by,
    }));

  function narrowed({ measured, before, narrowed: name, figures }) {
    if (!name) return [];
    return [`Measured: ${some(measured)}. The reserve was ${amount(name, before)} before, and is ${amount(name, figures[name].reserve)}.`];
  }

  function* summary(found, rows) {
    if (!found.first) {
      const gone = found.left_out.map((name) => scalars[name].title);
      if (gone.length) yield `No value with these inputs: ${some(gone)}.`;
      if (Object.keys(found.figures).length || !gone.length)
        yield `No ${gone.length ? "other " : ""}figure shown is uncertain with these inputs.`;
      yield* narrowed(found);
      return;
    }
    const each = found.figures[found.first];
    const row = rows.find(({ name }) => name === found.first);
    const unit = unitOf(found.first);
    yield `${row.title}: ${row.quantiles[2]}${unit} is enough in 80 of 100 cases, and the expected ${row.expected}${unit} in ${hundred(each.expected)}.`;
    if (found.as_needed !== undefined)
      yield `Both hold the contingency in full; spent only as needed, ${row.expected}${unit} is enough in ${hundred(found.as_needed)}.`;
    for (const [name, share] of found.limits)
      yield `The chance to stay within the limit on ${scalars[name].title} is ${chance(share)}.`;
    for (const { name, on, share, covers, needed } of found.contingencies)
      yield `${scalars[name].title}: ${percent(share)} on ${scalars[on].title} covers ${hundred(covers)} of 100 simulated programs; ${percent(Math.max(needed, 0))} covers 80.`;
    yield* narrowed(found);
    const [{ title, how, saves, worth }] = causesOf(found);
    yield `Measure first: ${title}${how ? ` (${how})` : ""}. That would cut the reserve by ${saves} (${worth}).`;
    if (plan.drawn.published?.name === found.first)
      yield `Reserve with these inputs: ${amount(found.first, each.reserve)}; as published: ${plan.drawn.published.reserve}.`;
  }

  // ---------------------------------------------------------------- on the page

  const parts = Array.from(section.querySelectorAll("[data-sure]"));
  const published = new Map(parts.map((each) => [each, each.cloneNode(true)]));
  const number = (text) => ["td", { class: "num" }, text];
  const heading = (text) => ["th", { scope: "row" }, text];
  const body = (at, rows) => part(at)?.querySelector("tbody").replaceChildren(...rows.map((row) => marks.drawn(["tr", {}, ...row])));

  function hideNumbers(yes) {
    const fold = part("quantiles")?.parentElement;
    if (fold) fold.hidden = yes;
  }

  function write(found) {
    const { results } = page;
    const expected = (name) => results().scalars[name];
    const rows = Object.entries(found.figures).map(([name, each]) => rowOf(name, each, expected(name)));
    const link = part("summary").querySelector("a");
    part("summary").replaceChildren(Array.from(summary(found, rows)).join(" "), " ", link);
    const bars = found.first ? barsOf(found, rows, expected) : [];
    const picture = part("bars");
    hideNumbers(!found.first);
    if (picture) {
      picture.hidden = !bars.length;
      if (bars.length)
        picture.querySelector("svg").replaceWith(marks.drawn(scalesheet.quantile_bars.svg({ id: "quantiles", title: "How likely each figure is", axis: "% of the expected value", rows: bars })));
    }
    body("quantiles", rows.map((row) => [
      heading(row.title + (unitOf(row.name) ? ` (${unitOf(row.name).trim()})` : "")),
      ...[...row.quantiles, row.reserve, row.error].map(number),
    ]));
    body("causes", (found.first ? causesOf(found) : []).map(({ title, share, total, saves, worth, how }) => [
      heading(title), ...[share, total, `−${saves}`, worth].map(number), ["td", {}, how || "–"],
    ]));
    const count = found.unknowns.length;
    part("notes")?.replaceChildren(
      [`${found.draws.toLocaleString("en")} draws of ${count} uncertain input${count === 1 ? " or prediction" : "s and predictions"}, with your changes.`, SOBOL, ...notes(found)].join(" "),
    );
  }

  function* notes(found) {
    for (const [name, { falls, without }] of Object.entries(found.figures)) {
      if (falls) yield `${scalars[name].title}: P80 is what is left in at least 80 of 100 cases.`;
      if (without) yield `${scalars[name].title} has no number in ${chance(without)} of the draws.`;
    }
    for (const name of found.left_out) yield `${scalars[name].title} has no number in any draw.`;
  }

  function barsOf(found, rows, expected) {
    return rows.flatMap(({ name, title, quantiles }) => {
      const [each, { value, low = value, high = value }] = [found.figures[name], expected(name)];
      if (!(value > 0) || each.falls || !each.reserve) return [];
      return [{
        label: title,
        text: `P50 ${quantiles[1]}, P80 ${quantiles[2]}${unitOf(name)}`,
        quantiles: NAMES.slice(0, 4).map((level) => (100 * each.values[level]) / value),
        ends: [(100 * low) / value, (100 * high) / value],
      }];
    });
  }

  function follow(changes) {
    const asked = scalesheet.inputs.toQuery(changes);
    if (asked === (wanted ?? "")) return;
    wanted = asked;
    if (asked === "") {
      for (const [each, first] of published) {
        each.replaceChildren(...first.cloneNode(true).childNodes);
        each.hidden = false;
      }
      hideNumbers(false);
      section.removeAttribute("aria-busy");
      return;
    }
    section.setAttribute("aria-busy", "true");
    if (!ask) start();
    const listed = Array.from(changes, ([name, value]) => {
      const { table, row, column } = scalesheet.inputs.find(plan, name);
      return { name, table, row, column, value };
    });
    ask(asked, listed);
  }

  page.follow(section, follow);
  follow(page.changes()); // the address may have some
  page.content.addEventListener("focusin", () => ask || start(), { once: true });
})();
