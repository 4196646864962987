/* The inputs that headline figures depend on most: a chart with a bar for each input from the
 * current figure to both sides; in the page, for the current inputs, as sensitivity.py computes
 * them for the published ones.
 *
 * Each input is moved to either side in the plan of the page, and restored. That takes longer than
 * a frame, so it runs in short slices after the figures are updated, and restarts when something
 * changes meanwhile.
 */
"use strict";

scalesheet.tornado = (() => {
  const { formatBy, number, plain } = scalesheet.numbers;
  const { drawn } = scalesheet.marks;
  const { equal, greater } = scalesheet.runtime;
  const { BELOW, px, share, line, label, ...draw } = scalesheet.charts.parts;
  const [BAR, ROW, EDGE] = [12, 42, 0.03];
  const SHOWN = 8; // effects shown for a figure, largest first
  const NO_EFFECT = 1e-12; // relative: smaller differences are rounding

  // ---------------------------------------------------------------- effects

  /** The effects of all levers, one lever at a time; at the end the rankings by figure. */
  function* rankings(plan, machine) {
    const { figures, levers } = plan.moves;
    const base = figures.map((name) => expected(machine.results.scalars[name]));
    const found = figures.map(() => []);
    for (const lever of machine.bind(levers)) {
      const sides = ["low", "high"].map((side) =>
        machine.trial({ ...lever, value: valueAt(lever, side) }, (read, moved) => ({
          cells: lever.figures.map((n) => expected(read(figures[n]))),
          moved: moved[0],
        })),
      );
      const [low, high] = sides.map(({ moved }) => moved);
      const inputs = lever.alone && [low, valueOf(machine.results, lever), high];
      lever.figures.forEach((figure, n) => {
        const [one, other] = sides.map(({ cells }) => cells[n]);
        if (base[figure].reason !== undefined) return;
        const swing = swingOf(one, base[figure], other);
        found[figure].push({ lever, low: one, high: other, swing, inputs });
      });
      yield undefined;
    }
    return figures.map((name, n) => ranking(name, base[n], found[n]));
  }

  const valueAt = ({ at, ...lever }, side) =>
    at ? (i) => at(i, side === "low" ? -1 : 1, side) : lever[side];

  /** A figure without its range: effects are those on the expected value. */
  const expected = ({ value, reason }) => (reason === undefined ? { value } : { reason });

  function valueOf({ scalars, tables }, { key, rows }) {
    const [table, column] = key.split("/");
    return (column === undefined ? scalars[key] : tables[table][column][rows[0]]).value;
  }

  function swingOf(...cells) {
    const numbers = cells.map(({ value }) => value).filter((x) => typeof x === "number");
    if (numbers.length < cells.length) return 0;
    const width = Math.max(...numbers) - Math.min(...numbers);
    return width > NO_EFFECT * Math.max(...numbers.map(Math.abs)) ? width : 0;
  }

  const absent = ({ low, high }) => low.reason !== undefined || high.reason !== undefined;

  /** The inputs with an effect, largest first; equal ones in their order. */
  function ranking(name, base, effects) {
    const moving = effects.filter((effect) => effect.swing || absent(effect));
    const rank = ({ swing }, at) =>
      moving.filter((other) => greater(other.swing, swing)).length +
      moving.slice(0, at).filter((other) => equal(other.swing, swing)).length;
    const ranked = [];
    moving.forEach((effect, at) => (ranked[rank(effect, at)] = effect));
    const shown = ranked.slice(0, SHOWN);
    return { name, base, shown, less: ranked.length - shown.length, still: effects.length - moving.length };
  }

  // ---------------------------------------------------------------- in words

  function quantityOf(plan, { key }) {
    const parts = key.split("/");
    return parts.length === 1
      ? plan.shown.scalars[key]
      : plan.shown.tables[parts[0]].columns[parts[1]];
  }

  /** How an input changes to either side: its values there, or how its rows change. */
  function howFar(plan, { lever, inputs }) {
    const { step } = plan.moves;
    if (!inputs) {
      const rows = (side, sign) =>
        [lever.own && `${side} ends`, lever.stepped && `${sign}${Number((step * 100).toPrecision(6))}%`]
          .filter(Boolean)
          .join(" or ");
      return [rows("low", "-"), rows("high", "+")];
    }
    const { rule = {} } = quantityOf(plan, lever);
    const format = formatBy(rule, inputs.map(asCell));
    return [number(inputs[0], format), number(inputs[2], format)];
  }

  const asCell = (value) => ({ value, low: value, high: value });

  const counted = (n, one, many) => `${n} ${n === 1 ? one : many}`;

  /** `1 more input moves it less and 2 inputs do not move it`. */
  function restOf({ less, still }) {
    const said = [];
    if (less) said.push(`${counted(less, "more input moves", "more inputs move")} it less`);
    if (still) said.push(`${counted(still, "input does", "inputs do")} not move it`);
    return said.join(" and ");
  }

  /** `+19.88`: with one more digit than the figure. */
  function change({ value }, base, format) {
    if (typeof value !== "number") return "";
    if (format.date) return `${value > base.value ? "+" : ""}${number(value - base.value, { decimals: 1 })} d`;
    const finer = { ...format, decimals: format.decimals + 1, approximate: false, least: undefined };
    const shown = number(value - base.value, finer);
    return value > base.value && /[^0.%]/.test(shown) ? `+${shown}` : shown;
  }

  // ---------------------------------------------------------------- the picture

  /** The numbers of a figure's chart with their texts. */
  function drawing(plan, found, format) {
    const { base, shown, name } = found;
    const { title, symbol = "" } = plan.shown.scalars[name];
    const numberOf = ({ value }) => (typeof value === "number" ? value : null);
    const bars = shown.map((effect) => {
      const [low, high] = howFar(plan, effect);
      const unit = effect.inputs ? (quantityOf(plan, effect.lever).symbol ?? "") : "";
      const { title: name } = effect.lever;
      const moves = `${low} to ${high} ${unit}`.trimEnd();
      const text = `${plain(effect.low, format)} to ${plain(effect.high, format)}`;
      const told = { label: `${name} (${moves})`, title: `${name}, ${moves}: ${text}`, text, muted: "" };
      return { ...told, low: numberOf(effect.low), high: numberOf(effect.high) };
    });
    const ends = [base.value, ...bars.flatMap((bar) => [bar.low, bar.high])].filter((x) => x !== null);
    const [least, greatest] = [Math.min(...ends), Math.max(...ends)];
    const wide = least === greatest ? Math.abs(least) || 1 : 0;
    const ticks = draw.told(
      format.date ? draw.days([least, greatest]) : draw.evenly(least, greatest + wide),
      format,
    );
    const along = draw.along(ticks.map(([tick]) => tick));
    return {
      id: `tornado-${name.replaceAll(".", "-")}`,
      title: `What moves ${title}`,
      said: `${plain(base, format)} ${symbol}`.trimEnd(),
      base: base.value,
      bars,
      ticks,
      at: (value) => EDGE + along(value) * (1 - 2 * EDGE),
    };
  }

  function svg(drawn) {
    const { bars, ticks, at, base } = drawn;
    const [rows, bottom] = draw.rowsOf(bars, ROW, ({ low, high }, top) => [
      ...half(drawn, low, top, "series-2", "−"),
      ...half(drawn, high, top, "series-1", "+"),
      line("axis", at(base), top - 4, at(base), top + 4 + BAR),
    ]);
    const told = `As it is: ${drawn.said}. ${bars.map((bar) => bar.title).join("; ")}.`;
    const body = [...draw.grid(drawn, bottom), ...rows, ...draw.below({ ...drawn, axis: `as it is: ${drawn.said}` }, bottom)];
    return draw.picture(drawn, "bars tornado", bottom + BELOW, told, body);
  }

  /** The bar from the current figure to one side, with the side's sign at its end. */
  function half({ at, base }, value, top, kind, sign) {
    if (value === null || value === base) return [];
    const [end, middle] = [at(value), at(base)];
    const [x, anchor] = end > middle ? [end + 0.006, "start"] : [end - 0.006, "end"];
    const [from, width] = [share(Math.min(end, middle)), share(Math.abs(end - middle))];
    return [
      ["rect", { class: kind, x: from, y: px(top), width, height: String(BAR) }],
      label(x, top + BAR - 1, sign, anchor, "muted"),
    ];
  }

  // ---------------------------------------------------------------- on the page

  function row(plan, effect, base, format) {
    const { lever, low, high } = effect;
    const [first, last] = howFar(plan, effect);
    const symbol = effect.inputs ? quantityOf(plan, lever).symbol : "";
    const td = (...content) => ["td", { class: "num" }, ...content];
    const result = (cell) =>
      cell.reason !== undefined
        ? ["td", { class: "reason" }, cell.reason]
        : td(["span", { class: "num" }, plain(cell, format)]);
    return [
      "tr",
      {},
      ["th", { scope: "row" }, ["a", { href: lever.href }, lever.title]],
      td(first),
      td(last, ...(symbol ? [["span", { class: "unit" }, ` ${symbol}`]] : [])),
      ...[low, high].map(result),
      ...[low, high].map((cell) => td(change(cell, base, format))),
    ];
  }

  /** The chart of a figure as data: its picture, the rows of its table, and what it leaves out. */
  function view(plan, found) {
    const { rule = {} } = plan.shown.scalars[found.name];
    const format = formatBy(rule, [found.base, ...found.shown.flatMap(({ low, high }) => [low, high])]);
    return {
      svg: svg(drawing(plan, found, format)),
      rows: found.shown.map((effect) => row(plan, effect, found.base, format)),
      rest: restOf(found),
    };
  }

  function write(plan, target, found, published) {
    const fold = target.parentElement.matches("details") ? target.parentElement : target;
    const gone = found.base.reason !== undefined;
    const said = target.querySelector("figcaption .muted");
    target.classList.toggle("gone", gone);
    target.hidden = fold.hidden = !found.shown.length && !gone; // no input has an effect
    if (gone) said.textContent = "has no value with these inputs";
    if (!found.shown.length) return;
    const seen = view(plan, found);
    target.querySelector("svg").replaceWith(drawn(seen.svg));
    said.textContent = seen.rest;
    target.querySelector("tbody").replaceChildren(...seen.rows.map((each) => drawn(each)));
    target.classList.toggle("changed", !published);
  }

  /** Draw the charts of the page for the current state of a machine; `stop` cancels that. */
  function follow(plan, machine, targets, published) {
    for (const target of targets) target.setAttribute("aria-busy", "true");
    function done(found) {
      for (const target of targets) {
        write(plan, target, found.find(({ name }) => name === target.dataset.tornado), published);
        target.removeAttribute("aria-busy");
      }
    }
    return scalesheet.fields.inSlices(rankings(plan, machine), { done });
  }

  return Object.freeze({ view, follow });
})();
