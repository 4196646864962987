/* Points on two axes where less is better: those on the frontier stand out.
 *
 * Points on the frontier are numbered, connected, and explained below; others have their names if
 * these fit on a phone. An axis whose maximum is at least ten times the minimum is logarithmic.
 *
 * `drawing` takes {id, title, alt, points}, the titles of both axes and their formats. A point is
 * {id, label, x, y}, where x and y are marks as in charts.js: {value, text, range}. A point with a
 * null value is not drawn, but mentioned in the description.
 */
"use strict";

scalesheet.scatters = (() => {
  const { number } = scalesheet.numbers;
  const { NARROW, GLYPH, ACROSS, LABEL_LINE, ...draw } = scalesheet.charts.parts;
  const { px, share, line, label, length } = draw;
  const [TOP, PLOT, LEFT, RIGHT, BELOW] = [26, 240, 0.14, 0.04, 44];
  const [DOT, DISC, GAP] = [4.5, 9, 4];
  const [LOGARITHMIC, MOST_TICKS] = [10, 6];
  const FRONTIER = "On the frontier, where less of one means more of the other:";

  // ---------------------------------------------------------------- the drawing

  function drawing({ points, ...rest }, axes, formats) {
    const placed = points.filter((p) => p.x.value !== null && p.y.value !== null);
    const of = (name, n) => axis(axes[n], Array.from(placed, (p) => p[name].value), formats[n]);
    const best = frontier(placed);
    return {
      ...rest,
      x: of("x", 0),
      y: of("y", 1),
      frontier: best,
      others: placed.filter((p) => !best.includes(p)),
      leftOut: points
        .filter((p) => !placed.includes(p))
        .map((p) => `${p.label}: ${p.x.value === null ? p.x.text : p.y.text}`),
    };
  }

  /** The points that no other beats on both axes, by x; of equal ones the first. */
  function frontier(points) {
    const found = [];
    const ordered = Array.from(points).sort(
      (a, b) => a.x.value - b.x.value || a.y.value - b.y.value,
    );
    for (const point of ordered)
      if (!found.length || point.y.value < found[found.length - 1].y.value) found.push(point);
    return found;
  }

  /** The axis that covers all these numbers. */
  function axis(title, values, format) {
    const least = values.length ? Math.min(...values) : 0;
    const greatest = values.length ? Math.max(...values) : 0;
    if (format.date) {
      const last = Math.max(greatest, least + 1);
      const ticks = [least, (least + last) / 2, last];
      return { title, ticks: draw.told(ticks, format), at: draw.along(ticks) };
    }
    if (least <= 0 || greatest < LOGARITHMIC * least) {
      const ticks = draw.steps(values);
      return { title, ticks: draw.told(ticks, format), at: draw.along(ticks) };
    }
    const fine = logTicks(least, greatest, [1, 2, 5]);
    const ticks = fine.length <= MOST_TICKS ? fine : logTicks(least, greatest, [1]);
    const at = draw.along(ticks.map(Math.log10));
    return {
      title,
      ticks: ticks.map((tick) => [tick, tickText(tick, format)]),
      at: (value) => at(Math.log10(value)),
    };
  }

  /** 1, 2 and 5 times powers of ten that cover the range. */
  function logTicks(least, greatest, factors) {
    const every = [];
    const last = Math.ceil(Math.log10(greatest));
    for (let power = Math.floor(Math.log10(least)); power <= last; power++)
      for (const factor of factors) every.push(Number(`${factor}e${power}`));
    const begin = every.filter((tick) => tick <= least).length - 1;
    return every.slice(begin, every.findIndex((tick) => tick >= greatest) + 1);
  }

  /** A tick in the format, with the decimals that it needs. */
  function tickText(tick, format) {
    const own = -Math.floor(Math.log10(tick) + 1e-9) - (format.percent ? 2 : 0);
    const decimals = format.scientific ? 0 : Math.max(0, own);
    return number(tick, { ...format, decimals, approximate: false, least: undefined });
  }

  /** The axis from the first to the last of these positions, with a tick at each. */
  function across(title, places) {
    const [least, greatest] = [places[0][0], places[places.length - 1][0]];
    const ticks = places.length === 1 ? [...places, [least + 1, ""]] : places;
    const log = places.length > 1 && least > 0 && greatest >= LOGARITHMIC * least;
    const scaled = log ? Math.log10 : (value) => value;
    const along = draw.along(ticks.map(([tick]) => scaled(tick)));
    return { title, ticks, at: (value) => along(scaled(value)) };
  }

  /** The position of numbers: a share of the width, and pixels from the top. */
  const spot = (x, y, a, b) => [LEFT + x.at(a) * (1 - LEFT - RIGHT), TOP + (1 - y.at(b)) * PLOT];

  const placeOf = ({ x, y }, point) => spot(x, y, point.x.value, point.y.value);

  // ---------------------------------------------------------------- SVG

  function svg(drawn) {
    const [key, height] = keyOf(entriesOf(drawn));
    return draw.picture(drawn, "scatter", height, description(drawn), [
      ...plot(drawn.x, drawn.y),
      ...nothing(drawn.frontier),
      ...stairs(drawn),
      ...others(drawn),
      ...best(drawn),
      ...key,
    ]);
  }

  function description({ alt, x, y, frontier: first, others: rest, leftOut }) {
    const all = (points) => points.map(told).join("; ");
    const also = rest.length ? ` Others: ${all(rest)}.` : "";
    const missing = leftOut.length ? ` Not shown: ${leftOut.join("; ")}.` : "";
    const lead = `${alt.replace(/\.+$/, "")}. ${x.title} and ${y.title}.`;
    return `${lead} ${FRONTIER} ${all(first)}.${also}${missing}`;
  }

  const numbers = ({ x, y }) => [x, y].map((m) => m.text + draw.inBrackets(m)).join(", ");
  const told = (point) => `${point.label}: ${numbers(point)}`;

  /** What an empty plot says. */
  const nothing = ({ length: count }) =>
    count ? [] : [label(0.5, TOP + PLOT / 2 - 8, "no value with these inputs", "middle")];

  /** The two axes with their grid lines. */
  function plot(x, y) {
    const floor = TOP + PLOT;
    const found = [label(0, 14, y.title, "start", "muted")];
    for (const [tick, said] of y.ticks) {
      const at = floor - y.at(tick) * PLOT;
      found.push(line(at === floor ? "axis" : "grid", LEFT, at, 1, at));
      found.push(label(0, at + 4, said, "start", "muted"));
    }
    const kept = withRoom(x);
    x.ticks.forEach(([tick, said], n) => {
      const at = LEFT + x.at(tick) * (1 - LEFT - RIGHT);
      const anchor = n === x.ticks.length - 1 ? "end" : "middle";
      found.push(line(n === 0 ? "axis" : "grid", at, TOP, at, floor));
      if (kept.has(n)) found.push(label(at, floor + 16, said, anchor, "muted"));
    });
    return [...found, label(1, floor + 33, x.title, "end", "muted")];
  }

  /** The ticks whose numbers fit on a phone: both ends, and some between. */
  function withRoom({ ticks, at }) {
    const [width, last] = [NARROW * (1 - LEFT - RIGHT), ticks.length - 1];
    const halves = ticks.map(([, said]) => ((length(said) + 1) * GLYPH) / 2);
    const kept = new Set([0, last]);
    const most = width - 2 * halves[last];
    let end = halves[0];
    for (let n = 1; n < last; n++) {
      const middle = at(ticks[n][0]) * width;
      if (middle - halves[n] < end || middle + halves[n] > most) continue;
      kept.add(n);
      end = middle + halves[n];
    }
    return kept;
  }

  /** Lines and areas of the plot, in a picture of their own that stretches with the page. */
  const stretched = (content) => [
    "svg",
    {
      class: "plot",
      x: share(LEFT),
      y: String(TOP),
      width: share(1 - LEFT - RIGHT),
      height: String(PLOT),
      viewBox: "0 0 1000 1000",
      preserveAspectRatio: "none",
    },
    ...content,
  ];

  const pointsOf = (x, y, points) =>
    points.map(([a, b]) => `${px(x.at(a) * 1000)},${px((1 - y.at(b)) * 1000)}`).join(" ");

  /** A line through points, in the stretching picture. */
  const stroke = (kind, x, y, points) => [
    "polyline",
    { class: kind, "vector-effect": "non-scaling-stroke", points: pointsOf(x, y, points) },
  ];

  /** The area between points, in the stretching picture. */
  const area = (kind, x, y, points) => ["polygon", { class: kind, points: pointsOf(x, y, points) }];

  /** From each point of the frontier to the right, and down to the next. */
  function stairs(drawn) {
    const places = drawn.frontier.map((point) => placeOf(drawn, point));
    return places.slice(1).flatMap(([right, below], n) => {
      const [x, y] = places[n];
      return [line("frontier", x, y, right, y), line("frontier", right, y, right, below)];
    });
  }

  const group = (point, ...content) => [
    "g",
    { "data-row": point.id },
    ["title", {}, told(point)],
    ...content,
  ];

  const disc = (kind, x, y, r) => ["circle", { class: kind, cx: x, cy: y, r: String(r) }];

  function others(drawn) {
    const names = named(drawn);
    return drawn.others.map((point) => {
      const [x, y] = placeOf(drawn, point);
      const name = names.get(point.id);
      const content = [disc("point", share(x), px(y), DOT)];
      if (name) content.push(nameAt(x, y, name, point.label, "muted"));
      return group(point, ...content);
    });
  }

  /** A name on the side of its position where it fits. */
  const nameAt = (x, y, [dx, dy, anchor], said, kind = "name") => [
    "text",
    { class: kind, x: share(x), y: px(y + dy), dx: String(dx), "text-anchor": anchor },
    said,
  ];

  const best = (drawn) =>
    drawn.frontier.map((point, n) => {
      const [x, y] = placeOf(drawn, point);
      return group(
        point,
        disc("series-1 part", share(x), px(y), DISC),
        label(x, y + 4, String(n + 1), "middle", "inside"),
      );
    });

  /** Where a name may be placed: pixels across and down, and its anchor. */
  const SIDES = [
    [9, 4, "start"],
    [-9, 4, "end"],
    [0, -9, "middle"],
    [0, 17, "middle"],
  ];

  /** The points whose names fit, and on which side. */
  function named(drawn) {
    const round = (radius) => (point) => around(...placeOf(drawn, point), radius);
    const taken = [...drawn.frontier.map(round(DISC)), ...drawn.others.map(round(DOT))];
    const wanted = drawn.others.map((p) => [p.id, ...placeOf(drawn, p), p.label]);
    return rooms(wanted, taken, SIDES);
  }

  /** The box of a disc, on a phone. */
  const around = (x, y, radius) => [
    x * NARROW - radius,
    y - radius,
    x * NARROW + radius,
    y + radius,
  ];

  const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

  /** The names that fit on a phone, and on which side. */
  function rooms(wanted, taken, sides) {
    const found = new Map();
    for (const [id, x, y, name] of wanted) {
      const wide = length(name) * GLYPH;
      const before = { start: 0, middle: wide / 2, end: wide };
      for (const [dx, dy, anchor] of sides) {
        const left = x * NARROW + dx - before[anchor];
        const box = [left, y + dy - 10, left + wide, y + dy + 3];
        const across = LEFT * NARROW <= box[0] && box[2] <= NARROW;
        const inside = across && TOP - 6.5 <= box[1] && box[3] < TOP + PLOT;
        if (!inside || taken.some((other) => meet(box, other))) continue;
        taken.push(box);
        found.set(id, [dx, dy, anchor]);
        break;
      }
    }
    return found;
  }

  const entriesOf = ({ frontier: first }) =>
    first.map((point) => ["series-1 part", point.label, numbers(point)]);

  /** The key below the plot: for each disc of this kind its name and text. Returns it with its
   *  height. */
  function keyOf(entries) {
    let top = TOP + PLOT + BELOW;
    const lines = entries.flatMap(([part, ...said], n) => {
      const middle = { x: "9", y: String(top + 12), "text-anchor": "middle" };
      const entry = [
        disc(part, "9", String(top + 8), DISC),
        ["text", { class: "inside", ...middle }, String(n + 1)],
      ];
      said.forEach((text, below) => {
        for (const part of draw.wrapped(text, ACROSS - 4)) {
          const kind = below ? "muted" : "label";
          entry.push(["text", { class: kind, x: "24", y: String(top + 12) }, part]);
          top += LABEL_LINE;
        }
      });
      top += GAP;
      return entry;
    });
    return [lines, top + 4];
  }

  const parts = {
    nothing,
    ...{ TOP, PLOT, LEFT, BELOW, DISC },
    ...{ axis, across, spot, plot, stretched, stroke, area },
    ...{ around, rooms, disc, nameAt, keyOf },
  };
  return Object.freeze({ drawing, svg, parts });
})();
