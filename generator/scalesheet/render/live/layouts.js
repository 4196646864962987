/* The fastest layout of a run that fits, found as in choose/: the same candidates in the same order
 * of preference. Every figure is the plan's own: a candidate is a set of its inputs.
 *
 * The search is a generator, so that a page can run it in slices and stay responsive.
 */
"use strict";

scalesheet.layouts = (() => {
  const { axes: AXES, roles } = scalesheet.question; // simpler ones first, for ties
  const SAME = 1 + 1e-9; // smaller differences are rounding

  const READ = [roles.run_hours, roles.gross_gpu_hours, roles.most_memory, roles.usable_memory];
  const BROKEN = [roles.broken];
  const SPLIT = ["stage", "tensor", "pipeline", "experts", "micro_batch"]; // what conditions read
  const MOST_KNOWN = 100;
  const known = new Map(); // the number of conditions that layouts fail, by job

  /** The part of a plan that some of its figures depend on. */
  const resting = ({ steps }, figures) => ({
    steps(s, t) {
      const wanted = new Set(figures);
      const taken = ([key, reads]) =>
        wanted.has(key) && reads.split(" ").forEach((name) => wanted.add(name)) === undefined;
      return steps(s, t).reverse().filter(taken).reverse();
    },
  });

  const machines = new Map(); // by the figures of the plan that they compute

  /** A function that computes figures of a plan for values of some inputs, with the others
   *  fixed. */
  function tries(plan, inputs, figures, names) {
    if (!machines.has(figures))
      machines.set(figures, scalesheet.runtime.machine(resting(plan, figures), inputs));
    const machine = machines.get(figures);
    machine.set(inputs);
    return machine.tries(names);
  }

  /** The number of conditions of the plan that each layout fails, by how it splits the model;
   *  `fixed` has the stated values. */
  function layouts(plan, inputs, fixed) {
    const compute = tries(plan, inputs, BROKEN, SPLIT);
    const job = JSON.stringify([compute.given, fixed]);
    if (known.has(job)) return known.get(job);
    const axis = (name) => (name in fixed ? [fixed[name]] : AXES[name]);
    const found = [];
    for (const stage of axis("stage")) {
      for (const tensor of axis("tensor")) {
        for (const pipeline of axis("pipeline")) {
          for (const experts of axis("experts")) {
            const split = { stage, tensor, pipeline, experts };
            const broken = axis("micro_batch").map((micro_batch) => [
              micro_batch,
              compute({ ...split, micro_batch })[roles.broken].value,
            ]);
            found.push({ split, broken });
          }
        }
      }
    }
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(job, found);
    return found;
  }

  /** The layouts that pass all conditions. */
  function* candidates(plan, inputs, fixed) {
    const ways = "checkpointing" in fixed ? [fixed.checkpointing] : AXES.checkpointing;
    for (const { split, broken } of layouts(plan, inputs, fixed)) {
      for (const checkpointing of ways) {
        for (const [micro_batch, count] of [...broken].reverse())
          if (count === 0) yield { ...split, micro_batch, checkpointing };
      }
    }
  }

  /** Whether any layout passes all conditions. */
  const possible = (plan, inputs, fixed) => !candidates(plan, inputs, fixed).next().done;

  /** The layout that fails the fewest conditions; of equal ones the simplest. */
  function nearest(plan, inputs, fixed) {
    let [best, fewest] = [undefined, Infinity];
    for (const { split, broken } of layouts(plan, inputs, fixed)) {
      for (const [micro_batch, count] of broken) {
        if (count < fewest) [best, fewest] = [{ ...fixed, ...split, micro_batch }, count];
      }
    }
    return best;
  }

  /** The layout for some inputs of the plan, `{layout, fits}`; undefined if there is none. If
   *  none fits, it is the one with the least memory. Yields after each candidate. */
  function* search(plan, inputs, fixed) {
    let compute;
    const tried = [];
    for (const layout of candidates(plan, inputs, fixed)) {
      compute ??= tries(plan, inputs, READ, Object.keys(AXES));
      const s = compute(layout);
      const found = {
        layout,
        gross: s[roles.run_hours].value,
        late: numberOf(s[roles.gross_gpu_hours].high), // none if it does not fit
        most: s[roles.most_memory].value,
        usable: s[roles.usable_memory].value,
      };
      yield;
      if (Number.isFinite(found.gross) && Number.isFinite(found.most)) tried.push(found);
    }
    const fitting = tried.filter(({ most, usable }) => most <= usable);
    const among = fitting.length ? fitting : least(tried, "most");
    const [best] = least(least(among, "gross"), "late");
    return best && { layout: best.layout, fits: fitting.length > 0 };
  }

  const numberOf = (value) => (Number.isFinite(value) ? value : Infinity);

  function least(rows, name) {
    const most = rows.reduce((lowest, row) => Math.min(lowest, row[name]), Infinity) * SAME;
    return rows.filter((row) => row[name] <= most);
  }

  /** Whether this many accelerators of an offer are available together; `sold` is the data of
   *  the offer. */
  function sells(sold, gpus) {
    if (!sold) return false;
    const [whole, joined] = sold;
    return gpus <= whole || (joined && gpus % 8 === 0);
  }

  /** Clear the caches when the rows of a table change. */
  function forget() {
    machines.clear();
    known.clear();
  }

  return Object.freeze({ AXES, nearest, possible, search, sells, forget });
})();
