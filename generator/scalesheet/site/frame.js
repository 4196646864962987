/* The common frame of pages: the header, and the lists that a folder shares. Without scripts, a
 * page has its path and its text. */
const frameLists = (() => {
  "use strict"
  const script = document.currentScript
  const up = script.getAttribute("src").replace(/assets\/frame\.js$/, "")
  const fill = text => text.replaceAll("{up}", up).replaceAll("{base}", up.slice(0, -1) || ".")
  script.insertAdjacentHTML("beforebegin", fill("{top}"))
  const topics = document.querySelectorAll(".md-header__topic .md-ellipsis")
  if (topics.length === 2)
    topics[1].textContent = document.title.replace(` - ${topics[0].textContent.trim()}`, "")

  const page = address => address.replace(/\/$/, "/index.html")

  /** Mark the page in the list; where the list covers the contents, they move below it. */
  function mark(list) {
    const link = [...list.querySelectorAll("a.md-nav__link[href]")].find(
      each => page(each.pathname) === page(location.pathname)
    )
    if (!link || link.closest(".md-nav__container")) return
    link.classList.add("md-nav__link--active")
    link.parentElement.classList.add("md-nav__item--active")
    addEventListener("DOMContentLoaded", () => {
      const contents = document.querySelector(".md-sidebar--secondary nav.md-nav")
      if (!contents?.querySelector("a")) return
      link.insertAdjacentHTML(
        "beforebegin",
        '<input class="md-nav__toggle md-toggle" type="checkbox" id="__toc">' +
          '<label class="md-nav__link md-nav__link--active" for="__toc"></label>'
      )
      link.previousElementSibling.append(link.textContent, icon())
      const copy = contents.cloneNode(true)
      copy.querySelector("ul").removeAttribute("data-md-component")
      link.after(copy)
    })
  }

  function icon() {
    const made = document.createElement("span")
    made.className = "md-nav__icon md-icon"
    return made
  }

  let beside = ""

  /** Insert the tabs at the script's place, before there is anything that they could move; the
   *  list is inserted beside the text once its place exists. */
  return {
    tabs(tabs, list) {
      document.currentScript.insertAdjacentHTML("beforebegin", tabs)
      beside = list
    },
    list() {
      const here = document.currentScript
      here.insertAdjacentHTML("beforebegin", beside)
      mark(here.previousElementSibling)
      here.remove()
    },
  }
})()
