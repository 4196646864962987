/* A figure over values of an input, as sweeps.py draws it.
 *
 * `drawing` takes {id, title, alt, spots, limit}, the titles of both axes and the format of the
 * figure. A spot is {x, y, now}, whose x and y are marks as those of charts.js; `limit` is a number
 * in the unit of the figure and its words, or null.
 */
"use strict";

scalesheet.sweeps = (() => {
  const { formatBy } = scalesheet.numbers;
  const { NARROW, GLYPH, ...draw } = scalesheet.charts.parts;
  const { TOP, PLOT, LEFT, RIGHT, ...scatter } = scalesheet.scatters.parts;
  const { px, share, line, label, length } = draw;
  const [BELOW, DOT, NOW, LOGARITHMIC] = [44, 4.5, 7, 10];
  const SIDES = [
    [0, -11, "middle"],
    [10, -4, "start"],
    [0, 20, "middle"],
  ];

  // ---------------------------------------------------------------- from a plan

  /** What is drawn of a plan's chart; `at` gives the plan's results with another value of an
   *  input. */
  function ofPlan(plan, chart, results, at) {
    const quantities = plan.shown.scalars;
    const [given, figure] = [quantities[chart.input], quantities[chart.figure]];
    const now = results.scalars[chart.input].value;
    const values = Array.from(new Set(typeof now === "number" ? [...chart.values, now] : chart.values));
    values.sort((a, b) => a - b);
    const inputs = values.map((value) => ({ value, low: value, high: value }));
    const found = values.map((value) => at(chart.input, value).scalars[chart.figure]);
    const [across, up] = [formatBy(given.rule, inputs), formatBy(figure.rule, found)];
    const spots = values.map((value, n) => ({
      x: draw.markOf(chart.input, given.title, inputs[n], across),
      y: draw.markOf(chart.figure, figure.title, found[n], up),
      now: value === now,
    }));
    const limit = chart.capacity
      ? limitOf(quantities[chart.capacity], results.scalars[chart.capacity], chart.factor ?? 1)
      : null;
    return drawing({ ...chart, spots, limit }, chart.axes, up);
  }

  function limitOf(quantity, cell, factor) {
    const mark = draw.markOf("", quantity.title, cell, formatBy(quantity.rule, [cell]));
    if (mark.value === null) return null;
    return [mark.value * factor, `${quantity.title}: ${draw.withUnit(mark, quantity).text}`];
  }

  // ---------------------------------------------------------------- the drawing

  function drawing(sweep, axes, format) {
    const { spots, limit } = sweep;
    const placed = spots.filter((spot) => spot.y.value !== null);
    const ends = placed.flatMap(({ y }) => [y.value, y.low, y.high]).filter((n) => n !== null);
    if (limit) ends.push(limit[0]);
    return { ...sweep, x: across(axes[0], spots), y: scatter.axis(axes[1], ends, format), placed };
  }

  /** The axis of the input, with a tick at each value. */
  function across(title, spots) {
    const places = spots.map(({ x }) => [x.value, x.text]);
    const [least, greatest] = [places[0][0], places[places.length - 1][0]];
    const ticks = places.length === 1 ? [...places, [least + 1, ""]] : places;
    const log = places.length > 1 && least > 0 && greatest >= LOGARITHMIC * least;
    const scaled = log ? Math.log10 : (value) => value;
    const along = draw.along(ticks.map(([tick]) => scaled(tick)));
    return { title, ticks, at: (value) => along(scaled(value)) };
  }

  const placeOf = ({ x, y }, spot) => [
    LEFT + x.at(spot.x.value) * (1 - LEFT - RIGHT),
    TOP + (1 - y.at(spot.y.value)) * PLOT,
  ];

  // ---------------------------------------------------------------- SVG

  function svg(drawn) {
    const content = [
      ...scatter.plot(drawn.x, drawn.y),
      curve(drawn),
      ...acrossLine(drawn),
      ...spotsOf(drawn),
    ];
    return draw.picture(drawn, "sweep", TOP + PLOT + BELOW, description(drawn), content);
  }

  function description({ alt, x, y, spots, limit }) {
    const line = limit ? ` The line across is ${limit[1]}.` : "";
    const all = spots.map(told).join("; ");
    return `${alt.replace(/\.+$/, "")}. ${y.title} by ${x.title}: ${all}.${line}`;
  }

  const figureTold = ({ y }) => y.text + draw.inBrackets(y);
  const told = (spot) => `${spot.x.text}: ${figureTold(spot)}${spot.now ? " (the plan)" : ""}`;

  /** Band and line, in a picture of their own that stretches with the page. */
  function curve({ x, y, placed }) {
    const at = (spot, value) => `${px(x.at(spot.x.value) * 1000)},${px((1 - y.at(value)) * 1000)}`;
    const lower = placed.map((spot) => at(spot, spot.y.low ?? spot.y.value));
    const upper = placed.map((spot) => at(spot, spot.y.high ?? spot.y.value));
    const band = ["polygon", { class: "band", points: [...lower, ...upper.reverse()].join(" ") }];
    const middle = placed.map((spot) => at(spot, spot.y.value)).join(" ");
    const stroke = { class: "line series-1", "vector-effect": "non-scaling-stroke" };
    return [
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
      ...(placed.some((spot) => spot.y.low !== null) ? [band] : []),
      ["polyline", { ...stroke, points: middle }],
    ];
  }

  function acrossLine({ y, limit }) {
    if (!limit) return [];
    const at = TOP + (1 - y.at(limit[0])) * PLOT;
    return [line("limit", LEFT, at, 1, at), label(1, at - 6, limit[1], "end", "name")];
  }

  function spotsOf(drawn) {
    const names = named(drawn);
    return drawn.placed.map((spot) => {
      const [x, y] = placeOf(drawn, spot);
      const [kind, radius] = spot.now ? ["series-1 part", NOW] : ["point on", DOT];
      const content = [scatter.disc(kind, share(x), px(y), radius)];
      const name = names.get(spot.x.text);
      if (name) {
        const [dx, dy, anchor] = name;
        const at = { x: share(x), y: px(y + dy), dx: String(dx), "text-anchor": anchor };
        content.push(["text", { class: spot.now ? "name now" : "name", ...at }, spot.y.text]);
      }
      return ["g", { "data-row": spot.x.text }, ["title", {}, told(spot)], ...content];
    });
  }

  /** The spots that have room for their figures: first the plan's own. */
  function named(drawn) {
    const placed = Array.from(drawn.placed).sort((a, b) => Number(b.now) - Number(a.now));
    const taken = placed.map((spot) =>
      scatter.around(...placeOf(drawn, spot), spot.now ? NOW : DOT),
    );
    if (drawn.limit) {
      const y = TOP + (1 - drawn.y.at(drawn.limit[0])) * PLOT;
      taken.push([NARROW - length(drawn.limit[1]) * GLYPH, y - 16, NARROW, y - 3]);
    }
    const wanted = placed.map((spot) => [spot.x.text, ...placeOf(drawn, spot), spot.y.text]);
    return scatter.rooms(wanted, taken, SIDES);
  }

  /** The rows of the table below the chart. */
  const rows = ({ spots }) =>
    spots.map((spot) => [
      "tr",
      {},
      ["th", { scope: "row" }, spot.x.text],
      ["td", { class: "num" }, figureTold(spot)],
    ]);

  return Object.freeze({ ofPlan, drawing, svg, rows });
})();
