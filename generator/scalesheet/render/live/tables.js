/* Parts of tables of figures as data, [tag, attributes, ...content], for comparisons. */
"use strict";

scalesheet.tables = (() => {
  const { formatBy, number, plain, ends } = scalesheet.numbers;
  const { rowPage, rowTitle } = scalesheet.marks;

  const span = (kind, ...content) => ["span", { class: kind }, ...content];
  const link = (href, text) => (href ? ["a", { href }, text] : text);

  /** A row of a table by its title, linked if it has a page. */
  const rowLink = (plan, table, id) => link(rowPage(plan, table, id), rowTitle(plan, table, id));

  /** A heading, with the unit for numbers. */
  const heading = ({ title, symbol, kind = "number" }) => [
    "th",
    { scope: "col", class: kind === "number" && "num" },
    title,
    ...(symbol && kind === "number" ? [" ", span("unit", symbol)] : []),
  ];

  const head = (title) => heading({ title, kind: "text" });

  /** The cell of a value: the number with its range, the title of a row, a word, or a reason.
   *  `unit` is for a table whose headings have none. */
  function cell(plan, quantity, value, format, unit) {
    if (value.reason !== undefined) return ["td", { class: "reason" }, value.reason];
    if (typeof value.value !== "number") {
      const { table } = quantity;
      return ["td", {}, table ? rowLink(plan, table, value.value) : plain(value, format)];
    }
    const range = ends(value, format);
    return [
      "td",
      { class: "num" },
      span("num", plain(value, format)),
      ...(unit ? ["\u00a0", span("unit", unit)] : []),
      ...(range ? [" ", span("range", range)] : []),
    ];
  }

  /** The cell with the probability that a cost is the lowest of those shown, and its regret. */
  function likely(odds, format, symbol) {
    if (!odds) return ["td", {}];
    const hundred = Math.round(100 * odds.chance);
    const rest = odds.chance > 0 && odds.chance < 1 && (hundred === 0 ? "under 1" : hundred === 100 ? "over 99" : "");
    const regret = `regret ${number(odds.regret, format)}\u00a0${symbol}`;
    return ["td", { class: "num" }, span("num", `${rest || hundred}\u00a0%`), " ", span("range", regret)];
  }

  const digits = (value, count) => number(value, formatBy({ digits: count }, [{ value }]));

  /** A ratio in familiar words: `25 % less`, `65 % more`, `10.5 ×`; half or less as `1/12`. */
  function times(value) {
    const part = Math.round(Math.abs(value - 1) * 100) || "under 1";
    if (value === 1) return "same";
    if (value > 0.5 && value < 2) return `${part} % ${value < 1 ? "less" : "more"}`;
    return value > 0 && value < 1 ? `1/${digits(1 / value, 2)}` : `${digits(value, 3)} ×`;
  }

  const words = (part) => (Array.isArray(part) ? part.slice(2).map(words).join("") : part || "");

  /** A table. Each cell also names its column, or its `abbr`, because a phone shows a row as a block
   *  of lines. */
  function table(kind, headings, rows) {
    const titles = headings.map((each) => each[1].abbr ?? words(each));
    const labeled = ([name, attributes, ...content], n) => [
      name,
      name === "td" && !attributes.colspan ? { ...attributes, "data-label": titles[n] } : attributes,
      ...content,
    ];
    return [
      "table",
      { class: `data drawn ${kind}`.trim() },
      ["thead", {}, ["tr", {}, ...headings]],
      ["tbody", {}, ...rows.map(([tr, attributes, ...cells]) => [tr, attributes, ...cells.map(labeled)])],
    ];
  }

  return Object.freeze({ span, link, rowLink, heading, head, cell, likely, times, table });
})();
