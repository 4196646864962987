// Polls the server that this page came from: loads new builds and shows errors.
"use strict";
(() => {
  const script = document.currentScript;
  const state = new URL("state.json", script.src);
  const shown = script.dataset.build;
  let said = "";

  function element(name, className, text) {
    const made = document.createElement(name);
    made.className = className;
    if (text) made.textContent = text;
    return made;
  }

  function item(problem) {
    const made = element("li", "scalesheet-live-problem", "");
    made.append(
      element("span", "scalesheet-live-place", problem.place),
      element("strong", "scalesheet-live-code", problem.code),
      element("span", "scalesheet-live-message", problem.message),
    );
    if (problem.remedy) made.append(element("span", "scalesheet-live-remedy", problem.remedy));
    return made;
  }

  function show(news) {
    document.querySelector(".scalesheet-live")?.remove();
    if (!news.problems.length) return;
    const panel = element("section", "scalesheet-live", "");
    panel.setAttribute("role", "alert");
    panel.setAttribute("aria-label", "Build errors");
    const list = element("ol", "scalesheet-live-list", "");
    list.append(...news.problems.map(item));
    panel.append(element("p", "scalesheet-live-title", news.title), list);
    document.body.append(panel);
  }

  async function ask() {
    try {
      const text = await (await fetch(state, { cache: "no-store" })).text();
      const news = JSON.parse(text);
      if (!news.problems.length && news.build !== shown) {
        location.reload();
        return;
      }
      if (text !== said) show(news);
      said = text;
    } catch {
      // the server has stopped, or will answer again soon
    }
    setTimeout(ask, 1000);
  }

  ask();
})();
