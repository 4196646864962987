/* What the build uses of these scripts: the pictures of a plan as stated, and its alternatives.
 * `rankings` are the inputs by effect, as the tornado script computes them. */
"use strict";

scalesheet.published = (id, rankings) => {
  const plan = scalesheet.plans[id];
  const machine = scalesheet.runtime.machine(plan, plan.inputs);
  const other = scalesheet.runtime.machine(plan, plan.inputs);
  const at = (name, value) => other.set(scalesheet.inputs.edited(plan, new Map([[name, value]])));
  const charts = Object.entries(plan.shown.charts).map(([name, chart]) => [
    name,
    scalesheet.picture(plan, chart, machine.results, at),
  ]);
  const tornados = rankings.map((found) => [found.name, scalesheet.tornado.view(plan, found)]);
  return {
    charts: Object.fromEntries(charts),
    tornados: Object.fromEntries(tornados),
    alternatives: scalesheet.alternatives.published(plan, machine),
  };
};
