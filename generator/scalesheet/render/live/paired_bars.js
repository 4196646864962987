/* Pairs of bars: each component as recorded, and below it as predicted. They differ by color and
 * texture, and both numbers are above them; a line below the predicted bar shows its range.
 *
 * The data are {id, title, axis, sides, rows}: `sides` names the two bars of each pair, and a row
 * is {label, recorded, predicted, texts, ratio, low, high}.
 */
"use strict";

scalesheet.paired_bars = (() => {
  const { BELOW, ...draw } = scalesheet.charts.parts;
  const { textures, swatch, entryOf, keyOf } = scalesheet.stacks.parts;
  const [BAR, GAP, ROW] = [11, 2, 56];

  function svg(drawn) {
    const { rows, sides, axis } = drawn;
    const name = `chart-${drawn.id}`;
    const ticks = draw.steps(rows.flatMap((row) => [row.recorded, row.predicted, row.high]));
    const on = { axis, ticks: draw.told(ticks, {}), at: draw.along(ticks) };
    const told = rows.map((row) => ({ ...row, text: row.texts.join(" → "), muted: ` ${row.ratio}` }));
    const [body, bottom] = draw.rowsOf(told, ROW, (row, top) => pair(row, top, on.at, name));
    const entries = sides.map((side, n) => entryOf(n, side, name));
    const [key, height] = keyOf(entries, bottom + BELOW);
    return draw.picture(drawn, "bars pairs", height, description(drawn), [
      textures(name, sides.length),
      ...draw.grid(on, bottom),
      ...body,
      ...draw.below(on, bottom),
      ...key,
    ]);
  }

  function pair({ recorded, predicted, low, high }, top, at, name) {
    const found = [draw.line("axis", 0, top - 2, 0, top + 2 * BAR + GAP + 2)];
    [recorded, predicted].forEach((value, n) => {
      const place = ["0%", top + n * (BAR + GAP), draw.share(at(value)), BAR];
      if (value > 0) found.push(...swatch(n, place, name));
    });
    if (low !== null && high !== null && low < high)
      found.push(...draw.whisker(at(low), at(high), top + 2 * (BAR + GAP) + 3, 3));
    return found;
  }

  function description({ axis, sides, rows }) {
    const [here, made] = sides.map((side) => side.toLowerCase());
    const inWords = ({ label, texts, ratio }) =>
      `${label}: ${here} ${texts[0]}, ${made} ${texts[1]}, ${ratio}`;
    return `${axis}. ${rows.map(inWords).join("; ")}.`;
  }

  return Object.freeze({ svg });
})();
