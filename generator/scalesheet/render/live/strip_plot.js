/* Strips of dots: the prediction error of each published row, by family. A dot on the middle line
 * is exact; to its right the prediction is too high.
 *
 * The data are {id, title, axis, families, even}: a family is {name, median, dots}, and its dots
 * are [[error, text], ...]: base-2 logarithms, or differences if the axis is `even`.
 */
"use strict";

scalesheet.strip_plot = (() => {
  const { BELOW, ...draw } = scalesheet.charts.parts;
  const [STRIP, DOT, EDGE] = [40, 4.5, 0.03]; // of a family, of a dot, margin at both ends

  function svg(drawn) {
    const { families, even } = drawn;
    const farthest = Math.max(...families.flatMap(({ dots }) => dots.map(([off]) => Math.abs(off))));
    const ticks = even ? differences(farthest) : doublings(farthest);
    const along = draw.along(ticks.map(([tick]) => tick));
    const at = (off) => EDGE + along(off) * (1 - 2 * EDGE);
    const bottom = STRIP * families.length;
    const rows = families.flatMap(({ name, median, dots }, n) => [
      draw.label(0, n * STRIP + 14, `${name} (${dots.length})`, "start"),
      draw.label(1, n * STRIP + 14, median, "end", "value"),
      ...dots.map((dot) => dotOf(dot, at, n * STRIP + 27)),
    ]);
    const body = [
      ...draw.grid({ ticks, at }, bottom),
      draw.line("axis", at(0), 0, at(0), bottom),
      ...rows,
      ...draw.below({ ...drawn, ticks, at }, bottom),
    ];
    return draw.picture(drawn, "bars strips", bottom + BELOW, description(drawn), body);
  }

  const dotOf = ([off, said], at, y) => [
    "circle",
    { class: "series-1", cx: draw.share(at(off)), cy: draw.px(y), r: String(DOT), "fill-opacity": "0.6" },
    ["title", {}, said],
  ];

  /** `×1/2`, `×1`, `×2`, as far as the dots. */
  function doublings(farthest) {
    const reach = Math.max(1, Math.ceil(farthest - 1e-9));
    return around(reach, 1, (n) => (n < 0 ? `×1/${2 ** -n}` : `×${2 ** n}`));
  }

  /** `-0.2`, `0`, `+0.2`, as far as the dots. */
  function differences(farthest) {
    const step = draw.roundStep(Math.max(farthest, 1e-3) / 2);
    const text = (n) => `${n > 0 ? "+" : ""}${Number((n * step).toPrecision(6))}`;
    return around(Math.ceil(farthest / step), step, text);
  }

  const around = (reach, step, text) =>
    Array.from({ length: 2 * reach + 1 }, (_, n) => [(n - reach) * step, text(n - reach)]);

  function description({ families }) {
    const told = families.map(({ name, median, dots }) => `${name}: ${dots.length} row${dots.length === 1 ? "" : "s"}, ${median}`);
    return `Median error by family. ${told.join("; ")}.`;
  }

  return Object.freeze({ svg });
})();
