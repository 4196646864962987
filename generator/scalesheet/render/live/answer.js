/* The answer of the front page as data, [tag, attributes, ...content]. */
"use strict";

scalesheet.answer = (() => {
  const { formatBy, plain, ends, number, counted, people } = scalesheet.numbers;
  const { toQuery } = scalesheet.inputs;
  const { rowTitle } = scalesheet.marks;
  const { told, figureOf, fits, runs } = scalesheet.cases;
  const { obstaclesTo, answerTo, offersFor, changesOf, mended } = scalesheet.cases;
  const NBSP = "\u00a0";
  const FITS = {
    fits: "good",
    "probably fits": "warn",
    "probably does not fit": "bad",
    "does not fit": "bad",
    "cannot run": "bad",
  };
  const [WIDE, TALL] = [1000, 28];

  const { question } = scalesheet;
  const plan = scalesheet.plans[question.plan];
  const { tables } = plan.shown;
  const scalars = Object.fromEntries(
    Object.entries(question.roles).map(([role, name]) => [role, plan.shown.scalars[name]]),
  );
  const { methods: METHODS, terms: TERMS, evidence } = question;

  // ---------------------------------------------------------------- figures by role

  const format = (quantity, cells) => formatBy(quantity.rule ?? {}, cells);
  const symbol = (role) => scalars[role].symbol ?? "";

  /** Memory in the unit of nvidia-smi, whatever the plan's unit. */
  const { factor: TIMES, symbol: GIB } = question.memory;
  const THREE = { digits: 3 };
  const inGib = (cell) =>
    typeof cell.value === "number" ? { value: cell.value * TIMES, low: cell.low * TIMES, high: cell.high * TIMES } : cell;
  const gib = (cell) => plain(inGib(cell), formatBy(THREE, [inGib(cell)]));

  /** The expected value of a figure: `57.7 GiB`. */
  function text(answer, role, unit = true) {
    const cell = figureOf(answer, role);
    const memory = role.endsWith("_memory");
    const shown = memory ? gib(cell) : plain(cell, format(scalars[role], [cell]));
    return unit ? `${shown}${NBSP}${memory ? GIB : symbol(role)}` : shown;
  }

  /** The address of a figure's formula on the plan's page, with these inputs. */
  const address = (changes, of) => {
    const [page, part] = of ? question.anchors[of].split("#") : [question.plan];
    return `book/plans/${page}.html${toQuery(changes)}${part ? `#${part}` : ""}`;
  };

  const row = (table, id) => [
    "a",
    { href: `book/${table}/${id}.html` },
    rowTitle(plan, table, id),
  ];

  /** A case in words; its number of tokens is known once it is answered. */
  const caseOf = (wanted, tokens = "") => [
    "p",
    { class: "case", tabindex: "-1" },
    `${METHODS[wanted.get("method")]} of `,
    row("models", wanted.get("model")),
    `${tokens && ` with ${tokens}`} on ${wanted.get("gpus")} × `,
    row("hardware", wanted.get("gpu")),
  ];

  const caseAnswered = (found) =>
    caseOf(found.wanted, `${people(figureOf(found, "trained_tokens").value * question.tokens)} tokens`);

  /** The words in a drawing. */
  const textOf = (tree) => (Array.isArray(tree) ? tree.slice(2).map(textOf).join("") : tree);

  function figure(role, cell, changes, title, ...note) {
    const shown = format(scalars[role], [cell]);
    const value =
      cell.reason === undefined
        ? [
            ["span", { class: "num" }, plain(cell, shown)],
            " ",
            ["span", { class: "unit" }, symbol(role)],
          ]
        : [["span", { class: "reason" }, cell.reason]];
    const range = ends(cell, shown);
    return [
      "div",
      { class: `figure ${role}` },
      ["p", { class: "label" }, title ?? scalars[role].title],
      ["p", { class: "value" }, ["a", { href: address(changes, role) }, ...value]],
      ["p", { class: "range" }, range ? `${range} ${symbol(role)}` : NBSP],
      ...(note.length ? [["p", { class: "note" }, ...note]] : []),
    ];
  }

  /** The cheapest offer of each term with a recently seen price. */
  const cheapest = (offers) =>
    Object.keys(TERMS)
      .map((term) =>
        offers.find((each) => each.term === term && each.cost && !question.unseen[each.id]?.stale),
      )
      .filter(Boolean);

  function costFigure(answer, firsts) {
    if (!firsts.length) {
      const note = "No offer in the catalogue has a recent price for this.";
      return figure("cost", figureOf(answer, "cost"), answer.changes, "Electricity", note);
    }
    const [best, ...others] = firsts;
    const from = ({ term, cost }) => {
      const shown = plain(cost, format(scalars.cost, [cost]));
      return ["span", {}, `${TERMS[term]} from ${shown}${NBSP}${symbol("cost")}`];
    };
    const title = `Cost, ${TERMS[best.term]} from`;
    return figure("cost", best.cost, best.changes, title, ...others.map(from));
  }

  function fitFigure(answer) {
    const { value, reason } = figureOf(answer, "verdict");
    const verdict = value ?? reason;
    return [
      "div",
      { class: "figure verdict-of" },
      ["p", { class: "label" }, scalars.verdict.title],
      [
        "p",
        { class: `value fit ${FITS[verdict] ?? ""}`.trim() },
        ["a", { href: address(answer.changes, "verdict") }, verdict],
      ],
      [
        "p",
        { class: "range" },
        `${text(answer, "needed_memory", false)} of ${text(answer, "usable_memory")}`,
      ],
    ];
  }

  /** The parts of an accelerator's memory, stacked, against the usable memory. */
  function memory(answer) {
    const { rows, titles } = plan.inputs.tables.memory;
    const { value: bytes } = answer.results.tables.memory;
    const size = ({ value }) => (typeof value === "number" ? value : 0);
    const [most, usable] = ["most_memory", "usable_memory"].map((role) =>
      size(figureOf(answer, role)),
    );
    const scale = Math.max(most, usable) * 1.02;
    const place = (length) => ((length / scale) * WIDE).toFixed(1);
    const parts = rows
      .map((id, n) => ({ id, title: titles[n], cell: bytes[n], size: size(bytes[n]) }))
      .filter((part) => part.size > 0);
    const limit = text(answer, "usable_memory");
    const bars = [];
    const bar = (kind, x, width, y, height) =>
      bars.push(["rect", { class: kind, x: place(x), y, width, height }]);
    let at = 0;
    let over;
    for (const part of parts) {
      bar(`part ${part.id}`, at, place(part.size), "4", "20");
      at += part.size;
      if (at > usable) over ??= part;
    }
    bar("beyond", at, place(Math.max(0, most - at)), "9", "10");
    bar("limit", usable, "3", "0", String(TALL));
    const described = parts.map(({ title, cell }) => `${title} ${gib(cell)}`).join(", ");
    const svg = {
      viewBox: `0 0 ${WIDE} ${TALL}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `${described}, in ${GIB}; ${limit} available`,
    };
    return [
      "figure",
      { class: "stack" },
      [
        "figcaption",
        {},
        ["a", { href: address(answer.changes, "needed_memory") }, "Memory of each accelerator"],
        `: ${text(answer, "needed_memory")}, rarely above `,
        `${text(answer, "most_memory")}; ${limit} available`,
      ],
      ["svg", svg, ...bars],
      [
        "ul",
        { class: "parts" },
        ...parts.map(({ id, title, cell }) => [
          "li",
          { class: `part ${id}` },
          `${title} `,
          ["span", { class: "num" }, gib(cell)],
          ["span", { class: "unit" }, `${NBSP}${GIB}`],
        ]),
        ["li", { class: "part beyond" }, `up to ${text(answer, "most_memory")} (99 %)`],
        ["li", { class: "part limit" }, `line: ${limit} usable`],
      ],
      ...first(answer, over),
    ];
  }

  /** The part at which memory runs out, or that only the worst case does not fit. */
  function first(answer, over) {
    if (fits(answer)) return [];
    const strong = over && ["strong", { class: `part ${over.id}` }, over.title];
    const said = over
      ? ["Memory runs out at: ", strong]
      : ["Probably fits; the worst case does not."];
    return [["p", { class: "first" }, ...said]];
  }

  const heading = (content, unit, number = true) => [
    "th",
    { scope: "col", class: number && "num" },
    content,
    ...(unit ? [" ", ["span", { class: "unit" }, unit]] : []),
  ];

  const table = (heads, rows) => [
    "div",
    { class: "scroll" },
    ["table", { class: "data" }, ["thead", {}, ["tr", {}, ...heads]], ["tbody", {}, ...rows]],
  ];

  /** A figure with its range, linked to its formula. */
  function amount(role, cell, shownAs, changes) {
    if (cell.reason !== undefined) return ["td", { class: "reason" }, cell.reason];
    const range = ends(cell, shownAs);
    return [
      "td",
      { class: "num" },
      ["a", { href: address(changes, role) }, plain(cell, shownAs)],
      ...(range ? [["span", { class: "range" }, range]] : []),
    ];
  }

  /** When a price was last seen, if that is long ago. */
  function lastSeen(id) {
    const unseen = question.unseen[id];
    return unseen ? [` (price last seen ${unseen.seen}, ${unseen.days} days ago)`] : [];
  }

  function offersTable(answer, offers) {
    if (!answer || !runs(answer)) return ["section", { class: "offers", hidden: true }];
    const quantity = tables.offers.columns.price;
    const sold = offers.filter(({ cost }) => cost);
    const few = offers.filter(({ cost }) => !cost);
    const costs = format(scalars.cost, sold.map(({ cost }) => cost));
    const prices = format(quantity, offers.map(({ price }) => price));
    const own = figureOf(answer, "cost");
    const body = sold.map(({ id, term, price, cost, changes }) => [
      "tr",
      {},
      ["th", { scope: "row" }, row("offers", id), ...lastSeen(id)],
      ["td", { class: `term ${term}` }, TERMS[term]],
      ["td", { class: "num" }, plain(price, prices), ["span", { class: "range" }, question.seen[id] ?? ""]],
      amount("cost", cost, costs, changes),
    ]);
    body.push([
      "tr",
      { class: "own" },
      ["th", { scope: "row" }, "Your own, electricity alone"],
      ["td", { class: "term" }, "owned"],
      ["td", { class: "num" }],
      amount("cost", own, format(scalars.cost, [own]), answer.changes),
    ]);
    const between = few.flatMap(({ id }, n) => [...(n ? ["; "] : []), row("offers", id)]);
    const note = [`Not offered with ${answer.wanted.get("gpus")} GPUs: `, ...between, "."];
    return [
      "section",
      { class: "offers" },
      ["h2", {}, "What it costs, by offer"],
      table(
        [
          heading("Offer", "", false),
          heading("Terms", "", false),
          heading("Price, last seen", quantity.symbol),
          heading("Cost", symbol("cost")),
        ],
        body,
      ),
      ...(few.length ? [["p", { class: "note" }, ...note]] : []),
    ];
  }

  const CHANGES = {
    fits: "What one change gives",
    "probably fits": "What would make it fit",
    "probably does not fit": "What would make it fit",
    "cannot run": "What would make it run",
  };
  const NO_CHANGE =
    "No single change of method, count or accelerator is enough; a smaller model or shorter sequences may be.";
  const NO_HOURS =
    "There are no hours and no cost, because this configuration cannot run. Changes that would make it run are below.";

  function changesTable(answer, others, stated, own) {
    const verdict = answer && runs(answer) ? figureOf(answer, "verdict").value : "cannot run";
    const title = ["h2", {}, CHANGES[verdict]];
    const section = (content) => ["section", { class: "changes" }, title, content];
    if (!others.length) return section(["p", { class: "note" }, NO_CHANGE]);
    const running = others.filter(runs);
    const formats = ["hours", "cost"].map((role) => [
      role,
      format(scalars[role], running.map((each) => figureOf(each, role))),
    ]);
    return section(
      table(
        [
          heading("Change", "", false),
          heading("Memory", "", false),
          heading("Hours"),
          heading("Cost", symbol("cost")),
        ],
        others.map((each) => {
          const verdict = figureOf(each, "verdict").value;
          return [
            "tr",
            {},
            ["th", { scope: "row" }, changeLink(each, stated), ...soldAs(each), ...cheaper(answer, each, own)],
            ["td", { class: `fit ${FITS[verdict] ?? ""}`.trim() }, verdict],
            ...formats.map(([role, shownAs]) =>
              runs(each)
                ? amount(role, figureOf(each, role), shownAs, each.changes)
                : ["td", { class: "num" }],
            ),
          ];
        }),
      ),
    );
  }

  /** The offer of the cheapest option on another accelerator. */
  const soldAs = ({ cheapest: best, offer }) =>
    best && offer ? [" ", ["span", { class: "range" }, rowTitle(plan, "offers", offer)]] : [];

  /** The probability that the cheapest option on another accelerator costs less than the answer. */
  function cheaper(answer, { some, cheapest: best, ...each }, own) {
    if (!best || some.gpus || !own) return [];
    const costs = [{ name: answer.wanted.get("gpu"), cost: own }, { name: some.gpu, cost: figureOf(each, "cost") }];
    const [, odds] = scalesheet.odds(costs);
    return odds ? [" ", ["span", { class: "range" }, `cheaper in ${percent(odds.chance)} of cases`]] : [];
  }

  /** A change as a link, added to what is stated. */
  function changeLink({ some, cheapest: best }, stated) {
    const href = toQuery(told(new Map([...stated, ...Object.entries(some)]))) || "?";
    return ["a", { href, "data-change": true }, changeText({ ...some, cheapest: best })];
  }

  function changeText({ method, gpus, gpu, batch, stage, sequence, checkpointing, offload, precision, cheapest: best }) {
    const said = [];
    if (sequence) said.push(`Sequences of ${number(sequence, { decimals: 0 })} tokens`);
    if (checkpointing === "full") said.push("Activation checkpointing");
    if (precision) said.push(`Matrix products in ${precision}`);
    if (offload) said.push(`Optimizer ${offload === "states" ? "states" : "states and weights"} in host memory`);
    if (method) said.push(`${METHODS[method]} instead`);
    if (batch) said.push(`${batch} sequences per step`);
    if (gpu) {
      const title = rowTitle(plan, "hardware", gpu);
      said.push(`${best ? "Cheapest that fits" : "Next GPU up"}: ${gpus ? `${gpus} × ` : ""}${title}`);
    } else if (gpus) said.push(counted(gpus, "GPU"));
    if (stage) said.push(said.length ? "any layout" : "Any layout");
    return said.join(", ");
  }

  /** `ZeRO 3, micro-batch 4, checkpointing`. */
  const layoutText = ({ stage, tensor, pipeline, experts, micro_batch, checkpointing }) =>
    [
      stage ? `ZeRO ${stage}` : "",
      tensor === 1 ? "" : `tensor ${tensor}`,
      pipeline === 1 ? "" : `pipeline ${pipeline}`,
      experts === 1 ? "" : `experts ${experts}`,
      `micro-batch ${micro_batch}`,
      checkpointing === "full" ? "checkpointing" : "no checkpointing",
    ]
      .filter(Boolean)
      .join(", ");

  // ---------------------------------------------------------------- the evidence

  const percent = (share) => `${number(100 * share, { decimals: 0 })} %`;
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  /** `12 published runs like this, typical error 15 %`, or that there are none. */
  function evidenceFor(wanted) {
    const method = wanted.get("method");
    const family = evidence.families[wanted.get("gpu")];
    const size = evidence.sizes[wanted.get("model")];
    const like = evidence.like[`${method}|${family}|${size}`];
    if (like) return like;
    if (!evidence.known.includes(family)) return evidence.none.nowhere;
    const kind = `${METHODS[method]}, ${family}, ${evidence.names[size]} parameters`;
    return filled(evidence.none.kind, { kind });
  }

  /** The published runs of the same model on about as much data. */
  function publishedFor(found) {
    const tokens = figureOf(found, "trained_tokens").value;
    const { within } = evidence;
    return evidence.runs.filter(
      (run) =>
        run.model === found.wanted.get("model") &&
        run.method === found.wanted.get("method") &&
        Math.max(run.tokens / tokens, tokens / run.tokens) <= within,
    );
  }

  /** The warning before an answer whose utilization is far outside the published range. */
  function warningOf(found) {
    const method = found.wanted.get("method");
    const published = evidence?.utilization[method];
    const share = figureOf(found, "utilisation").value;
    if (!published) return "";
    const [low, high] = published;
    if (share >= low / evidence.far && share <= high * evidence.far) return "";
    const said = { share: percent(share), low: percent(low), high: percent(high) };
    return filled(evidence.none.unusual, { ...said, method: METHODS[method] });
  }

  /** The evidence for an answer, and the published run of the same job, with its own hours. */
  function evidenceOf(found) {
    if (!evidence) return [];
    const cell = figureOf(found, "gross_gpu_hours");
    const shown = format(scalars.gross_gpu_hours, [cell]);
    const own = `${plain(cell, shown)} [${ends(cell, shown)}]`;
    return [
      [
        "p",
        { class: "evidence" },
        `${evidenceFor(found.wanted)}. `,
        ["a", { href: "book/score/runs.html#asked" }, "The score"],
      ],
      ...publishedFor(found).map((run) => [
        "p",
        { class: "evidence published" },
        ["strong", {}, "Published: "],
        ["a", { href: `book/score/runs.html#row-${run.id}` }, run.title],
        ` took ${number(run.gpu_hours, { decimals: 0 })} GPU hours on ${run.on}; this answer has `,
        `${own} GPU hours.`,
      ]),
    ];
  }

  /** The expected final loss of pretraining, by the formula of the catalogue. */
  function lossOf(found) {
    const formula = question.formulas.chinchilla_loss_refitted;
    if (!formula || found.wanted.get("method") !== question.pretraining) return [];
    const { rows, columns } = plan.inputs.tables.models;
    const parameters = { value: columns.parameters[rows.indexOf(found.wanted.get("model"))] };
    const tokens = { value: figureOf(found, "trained_tokens").value * question.tokens };
    const loss = number(formula({ parameters, tokens }), { decimals: 2 });
    return [
      [
        "p",
        { class: "evidence loss" },
        `Expected loss ${loss} nat/token, by `,
        ["a", { href: "book/formulas/chinchilla-loss-refitted.html" }, "the compute-optimal study"],
        "; other data sets or tokenizers have a different floor.",
      ],
    ];
  }

  /** Figures and memory of an answer. Links to formulas use the state shown, which is that of
   *  the cheapest offer if there is one. What cannot run has neither hours nor cost. */
  function figuresOf(found, firsts) {
    const own = { ...found, changes: firsts[0]?.changes ?? found.changes };
    const hero = runs(own)
      ? [
          ...["hours", "calendar_time"].map((role) =>
            figure(role, figureOf(own, role), own.changes),
          ),
          costFigure(own, firsts),
          fitFigure(own),
        ]
      : [fitFigure(own), ["p", { class: "note" }, NO_HOURS]];
    const more = "Every formula and input of this answer";
    return [
      caseAnswered(own),
      ...(runs(own) && warningOf(own) ? [["p", { class: "bad unusual" }, warningOf(own)]] : []),
      ["div", { class: runs(own) ? "hero" : "hero blocked" }, ...hero],
      ...(runs(own) ? [...evidenceOf(own), ...lossOf(own)] : []),
      memory(own),
      ["p", { class: "more" }, ["a", { href: address(own.changes) }, more]],
    ];
  }

  /** The message if no layout can run. */
  const nothing = (wanted) => [
    caseOf(wanted),
    ["p", { class: "bad" }, `Cannot run: ${obstaclesTo(wanted).join("; ")}.`],
  ];

  /** The answer in one sentence, for screen readers. */
  const sentence = (found) =>
    `${textOf(caseAnswered(found))}: ${runs(found) ? `${text(found, "hours")}, ` : ""}` +
    `${figureOf(found, "verdict").value}.`;

  // ---------------------------------------------------------------- all of it

  /** The answer to a case in parts, as they are found: first figures and offers, then the
   *  effects of single changes. `stated` is what links to changes keep. Yields often. */
  function* answered(wanted, stated) {
    const found = yield* answerTo(wanted);
    const offers = found && runs(found) ? yield* offersFor(found) : [];
    const firsts = cheapest(offers);
    const content = found ? figuresOf(found, firsts) : nothing(wanted);
    const attributes = { class: "answer", "aria-label": "Answer", "data-answer": true };
    yield {
      found,
      layout: found ? layoutText(found.layout) : "none",
      answer: ["section", attributes, ...content],
      offers: offersTable(found, offers),
    };
    const others = found ? yield* changesOf(found) : yield* mended(wanted);
    yield {
      changes: changesTable(found, others, stated, firsts[0]?.cost),
      sentence: found ? sentence(found) : "",
    };
  }

  return Object.freeze({ answered, evidenceFor, layoutText, text, FITS });
})();
