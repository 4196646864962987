/* Quantiles of figures: a bar from P10 to P90, on it the reserve from P50 to P80, and a thin line
 * for the whole range.
 *
 * The data are {id, title, axis, rows}: a row is {label, text, quantiles, ends}, with P10, P50, P80
 * and P90 and both ends in percent of the expected value.
 */
"use strict";

scalesheet.quantile_bars = (() => {
  const { BELOW, ...draw } = scalesheet.charts.parts;
  const [BAR, ROW, TICK] = [10, 44, 3];

  function svg(drawn) {
    const { rows, axis } = drawn;
    const ticks = draw.steps(rows.flatMap(({ quantiles, ends }) => [...quantiles, ...ends]));
    const on = { axis, ticks: draw.told(ticks, {}), at: draw.along(ticks) };
    const [body, bottom] = draw.rowsOf(rows, ROW, (row, top) => bar(row, top, on.at));
    return draw.picture(drawn, "bars quantiles", bottom + BELOW, description(drawn), [
      ...draw.grid(on, bottom),
      draw.line("axis", on.at(100), 0, on.at(100), bottom),
      ...body,
      ...draw.below(on, bottom),
    ]);
  }

  function bar({ quantiles, ends }, top, at) {
    const [p10, p50, p80, p90] = quantiles.map(at);
    const middle = top + BAR / 2;
    const from = (kind, left, right) => [
      "rect",
      { class: kind, x: draw.share(left), y: draw.px(top), width: draw.share(right - left), height: String(BAR) },
    ];
    return [
      draw.line("outer", at(ends[0]), middle, at(ends[1]), middle),
      from("likely", p10, p90),
      from("reserve", p50, p80),
      ...[p50, p80].map((place) => draw.line("limit", place, top - TICK, place, top + BAR + TICK)),
    ];
  }

  function description({ axis, rows }) {
    const inWords = ({ label, text }) => `${label}: ${text}`;
    return `${axis}. ${rows.map(inWords).join("; ")}.`;
  }

  return Object.freeze({ svg });
})();
