/* Any chart of a plan, from computed results: `scalesheet.picture(plan, chart, results, at)` is
 * {svg, rows}: the picture as [tag, attributes, ...content], and the rows of its table if the
 * page has its numbers nowhere else. `chart` is one of `plan.shown.charts`; `at` returns the
 * results for another value of an input. */
"use strict";

scalesheet.picture = (() => {
  const { charts, stacks, scatters, sweeps } = scalesheet;
  const { formatBy } = scalesheet.numbers;

  function ofColumn(plan, chart, { tables }) {
    const { rows, titles } = plan.inputs.tables[chart.table];
    const { rule } = plan.shown.tables[chart.table].columns[chart.column];
    const drawn = charts.drawing({ ...chart, rows, labels: titles }, rule, tables[chart.table]);
    return { svg: charts.svg(drawn) };
  }

  function ofPoints(plan, chart, { tables }) {
    const { rows, titles } = plan.inputs.tables[chart.table];
    const cells = tables[chart.table];
    const columns = [chart.x, chart.y].map((name) => plan.shown.tables[chart.table].columns[name]);
    const formats = columns.map(({ rule }, n) => formatBy(rule, cells[n ? chart.y : chart.x]));
    const { markOf, withUnit } = charts.parts;
    const points = rows.map((id, row) => {
      const [x, y] = [chart.x, chart.y].map((name, n) =>
        withUnit(markOf(id, titles[row], cells[name][row], formats[n]), columns[n]),
      );
      return { id, label: titles[row], x, y };
    });
    return { svg: scatters.svg(scatters.drawing({ ...chart, points }, chart.axes, formats)) };
  }

  function ofValues(...given) {
    const drawn = sweeps.ofPlan(...given);
    return { svg: sweeps.svg(drawn), rows: sweeps.rows(drawn) };
  }

  const KINDS = {
    bar: ofColumn,
    column: ofColumn,
    calendar: ofColumn,
    scatter: ofPoints,
    stack: (...given) => ({ svg: stacks.svg(stacks.ofPlan(...given)) }),
    sweep: ofValues,
  };

  return (plan, chart, results, at) => KINDS[chart.kind](plan, chart, results, at);
})();
