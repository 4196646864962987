/* The search of the site: finds pages in the index from the build, and lists them below the field.
 *
 * site.js loads it with the index when a reader first goes to the field. The build runs the same
 * script to test the results. Pages with all words come before those with some, and pages that
 * answer a question before those that document it.
 */
"use strict";

globalThis.scalesheetSearch = (() => {
  const FIELDS = [1, 4, 6, 14, 16]; // text, row title, heading, other name, page title
  const LITTLE = new Set(
    "a an and are at by can do does for from how i in is it its many much my of on or that the to what which who why with".split(" "),
  );
  const MOST = 30;

  const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+(?:\.\p{N}+)*/gu) ?? [];

  function asked(query) {
    const all = words(query);
    const kept = all.filter((word) => !LITTLE.has(word));
    return kept.length ? kept : all;
  }

  /** The query's words, and variants with a phrase replaced by a synonym. */
  function variants(groups, asked) {
    const result = [[asked, 1]];
    for (const phrases of groups) {
      for (const phrase of phrases) {
        const at = asked.findIndex((_, n) => phrase.every((word, k) => asked[n + k] === word));
        if (at < 0) continue;
        for (const other of phrases)
          if (other !== phrase)
            result.push([asked.toSpliced(at, phrase.length, ...other), 0.8]);
      }
    }
    return result;
  }

  /** The range in the sorted list of words that begin with this one. */
  function range(list, word) {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] < word) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (end < list.length && list[end].startsWith(word)) end++;
    return [low, end];
  }

  /** A score for each page with a word: by its field, lower for a longer word. */
  function holding(index, word) {
    const found = new Map();
    const [start, end] = word.length > 1 || word >= "0" ? range(index.words, word) : [0, 0];
    for (let n = start; n < end; n++) {
      const share = word === index.words[n] ? 1 : 0.7 * (word.length / index.words[n].length);
      let page = 0;
      for (const each of index.places[n]) {
        page += Math.floor(each / 8);
        const score = FIELDS[each % 8] * share;
        if (score > (found.get(page) ?? 0)) found.set(page, score);
      }
    }
    return found;
  }

  /** How much of a page's title was in the query, and whether it begins with it. */
  function fit(title, asked) {
    const said = words(title);
    const held = said.filter((word) => asked.some((each) => word.startsWith(each)));
    const begins = asked.every((word, n) => (said[n] ?? "").startsWith(word));
    return (12 * held.length) / (said.length || 1) + (begins ? 8 : 0);
  }

  /** The pages with the words of a query, best first: `{path, title, note, heading}`. */
  function find(index, query) {
    const best = new Map();
    for (const [terms, factor] of variants(index.synonyms, asked(query))) {
      const pages = new Map();
      for (const term of new Set(terms)) {
        const holds = holding(index, term);
        const rare = Math.log(1 + index.pages.length / (1 + holds.size));
        for (const [page, score] of holds) {
          const sum = pages.get(page) ?? { count: 0, score: 0 };
          pages.set(page, { count: sum.count + 1, score: sum.score + score * rare });
        }
      }
      const all = new Set(terms).size;
      for (const [page, { count, score }] of pages) {
        const { title, names, weight } = index.pages[page];
        const named = Math.max(...[title, ...names].map((name) => fit(name, terms)));
        const share = count / all;
        const made = { page, terms, share, score: (score + named) * weight * factor };
        const old = best.get(page);
        if (!old || share > old.share || (share === old.share && made.score > old.score))
          best.set(page, made);
      }
    }
    return Array.from(best.values())
      .sort((a, b) => b.share - a.share || b.score - a.score || a.page - b.page)
      .map(({ page, terms, share }) => ({ ...index.pages[page], ...part(index, page, terms), share }));
  }

  /** The heading of a page with the most words of the query. */
  function part(index, page, terms) {
    let best = { count: 0 };
    for (const [anchor, text] of index.pages[page].headings) {
      const said = words(text);
      const count = terms.filter((term) => said.some((word) => word.startsWith(term))).length;
      if (count > best.count) best = { count, anchor, heading: text };
    }
    const inTitle = words(index.pages[page].title);
    const already = terms.filter((term) => inTitle.some((word) => word.startsWith(term))).length;
    return best.count > already ? { anchor: best.anchor, heading: best.heading } : {};
  }

  /** The numbers of a list: capital letters, a last digit in base 36, and how often, if repeated. */
  function numbers(list) {
    const found = [];
    for (const [, letters, last, times = 1] of list.matchAll(/([A-Z]*)([0-9a-z])(?:\*(\d+),)?/g)) {
      const high = Array.from(letters).reduce((sum, each) => sum * 26 + each.charCodeAt() - 65, 0);
      for (let n = 0; n < times; n++) found.push(high * 36 + parseInt(last, 36));
    }
    return found;
  }

  /** Decode the index file once. */
  function read({ words, places, headings, pages, synonyms }) {
    return {
      words: words.split(" "),
      places: places.split(";").map(numbers),
      pages: pages.map(([path, title, weight, note, names, below]) => ({
        ...{ path, title, weight, note, names, headings: below.map((n) => headings[n]) },
      })),
      synonyms: synonyms.map((group) => group.map((phrase) => phrase.split(" "))),
    };
  }

  // ---------------------------------------------------------------- the page

  function element(tag, attributes, ...content) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...content);
    return made;
  }

  /** Show results below the field of a form. `root` is the path to the top of the site. */
  function attach(form, index, root) {
    const field = form.querySelector("input");
    const status = element("p", { role: "status" });
    const list = element("ol", {});
    const panel = element("div", { class: "found", hidden: "" }, status, list);
    form.append(panel);

    function result({ path, title, note, anchor, heading }) {
      const link = element("a", { href: `${root}${path}${anchor ? `#${anchor}` : ""}` });
      link.append(element("strong", {}, title), heading ? ` › ${heading}` : "");
      if (note) link.append(element("span", {}, note));
      return element("li", {}, link);
    }

    function show() {
      const query = field.value.trim();
      panel.hidden = !query;
      if (!query || query === show.last) return;
      show.last = query;
      const found = find(index, query);
      const whole = found.filter(({ share }) => share === 1).length;
      const counted = (count) => `${count} page${count === 1 ? "" : "s"}`;
      if (whole) status.textContent = `${counted(whole)} with all words`;
      else if (found.length) status.textContent = `No page has all words; ${counted(found.length)} with some`;
      else status.textContent = "Nothing found";
      list.replaceChildren(...found.slice(0, whole ? Math.min(whole, MOST) : MOST).map(result));
    }

    field.addEventListener("input", show);
    field.addEventListener("focus", show);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      show();
      list.querySelector("a")?.click();
    });
    form.addEventListener("keydown", (event) => {
      const links = [field, ...list.querySelectorAll("a")];
      const at = links.indexOf(document.activeElement);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && at >= 0 && links[at + step]) {
        event.preventDefault();
        links[at + step].focus();
      } else if (event.key === "Escape") {
        panel.hidden = true;
        field.focus();
        panel.hidden = true; // focusing the field has shown it again
      }
    });
    form.addEventListener("focusout", ({ relatedTarget }) => {
      if (!form.contains(relatedTarget)) panel.hidden = true;
    });
    show();
  }

  return Object.freeze({ find, read, attach });
})();
