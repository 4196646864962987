/* A figure over values of an input: a line through them, including the plan's own value.
 *
 * `drawing` takes {id, title, alt, spots, limit}, the titles of both axes and the format of the
 * figure. A spot is {x, y, now}, whose x and y are marks as in charts.js; `limit` is a number in
 * the unit of the figure and its words, or null.
 */
"use strict";

scalesheet.sweeps = (() => {
  const { formatBy } = scalesheet.numbers;
  const { NARROW, GLYPH, ...draw } = scalesheet.charts.parts;
  const { TOP, PLOT, LEFT, BELOW, ...scatter } = scalesheet.scatters.parts;
  const { px, share, label, length } = draw;
  const [DOT, NOW] = [4.5, 7];
  const SIDES = [
    [0, -11, "middle"],
    [10, -4, "start"],
    [0, 20, "middle"],
  ];

  // ---------------------------------------------------------------- from a plan

  /** The data of a plan's chart; `at` returns the plan's results for another value of an input. */
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
    const x = scatter.across(
      axes[0],
      spots.map((spot) => [spot.x.value, spot.x.text]),
    );
    return { ...sweep, x, y: scatter.axis(axes[1], ends, format), placed };
  }

  const placeOf = ({ x, y }, spot) => scatter.spot(x, y, spot.x.value, spot.y.value);

  // ---------------------------------------------------------------- SVG

  function svg(drawn) {
    const content = [
      ...scatter.plot(drawn.x, drawn.y),
      ...scatter.nothing(drawn.placed),
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

  /** The band and the line. */
  function curve({ x, y, placed }) {
    const points = (end) => placed.map((spot) => [spot.x.value, spot.y[end] ?? spot.y.value]);
    const ranged = placed.some((spot) => spot.y.low !== null);
    const band = scatter.area("band", x, y, [...points("low"), ...points("high").reverse()]);
    const middle = scatter.stroke("line series-1", x, y, points("value"));
    return scatter.stretched(ranged ? [band, middle] : [middle]);
  }

  function acrossLine({ y, limit }) {
    if (!limit) return [];
    const at = TOP + (1 - y.at(limit[0])) * PLOT;
    return [draw.line("limit", LEFT, at, 1, at), label(1, at - 6, limit[1], "end", "name")];
  }

  function spotsOf(drawn) {
    const names = named(drawn);
    return drawn.placed.map((spot) => {
      const [x, y] = placeOf(drawn, spot);
      const [kind, radius] = spot.now ? ["series-1 part", NOW] : ["point on", DOT];
      const content = [scatter.disc(kind, share(x), px(y), radius)];
      const name = names.get(spot.x.text);
      if (name) content.push(scatter.nameAt(x, y, name, spot.y.text, spot.now ? "name now" : "name"));
      return ["g", { "data-row": spot.x.text }, ["title", {}, told(spot)], ...content];
    });
  }

  /** The spots whose figures fit, the plan's own first. */
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
