/* Figures against their predictions: each a point; correct predictions are on the diagonal. The
 * lines beside it contain 90 % of the points.
 *
 * The data are {id, title, told, axes, points, names, within, even}: `points` are [[figure,
 * prediction], ...], the largest errors first, of which the first have `names`; `dots` are the
 * tooltips. `within` is the error that 90 % do not exceed: a factor, or, if numbers are so similar
 * that the axes are `even`, a difference. Both axes have the same range.
 */
"use strict";

scalesheet.parity = (() => {
  const draw = scalesheet.charts.parts;
  const { TOP, PLOT, ...scatter } = scalesheet.scatters.parts;
  const [HEIGHT, DOT] = [TOP + PLOT + scatter.BELOW, 3.5];
  const SIDES = [
    [7, 4, "start"],
    [-7, 4, "end"],
    [0, -8, "middle"],
    [0, 16, "middle"],
  ];

  function svg(drawn) {
    const { points, names, within, even, told } = drawn;
    const values = points.flat();
    const [x, y] = drawn.axes.map((title) => scalesheet.lines.inShort(axis(title, values, even)));
    const ends = [x.ticks[0][0], x.ticks[x.ticks.length - 1][0]];
    const aside = [1, -1].map((side) => (end) => (even ? end + side * within : end * within ** side));
    const diagonal = (kind, moved) => scatter.stroke(kind, x, y, ends.map((end) => [end, moved(end)]));
    const places = points.map(([figure, made]) => scatter.spot(x, y, figure, made));
    const taken = places.map((place) => scatter.around(...place, DOT));
    const wanted = names.map((name, n) => [n, ...places[n], name]);
    const found = scatter.rooms(wanted, taken, SIDES);
    return draw.picture(drawn, "scatter", HEIGHT, told, [
      ...scatter.plot(x, y),
      scatter.stretched([
        diagonal("diagonal", (end) => end),
        ...aside.map((moved) => diagonal("diagonal aside", moved)),
      ]),
      ...places.map((place, n) => dot(place, drawn.dots[n], drawn.errors[n])),
      ...Array.from(found, ([n, side]) => scatter.nameAt(...places[n], side, names[n])),
    ]);
  }

  /** A point with a tooltip, and the values by which it can be filtered. */
  function dot([a, b], [told, ...facets] = [], off) {
    const disc = scatter.disc("dot", draw.share(a), draw.px(b), DOT);
    if (told) disc.push(["title", {}, told]);
    facets.forEach((facet, n) => (disc[1][`data-facet-${n}`] = facet));
    if (facets.length) disc[1]["data-off"] = String(Number(off.toPrecision(6)));
    return disc;
  }

  function axis(title, values, even) {
    if (!even) return scatter.axis(title, values, {});
    const [least, greatest] = [Math.min(...values), Math.max(...values)];
    const ticks = draw.evenly(least, greatest === least ? least + 4 : greatest);
    return { title, ticks: ticks.map((tick) => [tick]), at: draw.along(ticks) };
  }

  return Object.freeze({ svg });
})();
