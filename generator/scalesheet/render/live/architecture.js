/* A model that is not in the catalogue, from its `config.json` or from named figures.
 *
 * Its row has the parameters that the catalogue's own formulas count. `scalesheet.configs` has the
 * keys of sizes, and other properties by model type; the plan `architecture` counts. Throws Refused
 * for what cannot be read.
 */
"use strict";

scalesheet.architecture = (() => {
  const { Refused } = scalesheet.inputs;
  const { sizes, types, defaults } = scalesheet.configs;
  const plan = scalesheet.plans.architecture;
  const OWN = "your-model";
  const [MOST_TEXT, LARGEST] = [1e6, 1e9];
  const NEEDED = ["layers", "hidden", "heads", "vocab"];
  const needed = NEEDED.map((column) => sizes[column][0]);
  const KEY = /["']?([A-Za-z_]\w*)["']?\s*[:=\s]\s*["']?([\w.-]+)["']?/;

  /** The keys of a text: JSON, or one per line as in `num_hidden_layers: 32`. */
  function keysOf(text) {
    if (text.length > MOST_TEXT) throw new Refused("A model’s config.json is a few kilobytes, not more than 1 MB.");
    if (text.trim().startsWith("{")) {
      try {
        return JSON.parse(text);
      } catch (error) {
        throw new Refused(`This is not JSON: ${error.message}`);
      }
    }
    const found = {};
    for (const line of text.split(/[\n,;]/)) {
      const [, key, value] = KEY.exec(line) ?? [];
      if (key) found[key] = value === "true" ? true : value === "false" ? false : Number.isNaN(Number(value)) ? value : Number(value);
    }
    return found;
  }

  function sizeOf(config, names) {
    const key = names.find((name) => config[name] !== undefined && config[name] !== null);
    if (key === undefined) return undefined;
    const value = config[key];
    if (!Number.isInteger(value) || value < 0 || value > LARGEST)
      throw new Refused(`${key}: expected a whole number, found “${String(value).slice(0, 40)}”.`);
    return value;
  }

  /** The architecture in a text: columns of the catalogue's table of models. */
  function read(text) {
    const config = keysOf(text);
    const type = config.model_type ?? "llama";
    if (!Object.hasOwn(types, type)) {
      const known = Object.keys(types).join(", ");
      throw new Refused(
        `The model type “${String(type).slice(0, 40)}” cannot be read in the browser; these can: ${known}. ` +
          "“scalesheet new model my-model --from config.json” supports more.",
      );
    }
    const { constant, flags, positions } = types[type];
    const row = { ...defaults, ...constant };
    for (const [flag, made] of Object.entries(flags))
      if (typeof config[flag] === "boolean") Object.assign(row, made[Number(config[flag])]);
    const found = {};
    for (const [column, names] of Object.entries(sizes)) {
      const size = sizeOf(config, [column, ...names]);
      if (size !== undefined) found[column] = size;
    }
    for (const column of NEEDED)
      if (!found[column]) throw new Refused(`The key “${sizes[column][0]}” is missing: expected a whole number above 0.`);
    const { hidden, heads } = found;
    if (!found.head_dim && hidden % heads) throw new Refused(`${heads} heads do not divide the hidden size ${hidden}.`);
    found.head_dim ??= hidden / heads;
    found.kv_heads ??= heads;
    found.ffn ??= 4 * hidden;
    if (found.experts) found.expert_ffn ??= found.ffn;
    else for (const column of ["experts_active", "expert_ffn", "experts_shared", "dense_layers"]) delete found[column];
    if (!found.kv_rank) for (const column of ["query_rank", "rope_dim", "value_dim"]) delete found[column];
    const shared = config.shared_expert_intermediate_size;
    if (shared && found.experts) found.experts_shared = Math.trunc(shared / found.expert_ffn);
    if (positions !== null && found.max_sequence) found.positions = found.max_sequence + positions;
    return { type, row: { ...row, ...found } };
  }

  /** The row with the columns that the catalogue computes. */
  function counted(row) {
    const { models } = plan.inputs.tables;
    const columns = { ...models.columns };
    for (const name of Object.keys(columns))
      if (columns[name] !== null) columns[name] = [row[name] ?? columns[name][0] ?? null];
    const inputs = { ...plan.inputs, tables: { ...plan.inputs.tables, models: { ...models, columns } } };
    const { tables } = plan.compute(inputs);
    const result = { ...row };
    for (const name of ["parameters", "active_parameters"]) {
      const cell = tables.models[name][0];
      if (cell.reason !== undefined) throw new Refused(`Its parameters cannot be counted: ${cell.reason}.`);
      result[name] = cell.value;
    }
    return result;
  }

  /** Add a model to those of the catalogue; a later one replaces it. */
  function install(text, title = "Your model") {
    const { type, row } = read(text);
    const made = counted(row);
    scalesheet.cases.own(OWN, title, made);
    return { id: OWN, type, row: made };
  }

  return Object.freeze({ OWN, needed, read, counted, install });
})();
