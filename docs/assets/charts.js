/* Tools for charts: show the value of a mark, download the picture, embed the chart.
 *
 * The pictures are part of the page and need no script; the page loads this one if it has any.
 * Every mark has its value in its <title>: that of the nearest one is shown at once. A picture is
 * downloaded as it looks now, with its caption, its page and the edition. If the address of a
 * framed page names a chart, the page shows only that: this is how embedding works.
 */
"use strict";

(() => {
  const NEAR = 24; // pixels between the pointer and a mark
  const SCALE = 2; // of a PNG, for high-resolution screens
  const LINE = 20;
  const PAINT = [
    ...["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray"],
    ...["stroke-linejoin", "paint-order", "font-family", "font-size", "font-weight", "opacity"],
  ];
  const SVG = "http://www.w3.org/2000/svg";

  const pictureOf = (figure) => figure.querySelector("svg[role=img]");
  const captionOf = (figure) =>
    figure.querySelector("figcaption")?.textContent.trim() ||
    pictureOf(figure).querySelector(":scope > title").textContent;
  const nameOf = (figure) => figure.id || pictureOf(figure).querySelector(":scope > title").id;

  function element(tag, attributes, ...content) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...content);
    return made;
  }

  // ---------------------------------------------------------------- the value of a mark

  const tip = element("div", { class: "tip", "aria-hidden": "true", hidden: "" });
  let shown; // the <title> of the mark, emptied so that the browser does not show it too
  let said;

  function leave() {
    if (shown) shown.textContent = said;
    shown = undefined;
    tip.hidden = true;
  }

  /** The marks of a picture, each with the boxes of its shapes, or else its own box. */
  function marksOf(svg) {
    const titles = svg.querySelectorAll("title");
    return Array.from(titles, (title) => [title, title.parentNode])
      .filter(([, mark]) => mark !== svg && mark.checkVisibility())
      .map(([title, mark]) => {
        const shapes = mark.matches("g") ? mark.querySelectorAll("rect, circle, text, line") : [];
        const parts = shapes.length ? Array.from(shapes) : [mark];
        return { title, boxes: parts.map((part) => part.getBoundingClientRect()) };
      });
  }

  const beyond = (at, from, to) => Math.max(from - at, 0, at - to);
  const distance = ({ left, right, top, bottom }, x, y) =>
    Math.hypot(beyond(x, left, right), beyond(y, top, bottom));

  function nearest(svg, x, y) {
    let [least, found] = [NEAR, undefined];
    for (const { title, boxes } of marksOf(svg)) {
      for (const box of boxes) {
        const away = distance(box, x, y) + Math.min(box.width * box.height, 1e6) * 1e-7;
        if (away < least) [least, found] = [away, title];
      }
    }
    return found;
  }

  let [x, y] = [-1, -1]; // last position of the pointer

  function look() {
    const svg = document.elementFromPoint(x, y)?.closest("figure.chart svg[role=img]");
    const found = svg ? nearest(svg, x, y) : undefined;
    if (!found) return leave();
    if (found !== shown) {
      leave();
      shown = found;
      said = found.textContent;
      found.textContent = "";
      tip.textContent = said;
      tip.hidden = false;
    }
    const { width, height } = tip.getBoundingClientRect();
    const above = y - height - 12;
    tip.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - width - 4))}px`;
    tip.style.top = `${above < 4 ? y + 16 : above}px`;
    return undefined;
  }

  function follow({ clientX, clientY }) {
    [x, y] = [clientX, clientY];
    look();
  }

  // ---------------------------------------------------------------- the picture as a file

  function svgElement(tag, attributes, ...content) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...content);
    return made;
  }

  /** A copy with inline colors and fonts instead of the page's style sheet. */
  function painted(node) {
    if (node.nodeType !== Node.ELEMENT_NODE) return node.cloneNode();
    const style = getComputedStyle(node);
    if (style.display === "none") return "";
    const copy = node.cloneNode();
    for (const name of ["class", "role", "focusable"]) copy.removeAttribute(name);
    for (const name of PAINT) {
      const value = style.getPropertyValue(name);
      if (value) copy.setAttribute(name, value);
    }
    copy.append(...Array.from(node.childNodes, painted));
    return copy;
  }

  function asFile(figure) {
    leave();
    const picture = pictureOf(figure);
    const { width, height } = picture.getBoundingClientRect();
    const style = getComputedStyle(figure);
    const ground = getComputedStyle(document.body).backgroundColor;
    const words = { "font-family": style.fontFamily, fill: style.color };
    const body = painted(picture);
    for (const [name, value] of Object.entries({ x: 12, y: LINE + 12, width, height }))
      body.setAttribute(name, value);
    const [across, down] = [width + 24, height + 2 * LINE + 24];
    const foot = [document.title, document.querySelector(".md-footer > p")?.textContent.trim()];
    const text = (y, size, weight, what) =>
      svgElement("text", { ...words, x: 12, y, "font-size": size, "font-weight": weight }, what);
    const file = svgElement(
      "svg",
      { width: across, height: down, viewBox: `0 0 ${across} ${down}` },
      svgElement("rect", { width: across, height: down, fill: ground }),
      text(LINE, 14, 600, captionOf(figure)),
      body,
      text(down - 10, 11, 400, foot.filter(Boolean).join(" · ")),
    );
    return { text: new XMLSerializer().serializeToString(file), across, down };
  }

  function save(figure, ending, content) {
    const address = URL.createObjectURL(content);
    element("a", { href: address, download: `${nameOf(figure)}.${ending}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }

  const asSvg = (figure) =>
    save(figure, "svg", new Blob([asFile(figure).text], { type: "image/svg+xml" }));

  async function asPng(figure) {
    const { text, across, down } = asFile(figure);
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = element("canvas", { width: across * SCALE, height: down * SCALE });
    canvas.getContext("2d").drawImage(image, 0, 0, across * SCALE, down * SCALE);
    canvas.toBlob((content) => save(figure, "png", content), "image/png");
  }

  // ---------------------------------------------------------------- embedding

  function codeOf(figure) {
    const page = document.querySelector("link[rel=canonical]")?.href ?? location.href.split(/[?#]/)[0];
    const { height } = figure.getBoundingClientRect();
    const frame = element("iframe", {
      src: `${page}${location.search}#${nameOf(figure)}`,
      title: captionOf(figure),
      width: "100%",
      height: Math.ceil(height) + 32,
      loading: "lazy",
    });
    return frame.outerHTML;
  }

  function embed(figure, bar) {
    const there = bar.querySelector("textarea");
    if (there) return there.remove();
    const field = element("textarea", { readonly: "", rows: "3", "aria-label": "Embed code" });
    field.value = codeOf(figure);
    bar.append(field);
    field.focus();
    return field.select();
  }

  /** In a frame: show only the chart in the address. */
  function alone() {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const figure = self === top ? undefined : named?.closest("figure.chart");
    document.documentElement.classList.toggle("alone", Boolean(figure));
    for (const other of document.querySelectorAll(".one")) other.classList.remove("one");
    for (let part = figure; part; part = part.parentElement) part.classList.add("one");
  }

  // ---------------------------------------------------------------- the page

  const ACTIONS = [
    ["SVG", "Download as SVG", asSvg],
    ["PNG", "Download as PNG", asPng],
    ["Embed", "Code to embed the chart", embed],
  ];

  function equip(figure) {
    if (!pictureOf(figure) || figure.querySelector(":scope > .take")) return;
    const bar = element("div", { class: "take" });
    for (const [name, title, act] of ACTIONS) {
      const button = element("button", { type: "button", title }, name);
      button.addEventListener("click", () => act(figure, bar));
      bar.append(button);
    }
    pictureOf(figure).after(bar);
  }

  const equipAll = () => document.querySelectorAll("figure.chart").forEach(equip);

  document.body.append(tip);
  addEventListener("pointermove", follow, { passive: true });
  addEventListener("pointerdown", follow, { passive: true });
  addEventListener("scroll", look, { passive: true }); // the page moves under a resting pointer
  document.addEventListener("pointerleave", leave);
  addEventListener("hashchange", alone);
  equipAll();
  alone();
  // other scripts of the page draw charts later
  new MutationObserver(equipAll).observe(document.querySelector("article") ?? document.body, {
    childList: true,
    subtree: true,
  });
})();
