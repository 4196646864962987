/* The probability that each of several costs is the lowest, and its regret, as in
 * `choose/odds.py`. */
"use strict";

/** For each `{name, cost}`: `{chance, regret}`; undefined if the cost has no number. Errors of
 *  equal names are fully correlated. */
scalesheet.odds = (candidates) => {
  const POINTS = 256;
  const NEAR = 1e-9;
  const draws = scalesheet.makeDraws(scalesheet.runtime);
  const zs = Array.from({ length: POINTS }, (_, n) => draws.normal((n + 0.5) / POINTS));
  const known = candidates.filter(({ cost }) => typeof cost?.value === "number");
  const groups = new Map();
  for (const each of known) {
    const { value, low = value, high = value } = each.cost;
    const made = zs.map((z) => draws.between([low, value, high], z));
    if (!groups.has(each.name)) groups.set(each.name, []);
    groups.get(each.name).push({ each, made, first: [] });
  }
  const groupsOf = Array.from(groups.values());
  const least = groupsOf.map((of) => zs.map((_, n) => Math.min(...of.map(({ made }) => made[n]))));
  const rising = least.map((costs) => Float64Array.from(costs).sort());
  /** The number of ascending values below a cost, or up to it. */
  function below(numbers, cost, at) {
    let [first, last] = [0, numbers.length];
    while (first < last) {
      const middle = (first + last) >> 1;
      if (numbers[middle] < cost || (at && numbers[middle] === cost)) first = middle + 1;
      else last = middle;
    }
    return first;
  }
  const above = (numbers, cost) =>
    1 - (below(numbers, cost * (1 + NEAR), true) + below(numbers, cost * (1 - NEAR), false)) / 2 / POINTS;
  let [whole, spent] = [0, 0];
  groupsOf.forEach((of, g) =>
    zs.forEach((_, n) => {
      const lowest = least[g][n];
      const ties = of.filter(({ made }) => made[n] <= lowest * (1 + NEAR));
      const chance = rising.reduce((p, other, at) => (at === g ? p : p * above(other, lowest)), 1 / ties.length);
      for (const { made, first } of ties) {
        first.push(chance);
        whole += chance;
        spent += chance * made[n];
      }
    }),
  );
  const found = new Map();
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  for (const { each, made, first } of groupsOf.flat())
    found.set(each, { chance: sum(first) / whole, regret: sum(made) / POINTS - spent / whole });
  return candidates.map((each) => found.get(each));
};
