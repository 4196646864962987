/* The language's arithmetic in JavaScript, and the machinery that computes a plan in a page.
 *
 * A classic script: it defines one global, `scalesheet`, needs no other script and no eval.
 *   scalesheet.runtime   what printed expressions call (the same rules as language/arithmetic.py)
 *   scalesheet.plans     id -> {inputs, compute(inputs)}, filled by the scripts of the plans
 *
 * Inside a computation a cell is {value, low, high}: numbers, texts or booleans, all three equal if
 * exact. A reason is in all three. A number that is not finite is not a value: it throws NoValue,
 * which ends only its own cell. That cell becomes a fault, and so does everything that depends on
 * it.
 */
"use strict";

globalThis.scalesheet = globalThis.scalesheet || { plans: Object.create(null) };

// The text of this function also defines the runtime in a worker.
scalesheet.makeRuntime = () => {
  const EQUAL_WITHIN = 2 ** -49;
  const ROUNDING_SLACK = 1e-12;
  const [MONDAY, LAST_DAY] = [2, 2958465]; // in the calendar of spreadsheets
  const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
  const NO_VALUE = "no value with these inputs";
  const DIVISION = "division by zero";
  const LOGARITHM = "logarithm of a number that is not positive";
  const ROOT = "square root of a negative number";
  const POWER = "a power that has no value";
  const TOO_LARGE = "too large to be a number";
  const ENDS = ["value", "low", "high"];

  class Reason {
    constructor(text) {
      this.text = text;
    }
  }

  /** A reason that no formula expects, such as an overflow: any computation with it throws. */
  class Fault extends Reason {
    [Symbol.toPrimitive]() {
      throw new NoValue(this.text);
    }
  }

  class NoValue extends Error {}

  const reason = (text) => new Reason(text);
  const isReason = (x) => x instanceof Reason;

  /** The argument, unless it is a fault, which throws. */
  function sound(x) {
    if (x instanceof Fault) throw new NoValue(x.text);
    return x;
  }

  // ---------------------------------------------------------------- numbers

  const within = (a, b) => EQUAL_WITHIN * (Math.abs(a) + Math.abs(b));

  /** The number, if it is finite; else throws. */
  function finite(x) {
    if (!Number.isFinite(+x)) throw new NoValue(TOO_LARGE);
    return x;
  }

  /** a - b if both are numbers: a comparison with anything else has no answer. */
  const gap = (a, b) => finite(a) - finite(b);

  const equal = (a, b) => Math.abs(gap(a, b)) <= within(a, b);
  const differ = (a, b) => Math.abs(gap(a, b)) > within(a, b);
  const less = (a, b) => gap(a, b) < -within(a, b);
  const atMost = (a, b) => gap(a, b) <= within(a, b);
  const greater = (a, b) => gap(a, b) > within(a, b);
  const atLeast = (a, b) => gap(a, b) >= -within(a, b);

  // "+ 0" turns -0 into 0
  const floor = (x) => Math.min(Math.ceil(x), Math.floor(x + Math.abs(x) * ROUNDING_SLACK)) + 0;
  const ceil = (x) => Math.max(Math.floor(x), -Math.floor(-(x - Math.abs(x) * ROUNDING_SLACK))) + 0;

  /** The days of a week such as "sun-thu" in calendar order; 0 is Monday. */
  function workingDays(week) {
    const [first, last] = week.split("-").map((each) => WEEKDAYS.indexOf(each));
    const days = Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, n) => (first + n) % 7);
    return days.sort((a, b) => a - b);
  }

  /** The count-th working day from a day on, by week and days off. */
  function workday(day, count, ...rest) {
    const start = Math.floor(finite(day));
    const more = Math.max(1, Math.floor(finite(count)));
    if (start < 1 || more > LAST_DAY) return Infinity;
    const worked = workingDays(rest.find((each) => typeof each === "string") ?? "mon-fri");
    const off = rest.find(Array.isArray) ?? [];
    const [week, weekday] = [Math.floor((start - MONDAY) / 7), (((start - MONDAY) % 7) + 7) % 7];
    const size = worked.length;
    let ahead = size * week + worked.filter((each) => each < weekday).length + more - 1;
    const dayOf = () => MONDAY + 7 * Math.floor(ahead / size) + worked[((ahead % size) + size) % size];
    for (const each of Array.from(new Set(off.map(Math.floor))).sort((x, y) => x - y)) {
      const weekly = worked.includes((((each - MONDAY) % 7) + 7) % 7);
      if (weekly && start <= each && each <= dayOf()) ahead += 1;
    }
    return dayOf() <= LAST_DAY ? dayOf() : Infinity;
  }

  /** Half away from zero; a number within EQUAL_WITHIN below a half counts as the half. */
  function round(x, decimals = 0) {
    finite(x);
    const size = Math.abs(x);
    const stay = (digits) => Number(digits.split("e")[1]) + 1 + decimals;
    const asked = stay(size.toExponential(40));
    if (x === 0 || asked > 17) return x;
    const exact = (asked >= 15 ? size : size + size * EQUAL_WITHIN).toExponential(40);
    const kept = stay(exact);
    if (kept < 0) return 0;
    const digits = exact.split("e")[0].replace(".", "");
    const up = digits.charAt(kept) >= "5" ? 1n : 0n;
    const nearest = Number(`${BigInt(digits.slice(0, kept)) + up}e${-decimals}`);
    return (x < 0 ? -nearest : nearest) + 0;
  }

  /** The result of an operation, if it is defined: `why` is the reason otherwise. */
  function unless(without, why, result) {
    if (without) throw new NoValue(why);
    return result;
  }

  function power(base, exponent) {
    const found = finite(base) ** finite(exponent);
    return unless((base === 0 && exponent <= 0) || Number.isNaN(found), POWER, found);
  }

  const divide = (a, b) => unless(finite(b) === 0, DIVISION, finite(a) / b);
  const sqrt = (x) => unless(finite(x) < 0, ROOT, Math.sqrt(x));
  const ln = (x) => unless(finite(x) <= 0, LOGARITHM, Math.log(x));
  const log10 = (x) => unless(finite(x) <= 0, LOGARITHM, Math.log10(x));
  const exp = (x) => Math.exp(finite(x));
  const min = (...numbers) => Math.min(...numbers.map(finite));
  const max = (...numbers) => Math.max(...numbers.map(finite));

  /** The sum with compensation of rounding errors (Neumaier). */
  function total(numbers) {
    let sum = 0;
    let lost = 0;
    for (const x of numbers) {
      const next = sum + x;
      lost += Math.abs(sum) >= Math.abs(x) ? sum - next + x : x - next + sum;
      sum = next;
    }
    return sum + lost;
  }

  const sum = (...numbers) => total(numbers);
  const mean = (...numbers) => (numbers.length ? total(numbers) / numbers.length : NaN);

  // ---------------------------------------------------------------- truth and reasons

  /** Whether a flag is yes; an empty cell is not. */
  function yes(x) {
    return sound(x) === true;
  }

  /** Whether two texts or flags are equal; reasons are compared by their text. */
  function same(a, b) {
    return isReason(sound(a)) && isReason(sound(b)) ? a.text === b.text : a === sound(b);
  }

  /** Whether there is a number rather than a reason. */
  function known(x) {
    return !isReason(x);
  }

  /** The first subject that is a reason, else the body. A computed subject is a function,
   *  because it may have no value if an earlier subject is a reason. */
  function guard(subjects, body) {
    for (const subject of subjects) {
      const value = typeof subject === "function" ? subject() : subject;
      if (isReason(value)) return value;
    }
    return body();
  }

  // ---------------------------------------------------------------- texts

  /** A rounded number as text: fixed decimals, no thousands separators, at most 15 digits. */
  function fixed(x, decimals) {
    if (x === null) throw new NoValue(NO_VALUE);
    finite(x);
    const [mantissa, exponent] = Math.abs(x).toExponential(14).split("e");
    const after = Math.max(0, -exponent);
    const digits = "0".repeat(after) + mantissa.replace(".", "").padEnd(Number(exponent) + 1, "0");
    const point = Math.max(0, exponent) + 1;
    const rest = digits.slice(point, point + decimals).padEnd(decimals, "0");
    const text = digits.slice(0, point) + (decimals ? `.${rest}` : "");
    return x < 0 && /[1-9]/.test(text) ? `-${text}` : text;
  }

  /** Concatenate texts; an empty cell adds nothing. */
  function join(...texts) {
    return texts.map((text) => sound(text) ?? "").join("");
  }

  /** The title of the row with an id. */
  function title(table, id) {
    const row = table.index.get(sound(id));
    if (row === undefined) throw new NoValue(NO_VALUE);
    return table.titles[row];
  }

  // ---------------------------------------------------------------- tables

  /** The cell of the row with an id. */
  function lookup(table, id, column, end) {
    if (isReason(id)) return id;
    const row = table.index.get(id);
    if (row === undefined) throw new NoValue(NO_VALUE);
    return table.columns[column][row][end];
  }

  /** The rows where the condition holds. */
  function* rowsOf(table, where) {
    for (let row = 0; row < table.rows.length; row++) if (!where || where(row)) yield row;
  }

  const isNumber = (x) => typeof x === "number";

  /** The numbers of a column, without its reasons and empty cells. */
  function numbersOf(table, column, end, where) {
    const cells = table.columns[column];
    const found = [];
    for (let row = 0; row < cells.length; row++) {
      if (where && !where(row)) continue;
      const x = sound(cells[row][end]);
      if (isNumber(x)) found.push(x);
    }
    return found;
  }

  const least = (numbers) => (numbers.length ? numbers.reduce((a, b) => Math.min(a, b)) : NaN);
  const most = (numbers) => (numbers.length ? numbers.reduce((a, b) => Math.max(a, b)) : NaN);

  /** The id of the first row with the best number. */
  function best(pick) {
    return (table, column, end, where) => {
      const cells = table.columns[column];
      const rows = Array.from(rowsOf(table, where)).filter((row) => isNumber(sound(cells[row][end])));
      const wanted = pick(rows.map((row) => cells[row][end]));
      const row = rows.find((candidate) => equal(cells[candidate][end], wanted));
      if (row === undefined) throw new NoValue(NO_VALUE);
      return table.rows[row];
    };
  }

  const sumOf = (...of) => total(numbersOf(...of));
  const meanOf = (...of) => mean(...numbersOf(...of));
  const minOf = (...of) => least(numbersOf(...of));
  const maxOf = (...of) => most(numbersOf(...of));
  const countOf = (...of) => numbersOf(...of).length;
  function countRows(table, where) {
    let count = 0;
    for (let row = 0; row < table.rows.length; row++) if (!where || where(row)) count += 1;
    return count;
  }

  // ---------------------------------------------------------------- a plan's computation

  const all = (x) => ({ value: x, low: x, high: x });

  /** A cell from an input: 5, "a word", true, null, {value, low, high}, {reason}. NaN is a
   *  missing number. */
  function fromInput(input) {
    if (Number.isNaN(input?.value ?? input)) return all(new Fault(NO_VALUE));
    if (input === null || typeof input !== "object") return all(input);
    if (input.reason !== undefined) return all(reason(input.reason));
    return { value: input.value, low: input.low ?? input.value, high: input.high ?? input.value };
  }

  /** A cell in the form of results. */
  function toResult(cell) {
    const why = ENDS.map((end) => cell[end]).find(isReason);
    if (why) return { reason: why.text };
    return isNumber(cell.value) ? { ...cell } : { value: cell.value };
  }

  /** The value of one expression; a fault if it has none. */
  function attempt(expression, row) {
    try {
      const x = expression(row);
      return isNumber(x) ? finite(x) : x;
    } catch (error) {
      if (error instanceof NoValue) return new Fault(error.message);
      throw error;
    }
  }

  /** The three expressions of a value that read the same cells: `e` is the end that each reads, `o`
   *  the opposite one. */
  const ends = (read) => [
    (i) => read(i, "value", "value"),
    (i) => read(i, "low", "high"),
    (i) => read(i, "high", "low"),
  ];

  /** The keys of a text: `/column` is of the table of the key before it, at first of `table`. */
  const keys = (text, table = "") =>
    text.split(" ").map((key) => {
      const slash = key.lastIndexOf("/");
      if (slash === 0) return table + key;
      if (slash > 0) table = key.slice(0, slash);
      return key;
    });

  /** The steps of a page's script, whose reads are in short form. */
  const unfolded = (steps) =>
    steps.map(([key, reads, ...rest]) => {
      const table = key.slice(0, Math.max(0, key.lastIndexOf("/")));
      return [key, keys(reads, table).join(" "), ...rest];
    });

  /** The number of the text in which each key is. */
  const numbered = (texts) =>
    Object.fromEntries(texts.flatMap((text, n) => keys(text).map((key) => [key, n])));

  /** One cell from its expressions; low and high are absent if it is exact. */
  function evaluate([value, low, high], row) {
    const middle = attempt(value, row);
    return {
      value: middle,
      low: low ? attempt(low, row) : middle,
      high: high ? attempt(high, row) : middle,
    };
  }

  /** New cells from the inputs: s[name] and t[table] = {rows, index, columns}. */
  function start(inputs) {
    const s = Object.create(null);
    const t = Object.create(null);
    for (const name of Object.keys(inputs.scalars)) s[name] = fromInput(inputs.scalars[name]);
    for (const name of Object.keys(inputs.tables)) {
      const { rows, titles, columns } = inputs.tables[name];
      const index = new Map(rows.map((id, row) => [id, row]));
      const table = { rows, titles, index, columns: Object.create(null) };
      for (const column of Object.keys(columns)) {
        table.columns[column] = (columns[column] ?? rows.map(() => null)).map(fromInput);
      }
      t[name] = table;
    }
    return { s, t };
  }

  const alike = (x, y) =>
    Object.is(x, y) || (isReason(x) && isReason(y) && x.text === y.text);
  const unchanged = (a, b) =>
    alike(a.value, b.value) && alike(a.low, b.low) && alike(a.high, b.high);

  /** A plan that is computed, and recomputed as its inputs change.
   *
   *  `results` are those of all cells, by name; `set(inputs)` recomputes them. Unchanged results
   *  stay the same objects, so that a page can skip them. `trial(move, read)` reads scalars as they
   *  would be if some cells of one key were different, and restores everything; `bind` passes the
   *  cells to a function that makes functions of them. `tries(names)` is for many values of a few
   *  scalars: it returns a function of such values by name, which computes only what depends on
   *  those that differ from the previous call, and returns the cells of all scalars, which the next
   *  call overwrites; the next `set` restores everything. Its `given` are the other scalars that
   *  these results depend on.
   */
  function machine({ steps }, inputs) {
    const { s, t } = start(inputs);
    const shown = new WeakMap(); // the result of each cell
    const list = steps(s, t).map(([key, reads, ends, rows]) => {
      const [table, column] = placed(key);
      return { key, reads: reads.split(" "), ends, rows, table, column };
    });
    let given = inputs;
    let before; // overwritten values, while they will be restored
    let results = { scalars: Object.create(null), tables: Object.create(null) };
    for (const step of list) run(step);
    publish(Object.keys(s), Object.keys(t).flatMap(columnsOf));

    function placed(key) {
      const slash = key.lastIndexOf("/");
      return slash < 0 ? [] : [t[key.slice(0, slash)], key.slice(slash + 1)];
    }

    function columnsOf(table) {
      return Object.keys(t[table].columns).map((column) => `${table}/${column}`);
    }

    /** Put a cell in its place, if it is different. */
    function put(cells, at, cell) {
      const old = cells[at];
      if (old !== undefined && unchanged(old, cell)) return false;
      before?.push([cells, at, old]);
      cells[at] = cell;
      return true;
    }

    /** Restore what was overwritten. */
    function restore() {
      while (before?.length) {
        const [from, at, old] = before.pop();
        from[at] = old;
      }
      before = undefined;
    }

    /** Compute a step, and return whether its result is new. */
    function run({ key, ends, rows, table, column }) {
      if (table === undefined) return put(s, key, evaluate(ends));
      const cells = table.columns[column];
      if (typeof rows === "number") return put(cells, rows, evaluate(ends, rows));
      let any = false;
      let other = 0;
      for (let row = 0; row < cells.length; row++) {
        if (rows[other] === row) other += 1;
        else any = put(cells, row, evaluate(ends, row)) || any;
      }
      return any;
    }

    /** Compute what depends on changed keys, and add it to them. */
    function follow(changed, pinned) {
      for (const step of list) {
        if (step.key === pinned || !step.reads.some((key) => changed.has(key))) continue;
        if (run(step)) changed.add(step.key);
      }
      return changed;
    }

    function resultOf(cell) {
      let found = shown.get(cell);
      if (!found) shown.set(cell, (found = toResult(cell)));
      return found;
    }

    function publish(scalars, columns) {
      const last = results;
      results = {
        scalars: Object.assign(Object.create(null), last.scalars),
        tables: Object.assign(Object.create(null), last.tables),
      };
      for (const name of scalars) results.scalars[name] = resultOf(s[name]);
      for (const key of columns) {
        const [table, column] = placed(key);
        const name = key.slice(0, -column.length - 1);
        if (results.tables[name] === last.tables[name])
          results.tables[name] = Object.assign(Object.create(null), last.tables[name]);
        results.tables[name][column] = table.columns[column].map(resultOf);
      }
    }

    /** The keys of inputs that differ from the previous ones. */
    function entered(next) {
      const changed = new Set();
      for (const name of Object.keys(next.scalars)) {
        if (next.scalars[name] === given.scalars[name]) continue;
        if (put(s, name, fromInput(next.scalars[name]))) changed.add(name);
      }
      for (const name of Object.keys(next.tables)) {
        const [old, other] = [given.tables[name].columns, next.tables[name].columns];
        if (old === other) continue;
        for (const column of Object.keys(other)) {
          if (old[column] === other[column]) continue;
          other[column].forEach((cell, row) => {
            if (cell === old[column][row]) return;
            if (put(t[name].columns[column], row, fromInput(cell)))
              changed.add(`${name}/${column}`);
          });
        }
      }
      given = next;
      return changed;
    }

    return {
      get results() {
        return results;
      },
      bind: (make) => make(s, t),
      set(next) {
        restore();
        const changed = Array.from(follow(entered(next)));
        const isColumn = (key) => key.includes("/");
        publish(
          changed.filter((key) => !isColumn(key)),
          changed.filter(isColumn),
        );
        return results;
      },
      tries(names) {
        const moving = new Set(names);
        const following = list.filter(
          ({ key, reads }) => reads.some((name) => moving.has(name)) && moving.add(key),
        );
        const given = following.flatMap(({ reads }) => reads.filter((key) => !moving.has(key)));
        before = [];
        const compute = (values) => {
          const moved = Object.keys(values).filter((name) => put(s, name, all(values[name])));
          const changed = new Set(moved);
          for (const step of following)
            if (step.reads.some((key) => changed.has(key)) && run(step)) changed.add(step.key);
          return s;
        };
        return Object.assign(compute, { given: Array.from(new Set(given), (key) => s[key]) });
      },
      trial({ key, rows, value, fixed }, read) {
        before = [];
        const [table, column] = placed(key);
        const cells = table === undefined ? s : table.columns[column];
        // compute all of them before changing any
        const moved = rows.map((row) => [row, all(attempt(value, row))]);
        for (const [row, cell] of moved) put(cells, row, cell);
        if (before.length) follow(new Set([key]), fixed ? key : undefined);
        const found = read(
          (name) => resultOf(s[name]),
          moved.map(([, { value: x }]) => x),
        );
        restore();
        return found;
      },
    };
  }

  return Object.freeze({
    reason, isReason, NoValue, NO_VALUE,
    equal, differ, less, atMost, greater, atLeast,
    floor, ceil, workday, round, power, divide, ln, log10, sum, mean,
    min, max, sqrt, exp, abs: Math.abs,
    yes, same, known, guard,
    fixed, join, title,
    lookup, sumOf, meanOf, minOf, maxOf, countOf, countRows, listOf: numbersOf,
    argminOf: best(least), argmaxOf: best(most),
    start, attempt, ends, unfolded, numbered, machine,
  });
};

scalesheet.runtime = scalesheet.makeRuntime();
