/* Lines on two axes. Each ends in a number, which the key below explains, except for a single line
 * whose points have names. Names are beside their points if they fit.
 *
 * The data are {id, title, alt, axes, ticks, format, lines}: `axes` are the titles of both, `ticks`
 * those of the first with their texts, and `format` that of the second, whose numbers are
 * abbreviated without one, as in 10M. A line is {label, told, runs, names, end}: `runs` are the
 * points of its parts, [[[x, y], ...], ...], `names` are [[x, y, text], ...], and `end` is the
 * value where it ends, or null. Colors repeat after six; dashes distinguish lines of the same
 * color.
 */
"use strict";

scalesheet.lines = (() => {
  const { number } = scalesheet.numbers;
  const { NARROW, ...draw } = scalesheet.charts.parts;
  const { TOP, PLOT, DISC, ...scatter } = scalesheet.scatters.parts;
  const [NEAR, COLOURS, EDGE] = [19, 6, 1 - DISC / NARROW]; // how near two numbers may be, and where
  const SIDES = [
    [4, -7, "start"],
    [4, 16, "start"],
    [-4, -7, "end"],
    [-4, 16, "end"],
  ];
  const SHORT = [
    [1e12, 1e12, "T"],
    [1e9, 1e9, "B"],
    [1e6, 1e6, "M"],
    [1e4, 1e3, "k"],
  ];

  /** The axis with abbreviated numbers. */
  const inShort = (axis) => ({ ...axis, ticks: axis.ticks.map(([tick]) => [tick, short(tick)]) });

  /** `0.5`, `2,000`, `100k`, `10M`. */
  function short(tick) {
    const [, scale, letter] = SHORT.find(([least]) => tick >= least) ?? [0, 1, ""];
    const shown = Number((tick / scale).toPrecision(6));
    const decimals = (String(shown).split(".")[1] ?? "").length;
    return number(shown, { decimals }) + letter;
  }

  function svg(drawn) {
    const { axes, ticks, format, lines } = drawn;
    const values = lines.flatMap(({ runs }) => runs.flat().map(([, value]) => value));
    const axis = scatter.axis(axes[1], values, format ?? {});
    const [x, y] = [scatter.across(axes[0], ticks), format ? axis : inShort(axis)];
    const groups = lines.map(({ label, told, runs }, n) => {
      const parts = runs.map((points) => scatter.stroke(paint(n), x, y, points));
      return ["g", {}, ["title", {}, `${label}: ${told}`], ...parts];
    });
    const named = lines.flatMap(({ names }) => names);
    const alone = named.length > 0 && lines.length === 1;
    const [key, height] = scatter.keyOf(
      alone ? [] : lines.map(({ label, told }, n) => [disc(n), label, told]),
    );
    const ends = alone ? [] : endsOf(y, lines);
    const beside = [...namesOf(x, y, named, ends), ...numbered(ends)];
    const body = [...scatter.plot(x, y), scatter.stretched(groups), ...beside, ...key];
    const said = lines.map(({ label, told }) => `${label}: ${told}`).join("; ");
    return draw.picture(drawn, "scatter", height, `${drawn.alt}. ${said}.`, body);
  }

  const disc = (n) => `series-${(n % COLOURS) + 1} part`;
  const dashes = (n) => (n < COLOURS ? "" : ` dashes-${Math.floor(n / COLOURS)}`);
  const paint = (n) => `line series-${(n % COLOURS) + 1}${dashes(n)}`;

  /** The names of points that fit, without overlapping the numbers of lines. */
  function namesOf(x, y, named, ends) {
    const places = named.map(([a, b, said], n) => [n, ...scatter.spot(x, y, a, b), said]);
    const taken = ends.map(([, height]) => scatter.around(EDGE, height, DISC));
    const found = scatter.rooms(places, taken, SIDES);
    return places
      .filter(([n]) => found.has(n))
      .map(([n, across, down, said]) => scatter.nameAt(across, down, found.get(n), said));
  }

  /** For each line that ends in a number, the lowest last: its index and the height of its
   *  number, which is where it ends, moved if two would overlap. */
  function endsOf(y, lines) {
    const ends = lines.map(({ end }, n) => [end, n]).filter(([end]) => end !== null);
    const rising = ends.map(([end, n]) => [TOP + (1 - y.at(end)) * PLOT, n]);
    rising.sort(([a], [b]) => a - b);
    const near = Math.min(NEAR, PLOT / Math.max(1, rising.length));
    const heights = apart(
      rising.map(([height]) => height),
      near,
    );
    return rising.map(([, n], place) => [n, heights[place]]);
  }

  const numbered = (ends) =>
    ends.flatMap(([n, height]) => [
      scatter.disc(disc(n), draw.share(EDGE), draw.px(height), DISC),
      draw.label(EDGE, height + 4, String(n + 1), "middle", "inside"),
    ]);

  /** Shift ascending heights as little as possible so that neighbors are at least `near` apart:
   *  those that would overlap are centered around their mean. */
  function apart(heights, near) {
    const groups = []; // for each: the sum of the wanted heights of its first, and its size
    heights.forEach((height, n) => {
      groups.push([height - n * near, 1]);
      for (;;) {
        const [[total, count], [more, also]] = [groups.at(-2) ?? [0, 0], groups.at(-1)];
        if (total * also <= more * count) break;
        groups.splice(-2, 2, [total + more, count + also]);
      }
    });
    const firsts = groups.flatMap(([total, count]) => Array(count).fill(total / count));
    const most = TOP + PLOT - (heights.length - 1) * near;
    return firsts.map((first, n) => Math.min(Math.max(first, TOP), most) + n * near);
  }

  return Object.freeze({ svg, inShort });
})();
