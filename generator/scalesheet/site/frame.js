/* The common frame of pages: the header, the lists that a folder shares, and what follows from a
 * page's headings: its table of contents, and a link at each heading. Without scripts, a page has
 * its path and its text. */
const frameLists = (() => {
  "use strict"
  const script = document.currentScript
  const up = script.getAttribute("src").replace(/assets\/frame\.js$/, "")
  const fill = text => text.replaceAll("{up}", up).replaceAll("{base}", up.slice(0, -1) || ".")
  script.insertAdjacentHTML("beforebegin", fill("{top}"))
  document.head.insertAdjacentHTML("beforeend", fill("{head}"))
  for (const [name, value] of Object.entries("{body}")) document.body.setAttribute(name, value)
  const topics = document.querySelectorAll(".md-header__topic .md-ellipsis")
  if (topics.length === 2)
    topics[1].textContent = document.title.replace(` - ${topics[0].textContent.trim()}`, "")

  const page = address => address.replace(/\/$/, "/index.html")

  /** Mark the page in the list, or its folder's index; where the list covers the contents, they
   *  move below it. */
  function mark(list) {
    const links = [...list.querySelectorAll("a.md-nav__link[href]")]
    const to = place => links.find(each => page(each.pathname) === page(place))
    const own = to(location.pathname)
    const link = own ?? to(location.pathname.replace(/[^/]*$/, ""))
    link?.classList.add("md-nav__link--active")
    if (!own || link.closest(".md-nav__container")) return
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

  const element = (name, classes, ...content) => {
    const made = document.createElement(name)
    made.className = classes
    made.append(...content)
    return made
  }

  /** A list of headings, each with those below it. */
  function listed(headings) {
    const list = element("ul", "md-nav__list")
    while (headings.length) {
      const [first] = headings.splice(0, 1)
      const next = headings.findIndex(each => each.tagName <= first.tagName)
      const below = headings.splice(0, next < 0 ? headings.length : next)
      const title = first.textContent.trim()
      const link = element("a", "md-nav__link", title)
      link.href = `#${first.id}`
      const item = element("li", "md-nav__item", link)
      if (below.length) {
        const inner = element("nav", "md-nav", listed(below))
        inner.ariaLabel = title
        item.append(inner)
      }
      list.append(item)
    }
    return list
  }

  /** Fill the table of contents, then give each heading its link. */
  function fillContents(contents) {
    const [title] = document.getElementsByTagName("h1")
    if (title) title.id ||= "__title"
    const headings = [...document.querySelectorAll("article :is(h1, h2, h3, h4, h5, h6)[id]")]
    document.querySelector(".md-skip")?.setAttribute("href", `#${title?.id ?? ""}`)
    const below = headings.filter(each => each.tagName !== "H1")
    if (below.length) {
      const label = element("label", "md-nav__title", icon(), "Table of contents")
      label.htmlFor = "__toc"
      const list = listed(below)
      list.dataset.mdComponent = "toc"
      list.dataset.mdScrollfix = ""
      contents.append(label, list)
    }
    for (const each of headings) {
      const link = element("a", "headerlink", "¶")
      link.href = `#${each.id}`
      link.title = "Permanent link"
      each.append(link)
    }
  }

  const contentsOf = hidden =>
    `<div class="md-sidebar md-sidebar--secondary" data-md-component="sidebar" data-md-type="toc"${hidden ? " hidden" : ""}>` +
    '<div class="md-sidebar__scrollwrap"><div class="md-sidebar__inner">' +
    '<nav class="md-nav md-nav--secondary" aria-label="Table of contents"></nav></div></div></div>'

  const icon = () => element("span", "md-nav__icon md-icon")

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
      here.insertAdjacentHTML("beforebegin", beside + contentsOf(here.hidden))
      const contents = here.previousElementSibling
      addEventListener("DOMContentLoaded", () => fillContents(contents.querySelector("nav")))
      mark(contents.previousElementSibling)
      here.remove()
    },
    /** The theme's script, which follows, finds the parts of a page by these names. */
    end() {
      for (const name of ["container", "main", "content"])
        document.querySelector(`.md-${name}`)?.setAttribute("data-md-component", name)
    },
  }
})()
