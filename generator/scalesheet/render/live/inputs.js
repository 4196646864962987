/* Entered inputs: parses the text of one input, and reads and writes all changes as an address.
 *
 * Changes are a Map from the name of an input, as `scalesheet show --set` takes it (`batch_size`,
 * `steps_per_hour.written`, `runs[small].steps`), to its value as in a plan's inputs: 5, {value,
 * low, high}, "a word", true. What cannot be read throws Refused and changes nothing.
 */
"use strict";

scalesheet.inputs = (() => {
  class Refused extends Error {}

  const NUMBER = String.raw`[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[kKMBT%]?`;
  const ONE = new RegExp(`^${NUMBER}$`);
  const RANGE = new RegExp(String.raw`^(${NUMBER})\s*(?:\.\.|–|-|\bto\b)\s*(${NUMBER})$`);
  const POWERS = { k: 3, K: 3, M: 6, B: 9, T: 12, "%": -2 }; // as in quantities.py
  const CELL = /^(?<table>[a-z0-9_.]+)\['?(?<row>[a-z0-9_-]+)'?\]\.(?<column>[a-z0-9_]+)$/;
  const LARGEST = 1e100; // as for any stated number, see language/arithmetic.py
  const FOREIGN = new Set(["h"]); // what the theme's search asks a page to highlight

  // ---------------------------------------------------------------- one input

  /** A text as the value of an input. `rows` are the ids of the table that it refers to. */
  function read(text, quantity, rows = []) {
    const said = text.trim();
    if (quantity.kind === "flag") {
      if (said !== "yes" && said !== "no") throw new Refused(`“${said}” is neither yes nor no.`);
      return said === "yes";
    }
    if (quantity.kind === "word" || quantity.kind === "reference") {
      const allowed = quantity.kind === "word" ? quantity.words : rows;
      if (allowed.includes(said)) return said;
      const few = allowed.length <= 8 ? `; one of ${allowed.join(", ")} is` : "";
      throw new Refused(`“${said}” is not possible here${few}.`);
    }
    return readNumber(said, quantity);
  }

  /** A day, or two with " to " or ".." between them, as numbers. */
  const inDays = (said) =>
    said.replace(/\d{4}-\d\d-\d\d/g, (day) => scalesheet.numbers.dayNumber(day));

  function readNumber(text, quantity) {
    const dated = quantity.rule?.sort === "date";
    const said = dated ? inDays(text) : text;
    const range = RANGE.exec(said);
    if (!range && !ONE.test(said)) throw new Refused(`${expected(quantity)}; found “${said}”.`);
    const [low, high] = range
      ? [toNumber(range[1]), toNumber(range[2])]
      : [toNumber(said), toNumber(said)];
    if (low !== high && !quantity.ranged) {
      throw new Refused("Expected one number: this input cannot be a range.");
    }
    if (low > high) throw new Refused(`The low end ${range[1]} is above the high end ${range[2]}.`);
    const { least, open, most, whole } = quantity.domain ?? {};
    const outside = (x) =>
      Number.isNaN(x) ||
      Math.abs(x) > LARGEST ||
      (x !== 0 && Math.abs(x) < 1 / LARGEST) ||
      x < (least ?? -Infinity) ||
      (open && x === least) ||
      x > (most ?? Infinity) ||
      (whole && !Number.isInteger(x));
    if ([low, (low + high) / 2, high].some(outside)) throw new Refused(`${expected(quantity)}; “${said}” is not.`);
    return low === high ? low : { value: (low + high) / 2, low, high };
  }

  function toNumber(text) {
    const [, digits, power = 0, letter] = /^([^eEkKMBT%]+)(?:[eE]([+-]?\d+))?(.)?$/.exec(text);
    return Number(`${digits.replaceAll(",", "")}e${Number(power) + (POWERS[letter] ?? 0)}`);
  }

  /** `Expected a whole number of at least 1 in step`. */
  function expected({ domain = {}, symbol, ranged, rule = {} }) {
    const { least, open, most, whole } = domain;
    const bounds = [];
    if (least !== undefined) bounds.push(open ? `above ${least}` : `of at least ${least}`);
    if (most !== undefined) bounds.push(`${open ? "" : "and "}at most ${most}`);
    const unit = symbol ? ` in ${symbol}` : "";
    const share = rule.percent ? ", such as 0.5 or 50%" : "";
    const between = ranged ? ", or a range such as 2..3" : "";
    if (rule.sort === "date") return "Expected a date such as 2026-03-31";
    const kind = whole ? "a whole number" : "a number";
    return (
      ["Expected", kind, bounds.join(bounds.length > 1 && open ? " and " : " ")]
        .filter(Boolean)
        .join(" ") +
      unit +
      share +
      between
    );
  }

  /** A value as text for a field or the address. */
  function written(value) {
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (value === null || typeof value !== "object") return String(value ?? "");
    return value.reason !== undefined ? "" : `${value.low}..${value.high}`;
  }

  /** Whether two values of an input are the same. */
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  // ---------------------------------------------------------------- all inputs

  /** The place of an input: {name} for a scalar, or {table, column, row}; undefined if there is
   *  none. */
  function find(plan, name) {
    const { scalars, tables } = plan.inputs;
    if (Object.hasOwn(scalars, name)) {
      const quantity = plan.shown.scalars[name];
      const known = quantity && scalars[name] !== null && changeable(quantity);
      return known ? { name, quantity, stated: scalars[name] } : undefined;
    }
    const { table, row, column } = CELL.exec(name)?.groups ?? {};
    if (!Object.hasOwn(tables, table ?? "") || !Object.hasOwn(tables[table].columns, column))
      return undefined;
    const at = tables[table].rows.indexOf(row);
    const quantity = plan.shown.tables[table]?.columns[column];
    const stated = tables[table].columns[column]?.[at] ?? null;
    if (!quantity || stated === null || !changeable(quantity)) return undefined;
    return { name: cellName(table, row, column), table, row: at, column, quantity, stated };
  }

  const changeable = ({ kind = "number" }) =>
    ["number", "word", "flag", "reference"].includes(kind);

  const cellName = (table, row, column) => `${table}[${row}].${column}`;

  /** The ids of the rows that a reference may select. */
  const rowsOf = (plan, { table }) =>
    (plan.inputs.tables[table] ?? plan.shown.tables[table])?.rows ?? [];

  /** Change one input by its text; the shipped value removes the change. */
  function change(plan, changes, name, text) {
    const input = find(plan, name);
    if (!input) throw new Refused(`There is no input “${name}” in this plan.`);
    const value = read(text, input.quantity, rowsOf(plan, input.quantity));
    const changed = new Map(changes);
    changed.delete(input.name);
    if (!same(value, input.stated)) changed.set(input.name, value);
    return changed;
  }

  function without(changes, name) {
    const rest = new Map(changes);
    rest.delete(name);
    return rest;
  }

  /** The inputs of a plan with changes; unchanged parts are shared. */
  function edited(plan, changes) {
    const scalars = { ...plan.inputs.scalars };
    const tables = { ...plan.inputs.tables };
    for (const [name, value] of changes) {
      const { table, row, column } = find(plan, name);
      if (table === undefined) {
        scalars[name] = value;
        continue;
      }
      if (tables[table] === plan.inputs.tables[table]) {
        tables[table] = { ...tables[table], columns: { ...tables[table].columns } };
      }
      const { columns } = tables[table];
      if (columns[column] === plan.inputs.tables[table].columns[column])
        columns[column] = [...columns[column]];
      columns[column][row] = value;
    }
    return { scalars, tables };
  }

  /** `?scenario=written&batch_size=16`, or empty. */
  function toQuery(changes) {
    const encoded = (text) => encodeURIComponent(text).replace(/%5B|%5D/g, decodeURIComponent);
    const parts = Array.from(
      changes,
      ([name, value]) => `${encoded(name)}=${encoded(written(value))}`,
    );
    return parts.length ? `?${parts.join("&")}` : "";
  }

  /** The page that compares the published plan with its changed state. */
  function besidePublished(id, changes) {
    const own = toQuery(changes).slice(1);
    const side = own ? own.split("&").map((each) => `&b.${each}`) : [];
    return `../compare/plans.html?a=${id}&b=${id}${side.join("")}`;
  }

  /** The changes in an address, and in words what of it is impossible. */
  function fromQuery(plan, query) {
    let changes = new Map();
    const faults = [];
    for (const [name, text] of new URLSearchParams(query)) {
      if (FOREIGN.has(name) && !find(plan, name)) continue;
      try {
        changes = change(plan, changes, name, text);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        faults.push(find(plan, name) ? `${name}: ${error.message}` : error.message);
      }
    }
    return { changes, faults };
  }

  /** Set the page's address, as a step of the browser's history. */
  function goTo(search) {
    const address = new URL(location.href);
    address.search = search;
    if (address.href !== location.href) history.pushState(null, "", address);
  }

  return Object.freeze({
    ...{ Refused, FOREIGN, read, written, expected, find, cellName, rowsOf },
    ...{ change, without, edited, toQuery, goTo, besidePublished, fromQuery },
  });
})();
