/* Quantiles of drawn figures and the causes of a reserve, as in `scalesheet/sure`.
 *
 * `scalesheet.makeQuantiles` needs only the draws, so that its text runs in a worker.
 */
"use strict";

scalesheet.makeQuantiles = (draws) => {
  const LEVELS = { p10: 0.1, p50: 0.5, p80: 0.8, p90: 0.9 };
  const [BINS, FEW, LEAST] = [32, 64, 0.05]; // as in causes.py
  const AGAIN = 8; // as in together.py

  const meanOf = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  const sumOf = (numbers) => numbers.reduce((sum, x) => sum + x, 0);

  /** The interpolated value at a position among ascending numbers. */
  function placed(rising, place) {
    const inside = Math.min(Math.max(place, 0), rising.length - 1);
    const first = Math.floor(inside);
    const [a, b, rest] = [rising[first], rising[Math.min(first + 1, rising.length - 1)], inside - first];
    return rest >= 0.5 ? b - (b - a) * (1 - rest) : a + (b - a) * rest;
  }

  const linear = (rising, level) => placed(rising, level * (rising.length - 1));
  const weibull = (rising, level) => placed(rising, level * (rising.length + 1) - 1);
  const known = (sample) => sample.filter((x) => x === x);

  function levels(numbers, falls) {
    const rising = Float64Array.from(numbers).sort();
    const found = Object.entries(LEVELS).map(([name, level]) => [name, linear(rising, falls ? 1 - level : level)]);
    return { ...Object.fromEntries(found), mean: meanOf(numbers) };
  }

  function deviation(numbers) {
    const middle = meanOf(numbers);
    return Math.sqrt(sumOf(numbers.map((x) => (x - middle) ** 2)) / (numbers.length - 1));
  }

  function quantiles(sample, falls, expected, replicates) {
    const numbers = known(sample);
    if (!numbers.length) return undefined;
    const size = sample.length / replicates;
    const parts = Array.from({ length: replicates }, (_, n) => known(sample.subarray(n * size, (n + 1) * size)));
    const each = parts.filter((part) => part.length).map((part) => levels(part, falls));
    const values = levels(numbers, falls);
    const errors = Object.fromEntries(
      Object.keys(values).map((name) => [
        name,
        each.length > 1 ? deviation(each.map((one) => one[name])) / Math.sqrt(each.length) : NaN,
      ]),
    );
    const enough = numbers.filter((x) => (falls ? x >= expected : x <= expected)).length;
    return {
      ...{ values, errors, falls, without: 1 - numbers.length / sample.length },
      ...{ expected: Number.isFinite(expected) ? enough / numbers.length : NaN },
      reserve: Math.abs(values.p80 - values.p50),
    };
  }

  // ---------------------------------------------------------------- causes

  function aboutALine(z, sample, bin) {
    const count = bin.length;
    let [zs, ys] = [0, 0];
    for (const n of bin) [zs, ys] = [zs + z[n], ys + sample[n]];
    const [middle, level] = [zs / count, ys / count];
    let [xy, xx] = [0, 0];
    for (const n of bin) {
      const x = z[n] - middle;
      xy += x * (sample[n] - level);
      xx += x * x;
    }
    return Float64Array.from(bin, (n) => sample[n] - level - (xy / xx) * (z[n] - middle));
  }

  function reserveOf(about) {
    const rising = about.slice().sort();
    return (weibull(rising, 0.8) - weibull(rising, 0.5)) * Math.sqrt(about.length / (about.length - 2));
  }

  function cause(unknown, u, z, sample, reserve) {
    const all = Array.from({ length: BINS }, () => []);
    sample.forEach((y, n) => y === y && all[Math.min(Math.floor(u[n] * BINS), BINS - 1)].push(n));
    const bins = all.filter((bin) => bin.length >= FEW);
    if (!bins.length) return { unknown, share: 0, saves: 0 };
    const about = bins.map((bin) => aboutALine(z, sample, bin));
    const numbers = bins.flatMap((bin) => bin.map((n) => sample[n]));
    const lines = 2 * bins.length;
    const left = sumOf(about.map((each) => sumOf(each.map((y) => y ** 2)))) / (numbers.length - lines);
    const found = 1 - left / deviation(numbers) ** 2;
    if (!(found > (3 * Math.sqrt(2 * lines)) / numbers.length)) return { unknown, share: 0, saves: 0 };
    const rest = meanOf(about.map(reserveOf));
    return { unknown, share: found, saves: Math.min(Math.max(1 - rest / reserve, 0), 1) };
  }

  /** The causes of a figure's reserve, the largest saving first. */
  function causes(unknowns, take, sample, reserve, totals = {}) {
    const numbers = known(sample);
    if (!(reserve > 0) || !numbers.length || numbers.every((x) => x === numbers[0])) return [];
    const made = unknowns.map((each) => cause(each, take.uniform(each.name), take.normal(each.name), sample, reserve));
    const whole = Math.max(1, sumOf(made.map(({ share }) => share)));
    return made
      .map((each) => {
        const [share, total] = [each.share / whole, totals[each.unknown.name]];
        return { ...each, share, total: total === undefined ? undefined : Math.max(share, total) };
      })
      .filter(({ share, total = 0 }) => share > 0 || total > LEAST)
      .sort((a, b) => b.saves - a.saves || b.share - a.share);
  }

  // ---------------------------------------------------------------- all of a plan

  function contingency({ name, on }, sample, share, value) {
    const numbers = Float64Array.from(known(sample)).sort();
    if (!numbers.length || !(value > 0) || numbers[0] === numbers.at(-1)) return [];
    const covers = numbers.filter((x) => x <= value * (1 + share)).length / numbers.length;
    return [{ name, on, share, covers, needed: linear(numbers, 0.8) / value - 1 }];
  }

  /** The total-effect index of each unknown for a figure, as in `sure/together.py`. */
  function together(plan, drawn, of, given, name, sample, unknowns) {
    const size = drawn.draws / AGAIN;
    const moved = draws.source((key) => {
      const made = new Float64Array(size * unknowns.length);
      const first = of(key).subarray(0, size);
      unknowns.forEach((each, n) => made.set(each.name === key ? rolled(first) : first, n * size));
      return made;
    });
    const again = plan.run(given, [name], moved, size * unknowns.length).figures[name];
    const first = sample.subarray(0, size);
    const numbers = known(first);
    const variance = numbers.length ? (deviation(numbers) ** 2 * (numbers.length - 1)) / numbers.length : 0;
    if (!(variance > 0)) return {};
    const total = (n) => {
      const squares = known(first.map((y, at) => (again[n * size + at] - y) ** 2));
      return Math.min(Math.max(meanOf(squares) / 2 / variance, 0), 1);
    };
    return Object.fromEntries(unknowns.map((each, n) => [each.name, total(n)]));
  }

  const rolled = (numbers) => numbers.map((_, n) => numbers[(n || numbers.length) - 1]);

  /** The quantiles of a plan for these inputs, as in Python's `sure`, with the causes of its
   *  first figure: first without total-effect indices, then with them. */
  function* sure(plan, drawn, take, given, measured) {
    const asked = Array.from(new Set([...drawn.figures.map(({ name }) => name), ...Object.values(drawn.checks), ...drawn.held.map(({ on }) => on)]));
    const { figures, unknowns, results } = plan.run(given, asked, take, drawn.draws);
    const value = (name) => {
      const { value: x } = results.scalars[name];
      return typeof x === "number" ? x : NaN;
    };
    const held = drawn.held.filter(({ name }) => Number.isFinite(value(name)));
    const made = {};
    for (const { name, falls } of drawn.figures) {
      const found = quantiles(figures[name], falls, value(name), drawn.replicates);
      if (found) made[name] = found;
    }
    const inMoney = drawn.figures.find(({ name, falls, money }) => money && !falls && made[name]);
    const ranked = [inMoney, ...drawn.figures].filter(Boolean).map(({ name }) => name);
    let first;
    for (const name of ranked) {
      if (!made[name]) continue;
      const sample = made[name].falls ? figures[name].map((x) => -x) : figures[name];
      const why = causes(unknowns, take, sample, made[name].reserve);
      made[name].causes = why;
      first ??= why.length ? name : undefined;
      if (first) break;
    }
    const limits = Object.entries(drawn.checks).flatMap(([name, check]) => {
      const numbers = known(figures[check]);
      return numbers.length ? [[name, meanOf(numbers)]] : [];
    });
    const found = {
      ...{ figures: made, limits, first, unknowns, draws: drawn.draws },
      left_out: drawn.figures.map(({ name }) => name).filter((name) => !made[name]),
      contingencies: held.flatMap((each) =>
        contingency(each, figures[each.on], value(each.name), value(each.on)),
      ),
    };
    if (measured.length) {
      const names = first ? [first] : Object.keys(made);
      const before = plan.run(edited(given, measured), names, take, drawn.draws).figures;
      for (const name of first ? names : ranked.filter((each) => made[each])) {
        const { reserve } = quantiles(before[name], made[name].falls, NaN, drawn.replicates) ?? {};
        if (!(first ? reserve >= 0 : reserve > 0)) continue;
        Object.assign(found, { measured: measured.map(({ title }) => title), before: reserve, narrowed: name });
        break;
      }
    }
    if (!first) {
      yield found;
      return;
    }
    const { falls, reserve } = made[first];
    const expected = value(first);
    if (held.length && !falls) {
      const scalars = { ...given.scalars };
      for (const { inputs } of held) for (const name of inputs) scalars[name] = 0;
      const bare = known(plan.run({ ...given, scalars }, [first], take, drawn.draws).figures[first]);
      if (bare.length) found.as_needed = bare.filter((x) => x <= expected).length / bare.length;
    }
    yield found;
    const totals = together(plan, drawn, plan.of, given, first, figures[first], unknowns);
    const sample = falls ? figures[first].map((x) => -x) : figures[first];
    made[first].causes = causes(unknowns, take, sample, reserve, totals);
    yield found;
  }

  /** The inputs of a plan with changes: {name, value} for a scalar, else {table, column, row,
   *  value}. */
  function edited({ scalars, tables }, changes) {
    const made = { scalars: { ...scalars }, tables: { ...tables } };
    for (const { name, table, column, row, value } of changes) {
      if (table === undefined) {
        made.scalars[name] = value;
        continue;
      }
      const columns = { ...made.tables[table].columns };
      columns[column] = columns[column].map((cell, n) => (n === row ? value : cell));
      made.tables[table] = { ...made.tables[table], columns };
    }
    return made;
  }

  /** Answers changes to a plan's inputs with new quantiles. */
  function answering({ steps, inputs, drawn }) {
    const plan = draws.plan({ steps, inputs, drawn });
    const take = draws.source(plan.of);
    const place = ({ name, table, column, row }) => JSON.stringify([name, table, column, row]);
    return (changes) => {
      const changed = new Set(changes.map(place));
      const known = drawn.measured.filter((each) => !changed.has(place(each)));
      return sure(plan, drawn, take, edited(inputs, changes), known);
    };
  }

  return { quantiles, causes, sure, answering };
};
