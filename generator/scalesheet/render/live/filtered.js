/* The chart of predictions against published figures, filtered by accelerator, method and
 * family, with the errors of the remaining rows beside it. */
"use strict";

(() => {
  const figure = document.querySelector("[data-filtered]");
  if (!figure) return;
  const { filtered: task } = figure.dataset;
  const FACETS = ["Accelerator", "Method", "Family"];
  const dots = Array.from(figure.querySelectorAll("circle[data-off]"));
  const names = Array.from(figure.querySelectorAll("text.name"));
  const titles = JSON.parse(figure.dataset.titles);
  const controls = [];
  const said = document.createElement("p");
  said.className = "note";
  said.setAttribute("role", "status");
  const bar = document.createElement("div");
  bar.className = "narrow";

  const median = (all) => {
    const middle = Math.floor(all.length / 2);
    return all.length % 2 ? all[middle] : (all[middle - 1] + all[middle]) / 2;
  };

  function show() {
    const left = dots.filter((dot) =>
      controls.every((control, n) => !control.value || dot.getAttribute(`data-facet-${n}`) === control.value),
    );
    for (const dot of dots) dot.classList.toggle("off", !left.includes(dot));
    for (const name of names) name.classList.toggle("off", left.length < dots.length);
    const off = left.map((dot) => Number(dot.dataset.off)).sort((a, b) => a - b);
    const rows = `${off.length} row${off.length === 1 ? "" : "s"}`;
    const error = task === "loss" ? median(off)?.toFixed(3) : `×${median(off)?.toFixed(2)}`;
    said.textContent = off.length ? `${rows}, median error ${error}` : "No matching rows.";
  }

  FACETS.forEach((facet, n) => {
    const values = Array.from(new Set(dots.map((dot) => dot.getAttribute(`data-facet-${n}`)))).sort();
    const control = document.createElement("select");
    for (const value of ["", ...values]) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = value === "" ? "all" : (titles[value] ?? value);
      control.append(option);
    }
    control.addEventListener("change", show);
    const label = document.createElement("label");
    const name = document.createElement("span");
    name.textContent = facet;
    label.append(name, control);
    bar.append(label);
    controls.push(control);
  });
  figure.before(bar, said);
  show();
})();
