/* Charts of one column of a table: bars across, or columns, as [tag, attributes, ...content].
 *
 * A chart is {id, title, alt, kind, table, column, start, deadline, axis, rows, labels}; `rule` is
 * that of its column. Horizontal lengths are shares and all others pixels, so that text keeps its
 * size on a phone and on a wide screen. Pictures have no styles: the site's style sheet colors
 * their classes for light and dark.
 */
"use strict";

scalesheet.charts = (() => {
  const NOTHING = 1e-90; // a smaller number is drawn as 0
  const { formatBy, number, span, plain } = scalesheet.numbers;
  const NARROW = 300;
  const GLYPH = 6.6;
  const ACROSS = Math.trunc(NARROW / GLYPH); // characters
  const TICKS = 4;
  const [BAR, ROW, PLOT, LABEL_LINE, MOST_LINES, BELOW] = [12, 42, 180, 15, 3, 38];

  // ---------------------------------------------------------------- parts

  /** A length with fixed decimals; exact halves round to even, as in Python. */
  function rounded(length, decimals) {
    const doubled = length * 2 ** (decimals + 1);
    if (!Number.isInteger(doubled) || doubled % 2 === 0) return length.toFixed(decimals);
    const below = Math.floor(length * 10 ** decimals);
    return ((below + Math.abs(below % 2)) / 10 ** decimals).toFixed(decimals);
  }

  const px = (length) => rounded(length, 1).replace(/\.0$/, "");
  const share = (part) => `${rounded(part * 100, 3).replace(/\.?0+$/, "")}%`;

  const line = (kind, x1, y1, x2, y2) => [
    "line",
    { class: kind, x1: share(x1), y1: px(y1), x2: share(x2), y2: px(y2) },
  ];

  const label = (x, y, said, anchor, kind = "label") => [
    "text",
    { class: kind, x: share(x), y: px(y), "text-anchor": anchor === "start" ? undefined : anchor },
    ...[said].flat(1),
  ];

  const length = (text) => Array.from(text).length;

  /** Lines of limited length, broken at spaces; a longer word is cut. */
  function wrapped(text, width) {
    const lines = [];
    for (const word of text.split(/\s+/).filter(Boolean)) {
      const last = lines.length - 1;
      if (last >= 0 && length(lines[last]) + 1 + length(word) <= width) {
        lines[last] += ` ${word}`;
        continue;
      }
      const letters = Array.from(word);
      for (let at = 0; at < letters.length; at += width)
        lines.push(letters.slice(at, at + width).join(""));
    }
    return lines.length ? lines : [""];
  }

  /** The smallest number of the form 1, 2 or 5 times a power of ten that is at least `rough`. */
  function roundStep(rough) {
    const power = Number(`1e${Math.floor(Math.log10(rough))}`);
    return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= rough * (1 - 1e-9));
  }

  // ---------------------------------------------------------------- the drawing

  /** The numbers of a chart with their texts. `columns` are the table's computed ones. */
  function drawing(chart, rule, columns) {
    const cells = columns[chart.column];
    const format = formatBy(rule, cells);
    const marks = cells.map((cell, n) => {
      const mark = markOf(chart.rows[n], chart.labels[n], cell, format);
      const bar = chart.start ? from(mark, columns[chart.start][n], format) : mark;
      return chart.deadline ? until(bar, columns[chart.deadline][n], format) : bar;
    });
    const ends = marks.flatMap((m) => [m.value, m.low, m.high, m.due ?? null]);
    const ticks = format.date ? days([...ends, ...marks.map((m) => m.base)]) : steps(ends);
    return {
      ...chart,
      kind: chart.kind === "column" && columnsFit(marks) ? "column" : "bar",
      marks,
      dated: format.date,
      ticks: told(ticks, format),
      at: along(ticks),
    };
  }

  /** The position of a number on an axis with these ticks, from 0 to 1. */
  const along = (ticks) => (value) => (value - ticks[0]) / (ticks[ticks.length - 1] - ticks[0]);

  /** A cell with its texts; its ends only if it is a number with a range. */
  function markOf(id, label, cell, format) {
    const value = typeof cell.value === "number" ? cell.value : null;
    const ranged = value !== null && !(cell.low === value && cell.high === value);
    const range = ranged ? span(cell.low, cell.high, format) : "";
    const text = plain(cell, format);
    return {
      id,
      label,
      value,
      low: range ? cell.low : null,
      high: range ? cell.high : null,
      text,
      range: range === text ? "" : range,
      base: 0,
    };
  }

  /** The mark with a unit after its number. */
  const withUnit = (mark, { symbol }) =>
    symbol && mark.value !== null ? { ...mark, text: `${mark.text} ${symbol}` } : mark;

  /** The mark of a calendar: a bar from its start to its end. */
  function from(mark, start, format) {
    if (mark.value === null || typeof start.value !== "number") return mark;
    return { ...mark, base: start.value, text: `${number(start.value, format)} to ${mark.text}` };
  }

  /** The mark with its deadline: the end of that day, if there is one. */
  function until(mark, { value }, format) {
    if (typeof value !== "number") return mark;
    const late = mark.value !== null && Math.floor(mark.value) > value;
    const told = `; deadline ${number(value, format)}${late ? ", missed" : ""}`;
    return { ...mark, due: value + 1, late, told };
  }

  /** Round numbers at equal distances that cover the range. */
  function evenly(least, greatest) {
    const step = roundStep((greatest - least) / TICKS);
    const ticks = [];
    for (let n = Math.floor(least / step); n <= Math.ceil(greatest / step); n++) {
      ticks.push(Number((n * step).toPrecision(12)));
    }
    return ticks;
  }

  /** The same, starting at most at 0; null is ignored. */
  function steps(numbers) {
    const ends = [0, ...numbers.filter((x) => x !== null)];
    const [least, greatest] = [Math.min(...ends), Math.max(...ends)];
    return evenly(least, greatest - least < NOTHING ? 1 : greatest);
  }

  const DAYS = [1, 2, 7, 14, 28, 91, 182, 364]; // steps between the days of an axis
  const MONDAY = 2; // the first one in the calendar

  /** Days at equal distances, Mondays if the steps are weeks, that cover all of these; null is
   *  ignored. */
  function days(numbers) {
    const known = numbers.filter((x) => x); // a missing day is 0
    const [least, greatest] = known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
    const rough = (greatest - least) / 2; // texts of days are long
    const step = DAYS.find((each) => each >= rough) ?? 364 * Math.ceil(rough / 364);
    const week = step < 7 ? 1 : 7;
    const ticks = [MONDAY + week * Math.floor((least - MONDAY) / week)];
    do ticks.push(ticks[ticks.length - 1] + step);
    while (ticks[ticks.length - 1] < greatest);
    return ticks;
  }

  /** Ticks with their texts, with no more decimals than their steps need. */
  function told(ticks, format) {
    if (format.date) return ticks.map((tick) => [tick, number(tick, format)]);
    const step = (ticks[1] - ticks[0]) * (format.percent ? 100 : 1);
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const short = {
      ...format,
      approximate: false,
      least: undefined, // the same decimals along the whole axis
      decimals: format.scientific ? format.decimals : decimals,
    };
    return ticks.map((tick) => [tick, number(tick, short)]);
  }

  /** Whether labels and values fit side by side on a phone. */
  function columnsFit(marks) {
    const room = Math.trunc(NARROW / Math.max(1, marks.length) / GLYPH);
    return marks.every(
      (m) =>
        length(m.text) <= room &&
        m.label.split(/\s+/).every((word) => length(word) <= room) &&
        wrapped(m.label, room).length <= MOST_LINES,
    );
  }

  // ---------------------------------------------------------------- SVG

  /** The picture, and its description in words. */
  function svg(drawn) {
    const [body, height] = drawn.kind === "bar" ? bars(drawn) : columnsOf(drawn);
    return picture(drawn, `${drawn.kind}s`, height, description(drawn), body);
  }

  function picture({ id, title }, kind, height, told, body) {
    const name = `chart-${id}`;
    return [
      "svg",
      {
        class: kind,
        role: "img",
        width: "100%",
        height: String(height),
        "aria-labelledby": `${name}-title ${name}-desc`,
        focusable: "false",
      },
      ["title", { id: `${name}-title` }, title],
      ["desc", { id: `${name}-desc` }, told],
      ...body,
    ];
  }

  const inBrackets = (mark) => (mark.range ? ` (${mark.range})` : "");

  /** A mark in words: its number, its range and its deadline. */
  const inWords = (mark) => `${mark.label}: ${mark.text}${inBrackets(mark)}${mark.told ?? ""}`;

  function description({ alt, axis, marks }) {
    const rows = marks.map(inWords).join("; ");
    return alt ? `${alt.replace(/\.+$/, "")}. ${axis}: ${rows}.` : rows;
  }

  const group = (mark, content) => [
    "g",
    { "data-row": mark.id },
    ["title", {}, inWords(mark)],
    ...content,
  ];

  /** Rows below one another and their height: each with a label in lines, a text beside it, and
   *  below these what `draw` returns for a height. */
  function rowsOf(rows, height, draw) {
    let top = 0;
    const found = rows.map((row) => {
      const { id, label: name, text, muted = "", title = `${name}: ${text}${muted}` } = row;
      const lines = wrapped(name, Math.max(12, ACROSS - length(text + muted) - 1));
      const told = muted ? [text, ["tspan", { class: "muted" }, muted]] : text;
      const head = lines.map((part, n) => label(0, top + 14 + n * LABEL_LINE, part, "start"));
      head.push(label(1, top + 14, told, "end", "value"));
      top += (lines.length - 1) * LABEL_LINE + height;
      const body = draw(row, top + 20 - height);
      return ["g", { "data-row": id }, ["title", {}, title], ...head, ...body];
    });
    return [found, top];
  }

  /** The grid lines of an axis behind rows. */
  const grid = ({ ticks, at }, bottom) =>
    ticks
      .filter(([tick]) => tick !== 0)
      .map(([tick]) => line("grid", at(tick), 0, at(tick), bottom));

  /** A horizontal range with both ends. */
  const whisker = (low, high, y, half) => [
    line("whisker", low, y, high, y),
    ...[low, high].map((x) => line("whisker", x, y - half, x, y + half)),
  ];

  /** Bars across, each below its label and its number. */
  function bars(drawn) {
    const { at, marks } = drawn;
    const told = marks.map((mark) => {
      // four dates would be too wide for a phone; the whisker shows the range
      const muted = mark.late ? " (late)" : drawn.dated ? "" : inBrackets(mark);
      return { ...mark, title: inWords(mark), muted };
    });
    const [rows, bottom] = rowsOf(told, ROW, ({ value, low, high, base, due, late }, top) => {
      const zero = Math.max(0, at(0)); // a calendar of days begins long after it
      const content = [line("axis", zero, top - 2, zero, top + 2 + BAR)];
      if (value !== null) {
        const [from, to] = [at(base), at(value)].sort((a, b) => a - b);
        content.push(rect(share(from), String(top), share(to - from), String(BAR)));
      }
      if (low !== null) content.push(...whisker(at(low), at(high), top + BAR / 2, 4));
      if (due) content.push(line(late ? "due late" : "due", at(due), top - 5, at(due), top + 5 + BAR));
      return content;
    });
    return [[...grid(drawn, bottom), ...rows, ...below(drawn, bottom)], bottom + BELOW];
  }

  /** The numbers and title of a horizontal axis, below `bottom`. */
  function below({ ticks, axis, at }, bottom) {
    const last = ticks.length - 1;
    const anchor = (n) => (n === 0 ? "start" : n === last ? "end" : "middle");
    return [
      ...ticks.map(([tick, text], n) => label(at(tick), bottom + 14, text, anchor(n), "muted")),
      label(1, bottom + 32, axis, "end", "muted"),
    ];
  }

  const rect = (x, y, width, height) => ["rect", { class: "series-1", x, y, width, height }];

  /** Columns side by side, each above its label. */
  function columnsOf(drawn) {
    const top = 40;
    const floor = top + PLOT;
    const slot = 1 / drawn.marks.length;
    const height = (value) => floor - drawn.at(value) * PLOT;
    const zero = height(0);
    const body = [label(0, 14, drawn.axis, "start", "muted")];
    for (const [tick] of drawn.ticks) {
      body.push(line(tick === 0 ? "axis" : "grid", 0, height(tick), 1, height(tick)));
    }
    let tallest = 1;
    drawn.marks.forEach((each, n) => {
      const middle = (n + 0.5) * slot;
      const content = [];
      let tip = zero;
      if (each.value !== null) {
        const at = height(each.value);
        tip = Math.min(zero, at);
        content.push(
          rect(share(middle - slot * 0.3), px(tip), share(slot * 0.6), px(Math.abs(at - zero))),
        );
      }
      if (each.low !== null) {
        const [low, high] = [height(each.low), height(each.high)];
        tip = Math.min(tip, high);
        content.push(line("whisker", middle, low, middle, high));
        for (const y of [low, high])
          content.push(line("whisker", middle - slot * 0.06, y, middle + slot * 0.06, y));
      }
      content.push(label(middle, tip - 6, each.text, "middle", "value"));
      const words = wrapped(each.label, Math.max(1, Math.trunc((NARROW * slot) / GLYPH)));
      tallest = Math.max(tallest, words.length);
      words.forEach((word, row) =>
        content.push(label(middle, floor + 16 + row * LABEL_LINE, word, "middle")),
      );
      body.push(group(each, content));
    });
    return [body, floor + 8 + tallest * LABEL_LINE];
  }

  const parts = {
    ...{ NARROW, GLYPH, ACROSS, LABEL_LINE, BELOW },
    ...{ px, share, line, label, length, wrapped, roundStep },
    ...{ along, markOf, withUnit, evenly, days, steps, told, inBrackets },
    ...{ rowsOf, grid, whisker, below, picture },
  };
  return Object.freeze({ drawing, svg, parts });
})();
