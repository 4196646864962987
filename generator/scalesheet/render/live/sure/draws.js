/* A plan at many draws of its inputs: the draws of `scalesheet.sure`, the same numbers.
 *
 * `scalesheet.makeDraws` is a function that needs only the runtime, so that its own text can be the
 * script of a worker. Each cell that may change with the draws is computed on first use, and only
 * for the first draw if it reads nothing drawn. The data are {inputs, made, keys, ...} from
 * `render/pages/plan/draws.py`.
 */
"use strict";

scalesheet.makeDraws = (rt) => {
  const ENDS_AT = 1.2815515655446004; // the normal quantile at 90 %
  const [STEPS, HALVINGS] = [512, 60]; // for the table of a pert shape, and for its mode
  const [STATE, FIXED, DRAWN] = [0, 1, 2];

  // ---------------------------------------------------------------- random numbers

  const WORD = (1n << 64n) - 1n;
  const [ONE, OTHER] = [0xd2e7470ee14c6c93n, 0xca5a826395121157n];
  const [STEP, OTHER_STEP] = [0x9e3779b97f4a7c15n, 0xbb67ae8584caa73bn];
  const ROUNDS = 10;

  /** Philox 4x64, as in NumPy: 64-bit words from a 128-bit key. */
  function philox(key, count) {
    const made = new BigUint64Array(count);
    const full = BigInt(`0x${key}`);
    for (let block = 0; 4 * block < count; block++) {
      let [a, b, c, d] = [BigInt(block + 1), 0n, 0n, 0n];
      let [first, second] = [full & WORD, full >> 64n];
      for (let round = 0; round < ROUNDS; round++) {
        const [x, y] = [ONE * a, OTHER * c];
        [a, b, c, d] = [(y >> 64n) ^ b ^ first, y & WORD, (x >> 64n) ^ d ^ second, x & WORD];
        [first, second] = [(first + STEP) & WORD, (second + OTHER_STEP) & WORD];
      }
      made.set([a, b, c, d], 4 * block);
    }
    return made;
  }

  /** Uniform draws of a key: each replicate has one in each of its strata. */
  function uniforms(key, draws, replicates) {
    const raw = philox(key, 2 * draws);
    const size = draws / replicates;
    const made = new Float64Array(draws);
    for (let from = 0; from < draws; from += size) {
      const order = Array.from({ length: size }, (_, n) => n);
      order.sort((a, b) => (raw[from + a] < raw[from + b] ? -1 : raw[from + a] > raw[from + b] ? 1 : a - b));
      order.forEach((stratum, n) => {
        const inside = Number(raw[draws + from + n] >> 11n) * 2 ** -53;
        made[from + n] = Math.min(Math.max((stratum + inside) / size, 1e-12), 1 - 1e-12);
      });
    }
    return made;
  }

  const horner = (factors, x) => factors.reduce((sum, factor) => sum * x + factor, 0);
  const NEAR = [
    [2.50908092873012267e3, 3.34305755835881281e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
      1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.387132872796366608],
    [5.226495278852854561e3, 2.8729085735721942674e4, 3.930789580009271061e4, 2.1213794301586595867e4,
      5.3941960214247511077e3, 6.871870074920579083e2, 4.2313330701600911252e1, 1],
  ];
  const FAR = [
    [7.7454501427834140764e-4, 2.27238449892691845833e-2, 2.4178072517745061177e-1,
      1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959,
      1.42343711074968357734],
    [1.05075007164441684324e-9, 5.475938084995344946e-4, 1.51986665636164571966e-2,
      1.4810397642748007459e-1, 6.8976733498510000455e-1, 1.6763848301838038494,
      2.05319162663775882187, 1],
  ];
  const TAIL = [
    [2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
      2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580,
      5.46378491116411436990, 6.65790464350110377720],
    [2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
      7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
      5.99832206555887937690e-1, 1],
  ];

  /** The standard normal quantile (Wichura's AS241), as in Python's statistics module. */
  function normal(p) {
    const q = p - 0.5;
    if (Math.abs(q) <= 0.425) {
      const r = 0.180625 - q * q;
      return (horner(NEAR[0], r) * q) / horner(NEAR[1], r);
    }
    const r = Math.sqrt(-Math.log(q <= 0 ? p : 1 - p));
    const x = r <= 5 ? horner(FAR[0], r - 1.6) / horner(FAR[1], r - 1.6) : horner(TAIL[0], r - 5) / horner(TAIL[1], r - 5);
    return q < 0 ? -x : x;
  }

  // ---------------------------------------------------------------- shapes of ranges

  const scaled = (low, value, high, at) =>
    value * Math.exp(Math.log(at < 0 ? value / low : high / value) * at);
  const shifted = (low, value, high, at) => value + (at < 0 ? value - low : high - value) * at;

  function between(parts, z) {
    const [low, high] = [Math.min(...parts), Math.max(...parts)];
    const value = parts.length === 3 ? parts[1] : parts.reduce((a, b) => a + b) / parts.length;
    return (low > 0 ? scaled : shifted)(low, value, high, z / ENDS_AT);
  }

  function triangle(mode) {
    return (u) => (u < mode ? Math.sqrt(u * mode) : 1 - Math.sqrt((1 - u) * (1 - mode)));
  }

  function pert(mode) {
    const chances = [0];
    const values = [];
    let last;
    for (let n = 0; n <= STEPS; n++) {
      const angle = n * (Math.PI / 2 / STEPS);
      const [sine, cosine] = [n === 0 ? 0 : Math.sin(angle), n === STEPS ? 0 : Math.cos(angle)];
      const density = sine ** (8 * mode + 1) * cosine ** (9 - 8 * mode);
      if (n > 0) chances.push(chances[n - 1] + (density + last) / 2);
      values.push(sine ** 2);
      last = density;
    }
    const whole = chances[STEPS];
    return (u) => {
      let [first, after] = [0, STEPS];
      while (after - first > 1) {
        const middle = (first + after) >> 1;
        if (chances[middle] / whole <= u) first = middle;
        else after = middle;
      }
      const [a, b] = [chances[first] / whole, chances[after] / whole];
      return values[first] + ((values[after] - values[first]) / (b - a)) * (u - a);
    };
  }

  /** A shape from 0 to 1, scaled so that its percentiles are low and high. */
  function withEnds(shape, { low, value, high }, [first, last]) {
    const share = (value - low) / (high - low);
    let [least, most] = [0, 1];
    for (let n = 0; n < HALVINGS; n++) {
      const mode = (least + most) / 2;
      const [a, b] = [first, last].map(shape(mode));
      if ((mode - a) / (b - a) < share) least = mode;
      else most = mode;
    }
    const standard = shape((least + most) / 2);
    const from = standard(first);
    const width = (high - low) / (standard(last) - from);
    return (u) => low + (standard(u) - from) * width;
  }

  const sides = ([first, last]) => {
    const [below, above] = [-normal(first), normal(last)];
    return (u) => {
      const z = normal(u);
      return z < 0 ? z / below : z / above;
    };
  };

  const SHAPES = {
    lognormal({ low, value, high }, at) {
      const place = sides(at);
      return (u) => (low > 0 ? scaled : shifted)(low, value, high, place(u));
    },
    normal({ low, value, high }, at) {
      const place = sides(at);
      return (u) => shifted(low, value, high, place(u));
    },
    triangular: (range, at) => withEnds(triangle, range, at),
    pert: (range, at) => withEnds(pert, range, at),
    uniform: ({ low, high }, [first, last]) => (u) => low + ((u - first) / (last - first)) * (high - low),
    "two-point": ({ low, value, high }) => (u) => (u < (high - value) / (high - low) ? low : high),
  };

  function even(x) {
    const whole = Math.round(x);
    return Math.abs(x % 1) === 0.5 && whole % 2 ? whole - 1 : whole;
  }

  function within({ least, most, whole }, x) {
    const inside = Math.min(Math.max(x, least ?? -Infinity), most ?? Infinity);
    return whole ? even(inside) : inside;
  }

  /** The values of an uncertain input as a function of a uniform draw. */
  function valueOf({ spread, percentiles = [0.1, 0.9], event }, range, domain) {
    const shape = range.low < range.high ? SHAPES[spread](range, percentiles) : () => range.value;
    if (!event) return (u) => within(domain, shape(u));
    return (u) => {
      const times = event.chances.filter((chance) => chance <= u).length;
      return within(domain, even(shape(u)) + event.adds * times);
    };
  }

  // ---------------------------------------------------------------- cells at each draw

  let at = 0; // the current draw
  let touched = false; // whether anything drawn was read

  /** A cell that may change with the draws; `make` computes its value for the current draw. */
  class Cell {
    constructor(base, draws, make) {
      Object.assign(this, { base, draws, make, state: STATE, numbers: undefined, others: undefined });
    }

    get value() {
      if (this.state === STATE) this.settle();
      if (this.state === FIXED) return this.base.value;
      touched = true;
      const x = this.numbers[at];
      return x === x ? x : this.others[at];
    }

    get low() {
      return this.base.low;
    }

    get high() {
      return this.base.high;
    }

    settle() {
      const [place, was] = [at, touched];
      this.state = FIXED;
      [at, touched] = [0, false];
      const first = this.make();
      if (touched) {
        this.numbers = new Float64Array(this.draws);
        this.put(first);
        for (at = 1; at < this.draws; at++) this.put(this.make());
        this.state = DRAWN;
      }
      [at, touched] = [place, was];
    }

    put(x) {
      this.numbers[at] = typeof x === "number" ? x : NaN;
      if (typeof x === "number" && x === x) return;
      this.others ??= [];
      this.others[at] = x;
    }
  }

  /** Draws by name from those of each unknown, each made once; a - before a name reverses them. */
  function source(of) {
    const kept = new Map();
    const make = (name) => (name.startsWith("-") ? of(name.slice(1)).map((u) => 1 - u) : of(name));
    return {
      uniform: (name) => kept.get(name) ?? kept.set(name, make(name)).get(name),
      normal(name) {
        const key = `normal ${name}`;
        return kept.get(key) ?? kept.set(key, this.uniform(name).map(normal)).get(key);
      },
    };
  }

  /** A plan whose figures can be drawn again as its inputs change. */
  function plan({ steps, drawn, inputs }) {
    const machine = rt.machine({ steps }, inputs);
    const { draws, replicates } = drawn;
    const known = new Map();
    const of = (name) => known.get(name);
    const list = machine.bind(steps).map(([key, reads, [value], rows]) => ({ key, reads: reads.split(" "), value, rows }));
    const made = machine.bind(drawn.made);
    for (const name of Object.keys(drawn.keys))
      known.set(name, uniforms(drawn.keys[name], draws, replicates));

    /** The stated cells of a lever with a range or an event, as in the inputs. */
    function* ranged({ key, rows, cells = {}, usual, sides: byScenario }, given, scenario) {
      const [table, column] = placed(key);
      const name = byScenario?.[scenario] ?? column;
      const held = table === undefined ? [given.scalars[byScenario?.[scenario] ?? key]] : given.tables[table].columns[name];
      for (const row of rows ?? [0]) {
        const cell = held?.[row];
        const range = typeof cell === "number" ? { value: cell, low: cell, high: cell } : cell;
        if (typeof range?.value !== "number") continue;
        const likely = { ...usual, ...cells[row] };
        if (range.low < range.high || likely.event) yield { row, range, likely };
      }
    }

    function placed(key) {
      const slash = key.lastIndexOf("/");
      return slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
    }

    /** The unknowns for these inputs, and each figure at each draw; `take` is the source of
     *  draws. */
    function run(given, names, take, count) {
      const results = machine.set(given);
      return machine.bind((s, t) => {
        const before = [];
        const cellsOf = (key) => {
          const [table, column] = placed(key);
          return table === undefined ? [s, key] : [t[table].columns[column]];
        };
        const put = (cells, place, make) => {
          before.push([cells, place, cells[place]]);
          cells[place] = new Cell(cells[place], count, make);
        };
        const unknowns = new Map();
        const add = (name, { key, title, found_by: how = "" }, predicted) => {
          const plain = name.replace(/^-/, "");
          const one = unknowns.get(plain) ?? { name: plain, members: new Map(), made: true, found_by: "" };
          if (!one.members.has(key)) one.members.set(key, title);
          one.made &&= predicted;
          one.found_by ||= how;
          unknowns.set(plain, one);
        };
        const scenario = s.scenario?.value;
        const moving = new Set();
        const overlays = [];
        for (const lever of drawn.levers) {
          for (const { row, range, likely } of ranged(lever, given, scenario)) {
            const group = likely.moves_with ?? lever.name;
            add(group, { ...lever, found_by: likely.found_by });
            moving.add(lever.key);
            overlays.push([lever, row, valueOf(likely, range, lever.domain), take.uniform(group)]);
          }
        }
        const predicted = new Map();
        drawn.spread.forEach((each, n) => {
          for (const { unknown } of each.within) add(unknown, each, true);
          moving.add(each.key);
          predicted.set(`${each.key} ${each.row ?? ""}`, [each, made[n]]);
        });
        const following = list.filter(({ key, reads }) => moving.has(key) || (reads.some((name) => moving.has(name)) && moving.add(key)));
        for (const { key, value, rows } of following) {
          const [cells, scalar] = cellsOf(key);
          const own = predicted.get(`${key} ${typeof rows === "number" ? rows : ""}`);
          const make = (row) => (own ? spreads(own, value, row, s, take) : () => rt.attempt(value, row));
          if (scalar !== undefined) put(s, key, make());
          else if (typeof rows === "number") put(cells, rows, make(rows));
          else for (let row = 0; row < cells.length; row++) if (!rows.includes(row)) put(cells, row, make(row));
        }
        for (const [{ key }, row, shape, uniform] of overlays) {
          const [cells, scalar] = cellsOf(key);
          const make = () => {
            touched = true;
            return shape(uniform[at]);
          };
          put(cells, scalar ?? row, make);
        }
        const figures = Object.fromEntries(names.map((name) => [name, numbers(s[name], count)]));
        for (const [cells, place, cell] of before.reverse()) cells[place] = cell;
        return { figures, unknowns: Array.from(unknowns.values()), results };
      });
    }

    /** A formula that makes ranges: each is drawn around the value of its part. */
    function spreads([{ within: ranges, domain }, [spread, parts]], value, row, s, take) {
      const normals = ranges.map(({ unknown }) => take.normal(unknown));
      return () => {
        const expected = rt.attempt(value, row);
        touched = true;
        if (typeof expected !== "number") return expected;
        return rt.attempt(() => {
          ranges.forEach(({ name }, n) => {
            const made = between(parts[n].map((each) => each(row)), normals[n][at]);
            s[name] = { value: made, low: made, high: made };
          });
          return within(domain, spread(row));
        });
      };
    }

    function numbers(cell, count) {
      const made = new Float64Array(count);
      for (at = 0; at < count; at++) {
        const x = cell.value;
        made[at] = typeof x === "number" || typeof x === "boolean" ? Number(x) : NaN;
        if (!Number.isFinite(made[at])) made[at] = NaN;
      }
      at = 0;
      return made;
    }

    return { of, run };
  }

  return { plan, source, even, normal, between, uniforms, valueOf };
};
