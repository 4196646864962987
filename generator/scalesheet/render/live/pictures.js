/* Any chart of a plan, from computed results: `scalesheet.picture(plan, chart, results)` is the
 * picture as [tag, attributes, ...content]. `chart` is one of `plan.shown.charts`.
 */
"use strict";

scalesheet.picture = (() => {
  const { charts, stacks } = scalesheet;

  function ofColumn(plan, chart, { tables }) {
    const { rows, titles } = plan.inputs.tables[chart.table];
    const { rule } = plan.shown.tables[chart.table].columns[chart.column];
    const drawn = charts.drawing({ ...chart, rows, labels: titles }, rule, tables[chart.table]);
    return charts.svg(drawn);
  }

  const KINDS = {
    bar: ofColumn,
    column: ofColumn,
    calendar: ofColumn,
    stack: (...given) => stacks.svg(stacks.ofPlan(...given)),
  };

  return (plan, chart, results) => KINDS[chart.kind](plan, chart, results);
})();
