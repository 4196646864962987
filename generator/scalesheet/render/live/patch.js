/* The changes as text to copy: YAML for the plan's file, and a command.
 *
 * An entry of the YAML replaces the value of its keys: value, low and high if there is a range.
 * What a plan's file cannot state (the selected scenario, a figure of the catalogue) is a comment;
 * the command has it.
 */
"use strict";

scalesheet.patch = (() => {
  const { find, written, cellName } = scalesheet.inputs;
  const PLAIN = /^[a-z][a-z0-9_-]*$/;
  const WORDS = new Set(["true", "false", "null", "yes", "no", "on", "off", "y", "n"]);

  const flat = (text) => text.replace(/\s+/g, " ").trim();
  const word = (text) => (PLAIN.test(text) && !WORDS.has(text) ? text : JSON.stringify(text));

  /** The keys of a value in a file; `ends`: those of the value that it replaces. */
  function members(value, stated, unit) {
    const own = typeof value === "number" && unit ? { unit } : {};
    if (typeof value === "boolean") return { value: value ? "yes" : "no" };
    if (typeof value === "string") return { value: word(value) };
    if (typeof value === "object") return { ...value, ...(unit ? { unit } : {}) };
    const ends = stated?.low === undefined ? {} : { low: value, high: value };
    return { value, ...ends, ...own };
  }

  /** The file's keys of each change with their values, and the changes that have no place in it. */
  function placed(plan, changes) {
    const [tree, others] = [new Map(), []];
    const put = (at, row, found) => {
      let node = tree;
      const keys = at.replace("*", row).split("/");
      for (const key of keys) {
        if (!node.has(key)) node.set(key, new Map());
        node = node.get(key);
      }
      for (const [name, member] of Object.entries(found)) node.set(name, member);
    };
    for (const [name, value] of changes) {
      const { quantity, table, column, row, stated } = find(plan, name);
      if (!quantity.at) {
        others.push(name);
        continue;
      }
      const { rows } = plan.inputs.tables[table] ?? { rows: [] };
      const found = members(value, stated, quantity.stands);
      // the file states no value there
      if (quantity.ruled) found.value += "  # in place of its rule";
      put(quantity.at, rows[row], found);
      const other = table && besides(plan, changes, { table, column, row: rows[row], stated });
      if (other) put(...other);
    }
    return { tree, others };
  }

  /** A cell that both scenarios share in the file, and that stays the same in one of them. */
  function besides(plan, changes, { table, column, row, stated }) {
    const { columns } = plan.shown.tables[table];
    const { at } = columns[column];
    const twin = Object.keys(columns).find((other) => columns[other].at === `${at}/written`);
    if (twin === undefined) return undefined;
    const kept = find(plan, cellName(table, row, twin));
    if (!kept || changes.has(kept.name)) return undefined;
    if (JSON.stringify(kept.stated) !== JSON.stringify(stated)) return undefined;
    return [`${at}/written`, row, members(kept.stated, undefined, columns[twin].stands)];
  }

  function* lines(node, depth) {
    const margin = "  ".repeat(depth);
    for (const [key, value] of node) {
      const name = word(key);
      const within = value instanceof Map;
      yield within ? `${margin}${name}:` : `${margin}${name}: ${value}`;
      if (within) yield* lines(value, depth + 1);
    }
  }

  /** The YAML that replaces parts of the plan's file. */
  function yaml(plan, changes) {
    const { tree, others } = placed(plan, changes);
    const said = others.map((name) => `# Not in this file: ${name}=${written(changes.get(name))}`);
    return [
      `# ${flat(plan.shown.title)}: put these in place of what stands in`,
      `# ${plan.shown.file}`,
      ...said,
      ...lines(tree, 0),
      "",
    ].join("\n");
  }

  const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

  /** The command that prints the plan with these changes. */
  function command(plan, changes) {
    const sets = Array.from(changes, ([name, value]) => quoted(`${name}=${written(value)}`));
    return [`scalesheet show ${plan.id}`, ...sets.map((each) => `--set ${each}`)].join(" \\\n  ");
  }

  return Object.freeze({ yaml, command });
})();
