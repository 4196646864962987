/* The layout of a run that is fastest and fits, as choose/ finds it: the same candidates, the same
 * order of preference. Every figure is the plan's own: a candidate is some of its inputs.
 *
 * The search is a generator, so that a page can do it in slices and stay quick to the touch.
 */
"use strict";

scalesheet.layouts = (() => {
  /** The plainer first, as ties are broken. */
  const AXES = {
    stage: [0, 1, 2, 3],
    tensor: [1, 2, 4, 8],
    pipeline: [1, 2, 4, 8, 16],
    checkpointing: ["none", "full"],
    micro_batch: [64, 32, 16, 8, 4, 2, 1],
  };
  const SAME = 1 + 1e-9; // what differs by rounding alone is the same

  const trainerOf = (method) => (method === "pretraining" ? "tuned" : "general");

  /** What divides, and what software there is for; `fixed` holds what is not to be found. */
  function* candidates(job, fixed) {
    const axis = (name) => (name in fixed ? [fixed[name]] : AXES[name]);
    const general = job.trainer === "general";
    for (const stage of axis("stage")) {
      for (const tensor of axis("tensor")) {
        for (const pipeline of axis("pipeline")) {
          const ways = tensor * pipeline;
          const replicas = job.gpus / ways;
          const split =
            Number.isInteger(replicas) &&
            job.heads % tensor === 0 &&
            job.layers % pipeline === 0 &&
            (ways === 1 || !general) &&
            (pipeline === 1 || stage <= 1) &&
            (stage === 0 || replicas > 1);
          if (!split) continue;
          for (const checkpointing of axis("checkpointing")) {
            for (const micro_batch of axis("micro_batch")) {
              const atOnce = replicas * micro_batch;
              if (atOnce > job.batch || job.batch % atOnce !== 0) continue;
              if (pipeline > 1 && atOnce * pipeline > job.batch) continue;
              yield { stage, tensor, pipeline, micro_batch, checkpointing };
            }
          }
        }
      }
    }
  }

  /** The layout for some inputs of the plan, `{layout, fits}`; undefined where there is none.
   *  Where none fits it is the one that needs the least memory. Yields after each candidate. */
  function* search(plan, inputs, fixed) {
    const { model, gpus, batch, trainer } = inputs.scalars;
    const { rows, columns } = inputs.tables.models;
    const at = rows.indexOf(model);
    const job = { gpus, batch, trainer, heads: columns.heads[at], layers: columns.layers[at] };
    let compute;
    const tried = [];
    for (const layout of candidates(job, fixed)) {
      compute ??= scalesheet.runtime.machine(plan, inputs).tries(Object.keys(AXES));
      const s = compute(layout);
      const found = {
        layout,
        gross: s.run_hours.value,
        late: s.gross_gpu_hours.high,
        most: s.most_memory.value,
        usable: s.usable_memory.value,
      };
      yield;
      if (Number.isFinite(found.gross) && Number.isFinite(found.most)) tried.push(found);
    }
    const fitting = tried.filter(({ most, usable }) => most <= usable);
    const among = fitting.length ? fitting : least(tried, "most");
    const [best] = least(least(among, "gross"), "late");
    return best && { layout: best.layout, fits: fitting.length > 0 };
  }

  function least(rows, name) {
    const most = rows.reduce((lowest, row) => Math.min(lowest, row[name]), Infinity) * SAME;
    return rows.filter((row) => row[name] <= most);
  }

  /** Whether so many accelerators of an offer can be had together; `sold` says how it is sold. */
  function sells(sold, gpus) {
    if (!sold) return false;
    const [whole, joined] = sold;
    return gpus <= whole || (joined && gpus % 8 === 0);
  }

  return Object.freeze({ AXES, trainerOf, search, sells });
})();
