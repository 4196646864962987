/* Stacked bars against a capacity: a line across each bar, beyond which it is hatched. The parts of
 * a bar differ by color and texture.
 *
 * The data are {id, title, alt, axis, bars, capacity, ticks, at}; a bar is {whole, parts, capacity,
 * of}, whose parts are marks as in charts.js. `drawing` makes them from such bars, with any
 * numbers, and a format for the axis.
 */
"use strict";

scalesheet.stacks = (() => {
  const { formatBy } = scalesheet.numbers;
  const { NARROW, GLYPH, BELOW, ...draw } = scalesheet.charts.parts;
  const { share, line, label, length } = draw;
  const [BAR, ROW, KEY, SWATCH, COLOURS] = [16, 50, 18, 12, 6];
  const BEYOND = "Beyond it";
  const HALF = Math.trunc(NARROW / 2 / GLYPH) - 3;
  const TEXTURES = ["", "M0 6L6 0M-1 1L1 -1M5 7L7 5", "M0 0L6 6M-1 5L1 7M5 -1L7 1", "M0 3H6"];
  const CROSSED = "M0 6L6 0M-1 1L1 -1M5 7L7 5M0 0L6 6M-1 5L1 7M5 -1L7 1";

  // ---------------------------------------------------------------- from a plan

  /** The bars of a plan's chart from computed results. */
  function ofPlan(plan, chart, { scalars, tables }) {
    const { shown } = plan;
    const { rows, titles } = plan.inputs.tables[chart.table];
    const { columns } = shown.tables[chart.table];
    const cells = tables[chart.table];

    function read(name, row, id, text) {
      const own = row !== undefined && name in columns;
      const quantity = own ? columns[name] : shown.scalars[name];
      const cell = own ? cells[name][row] : scalars[name];
      const format = formatBy(quantity.rule, own ? cells[name] : [cell]);
      return scaled(draw.markOf(id, text, cell, format), chart.factors?.[name] ?? 1, quantity);
    }

    function bar(id, text, parts, total, row) {
      const whole = read(total, row, id, text);
      const there = chart.capacity ? read(chart.capacity, row, "", "") : { value: null };
      return {
        whole,
        parts,
        capacity: there.value,
        of: there.value === null ? "" : there.text,
      };
    }

    const title = (name) => columns[name].title;
    const bars = chart.parts
      ? rows.map((row, n) =>
          bar(
            row,
            titles[n],
            chart.parts.map((part) => read(part, n, part, title(part))),
            chart.totals[0],
            n,
          ),
        )
      : chart.bars.map((name, n) =>
          bar(
            name,
            title(name),
            rows.map((row, m) => read(name, m, row, titles[m])),
            chart.totals[n],
          ),
        );
    const [first] = chart.parts ?? chart.bars;
    const capacity = chart.capacity
      ? (chart.parts && columns[chart.capacity] ? columns : shown.scalars)[chart.capacity].title
      : "";
    return drawing({ ...chart, bars, capacity }, formatBy(columns[first].rule, cells[first]));
  }

  /** The mark in the axis's unit, with its text in the quantity's own unit. */
  function scaled(mark, factor, quantity) {
    if (mark.value === null) return mark;
    const times = (end) => (end === null ? null : end * factor);
    return {
      ...draw.withUnit(mark, quantity),
      value: mark.value * factor,
      low: times(mark.low),
      high: times(mark.high),
    };
  }

  const endOf = ({ parts }) => parts.reduce((sum, { value }) => sum + (value ?? 0), 0);

  /** The data for bars; `format` is that of the axis. */
  function drawing(stack, format) {
    const bars = stack.bars.map((bar) => ({ ...bar, end: endOf(bar), range: told(bar) }));
    const ticks = draw.steps(
      bars.flatMap(({ end, whole, capacity }) => [
        end,
        whole.value,
        whole.low,
        whole.high,
        capacity,
      ]),
    );
    return { ...stack, bars, ticks: draw.told(ticks, format), at: draw.along(ticks) };
  }

  const told = ({ whole, of }) => draw.inBrackets(whole) + (of ? ` of ${of}` : "");

  // ---------------------------------------------------------------- SVG

  /** The picture of the data. */
  function svg(drawn) {
    const name = `chart-${drawn.id}`;
    const told = drawn.bars.map((bar) => ({ ...bar.whole, ...bar, muted: bar.range }));
    const [rows, bottom] = draw.rowsOf(told, ROW, (bar, top) => barOf(drawn, bar, top, name));
    const [key, height] = keyOf(entriesOf(drawn, name), bottom + BELOW, drawn.bars.length === 1);
    const most = Math.max(0, ...drawn.bars.map((bar) => bar.parts.length));
    const body = [...draw.grid(drawn, bottom), ...rows, ...draw.below(drawn, bottom), ...key];
    const content = [textures(name, most), ...body];
    return draw.picture(drawn, "bars stack", height, description(drawn), content);
  }

  function textures(name, most) {
    const used = TEXTURES.slice(1, most).map((path, n) =>
      pattern(`${name}-${n + 1}`, "texture", path),
    );
    return ["defs", {}, ...used, pattern(`${name}-over`, "texture over", CROSSED)];
  }

  const pattern = (id, kind, d) => [
    "pattern",
    { id, width: "6", height: "6", patternUnits: "userSpaceOnUse" },
    ["path", { class: kind, d }],
  ];

  function description({ alt, axis, bars: all, capacity }) {
    const inWords = ({ whole, parts, range }) => {
      const made = parts.map((part) => `${part.label} ${part.text}`).join(", ");
      return `${whole.label}: ${whole.text}${range}${parts.length > 1 ? `, of which ${made}` : ""}`;
    };
    const limit = capacity ? ` The line is: ${capacity}.` : "";
    return `${alt.replace(/\.+$/, "")}. ${axis}: ${all.map(inWords).join("; ")}.${limit}`;
  }

  /** The parts one after another, what exceeds the capacity, the range, and the line. */
  function barOf({ at }, { parts, whole, capacity }, top, name) {
    const found = [line("axis", at(0), top - 2, at(0), top + BAR + 2)];
    let begin = 0;
    parts.forEach((part, n) => {
      if (part.value === null || part.value === 0) return;
      const end = begin + part.value;
      const place = [share(at(begin)), top, share(at(end) - at(begin)), BAR];
      found.push([
        "g",
        { "data-part": part.id },
        ["title", {}, `${part.label}: ${part.text}`],
        ...swatch(n, place, name),
      ]);
      begin = end;
    });
    if (capacity !== null && begin > capacity)
      found.push(over([share(at(capacity)), top, share(at(begin) - at(capacity)), BAR], name));
    if (whole.low !== null && whole.high !== null)
      found.push(...draw.whisker(at(whole.low), at(whole.high), top + BAR + 5, 3));
    if (capacity !== null)
      found.push(line("limit", at(capacity), top - 4, at(capacity), top + BAR + 10));
    return found;
  }

  const place = ([x, y, width, height]) => ({
    x,
    y: String(y),
    width: String(width),
    height: String(height),
  });

  /** The color of a part, with its texture if it has one. */
  function swatch(part, at, name) {
    const colour = ["rect", { class: `series-${(part % COLOURS) + 1} part`, ...place(at) }];
    const texture = part % TEXTURES.length;
    if (!texture) return [colour];
    return [colour, ["rect", { fill: `url(#${name}-${texture})`, ...place(at) }]];
  }

  const over = (at, name) => ["rect", { class: "over", fill: `url(#${name}-over)`, ...place(at) }];

  /** The parts in order, with numbers for a single bar; then the line. */
  function entriesOf({ bars: all, capacity }, name) {
    const { parts } = all[0];
    const entries = parts.length > 1 ? parts.map((part, n) => entryOf(n, part.label, name)) : [];
    if (all.length === 1) entries.forEach((entry, n) => (entry.text = parts[n].text));
    const limit = ([x, y]) => [["rect", { class: "limit", ...place([x, y - 2, 2, SWATCH + 4]) }]];
    if (capacity) entries.push({ said: capacity, sign: limit });
    if (all.some((bar) => bar.capacity !== null && bar.end > bar.capacity))
      entries.push({ said: BEYOND, sign: (at) => [over(at, name)] });
    return entries;
  }

  const entryOf = (part, said, name) => ({ said, sign: (at) => swatch(part, at, name) });

  /** The key; side by side if everything fits and there are several bars. */
  function keyOf(entries, top, alone) {
    const two = !alone && entries.every(({ said }) => length(said) <= HALF);
    const lines = entries.flatMap(({ said, text, sign }, n) => {
      const [column, row] = two ? [n % 2, Math.floor(n / 2)] : [0, n];
      const [x, y] = [share(column / 2), top + row * KEY];
      const found = [...sign([x, y + 2, SWATCH, SWATCH])];
      found.push(["text", { class: "label", x, y: String(y + 12), dx: "18" }, said]);
      return text === undefined ? found : [...found, label(1, y + 12, text, "end", "value")];
    });
    const rows = two ? Math.ceil(entries.length / 2) : entries.length;
    return [lines, top + rows * KEY + (rows ? 4 : 0)];
  }

  return Object.freeze({ ofPlan, drawing, svg, parts: { textures, swatch, entryOf, keyOf } });
})();
