/* A page with an interactive answer loads the scripts that compute it on demand: by the button,
 * or for an address with a question. */
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
      script.async = false; // keeps their order
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
