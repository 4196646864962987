/* A page whose answers can be changed loads the scripts that compute them when a reader asks: by the
 * button, or by an address that holds a question.
 */
"use strict";

(() => {
  const at = document.querySelector("[data-later]");
  if (!at) return;
  const folder = document.currentScript.src.replace(/[^/]*$/, "");
  const load = () => {
    button.remove();
    for (const name of at.dataset.later.split(",")) {
      const script = document.createElement("script");
      script.src = `${folder}${name}.js`;
      script.async = false; // in this order
      document.head.append(script);
    }
  };
  const button = document.createElement("button");
  button.type = "button";
  button.className = "later";
  button.textContent = "Change tokens, length, batch and hours";
  button.addEventListener("click", load);
  at.prepend(button);
  if (location.search && !new URLSearchParams(location.search).has("h")) load();
})();
