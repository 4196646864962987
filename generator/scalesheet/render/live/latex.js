/* The LaTeX of a formula, printed from its MathML when a reader opens its line. The text is that of
 * printers/latex.py. */
"use strict";

(() => {
  const { element } = scalesheet.marks;
  const [NARROW, FIXED] = ["\u202f", "\u00a0"];
  const SPECIAL = {
    ...{ "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", $: "\\$", "&": "\\&", "#": "\\#" },
    ...{ "%": "\\%", _: "\\_", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}" },
    ...{ [FIXED]: "~", [NARROW]: "\\,", "×": "$\\times$", "·": "$\\cdot$", "−": "$-$" },
  };
  const SIGNS = { "×": "\\times", "−": "-", "≤": "\\le", "≥": "\\ge", "≠": "\\ne", "∑": "\\sum" };
  const DIGITS = { [NARROW]: "\\,", [FIXED]: "\\,", "×": " \\times ", "−": "-", "%": "\\%" };
  const FENCES = { "(": "(", ")": ")", "[": "[", "]": "]" };
  Object.assign(FENCES, { "⌈": "\\lceil", "⌉": "\\rceil", "⌊": "\\lfloor", "⌋": "\\rfloor", "|": "|" });
  const FUNCTIONS = new Set(["min", "max", "ln", "log"]);

  const mapped = (text, marks) => Array.from(text, (each) => marks[each] ?? each).join("");
  const words = (text) => `\\text{${mapped(text, SPECIAL)}}`;

  /** A name; one right before a bracket is that of a function. */
  function name(node, text) {
    if (FUNCTIONS.has(text)) return `\\${text}`;
    const whole = node.parentElement.localName === "munder" ? node.parentElement : node;
    if (whole.nextElementSibling?.firstElementChild?.textContent === "(")
      return `\\operatorname{${mapped(text, SPECIAL)}}`;
    return Array.from(text).length < 2 && /[\p{L}\p{N}]/u.test(text) ? text : words(text);
  }

  function row(nodes) {
    const [first, last] = [nodes[0], nodes.at(-1)];
    if (nodes.length === 2 && first.textContent === "{") return print(last);
    const fenced = first?.localName === "mo" && last.localName === "mo" && nodes.length > 2;
    if (!fenced || !(first.textContent in FENCES)) return nodes.map(print).join(" ");
    const [left, right] = [first, last].map((each) => FENCES[each.textContent]);
    return `\\left${left} ${row(nodes.slice(1, -1))} \\right${right}`;
  }

  function print(node) {
    const nodes = Array.from(node.children);
    const [a, b] = ["mfrac", "msup", "msub", "munder"].includes(node.localName) ? nodes.map(print) : [];
    const text = node.textContent;
    switch (node.localName) {
      case "mfrac":
        return `\\frac{${a}}{${b}}`;
      case "msup":
        return a.includes("^") || a.includes(" ") ? `{${a}}^{${b}}` : `${a}^{${b}}`;
      case "msub":
        return a.includes("_{") ? `{${a}}_{${b}}` : `${a}_{${b}}`;
      case "munder":
        return `${a}_{${b}}`;
      case "msqrt":
        return `\\sqrt{${row(nodes)}}`;
      case "mtable":
        return `\\begin{cases} ${nodes.map(print).join(" \\\\ ")} \\end{cases}`;
      case "mtr":
        return nodes.map(print).join(" & ");
      case "mi":
        return name(node, text);
      case "mn":
        return mapped(text, DIGITS);
      case "mtext":
        return words(text);
      case "mo":
        return SIGNS[text] ?? text;
      default:
        return row(nodes);
    }
  }

  /** Fold the formula as written once its line is opened, with the LaTeX below it. */
  function add({ target }) {
    const list = target.open && target.matches?.(".formula") && target.querySelector("div > dl.notations");
    const math = list && target.querySelector("math");
    if (!math) return;
    const fold = element("details", { class: "quiet" }, element("summary", {}, "As text"));
    list.replaceWith(fold);
    list.append(element("dt", {}, "LaTeX"), element("dd", {}, element("code", {}, print(math))));
    fold.append(list);
  }

  document.addEventListener("toggle", add, true);
})();
