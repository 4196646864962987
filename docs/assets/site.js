/* What every page does for its tables and formulas: boxes that scroll, and headings that sort.

   A classic script without inline handlers or styles, so that it runs from file:// and under the
   strict policy; without it every table still says everything. */
;(() => {
  "use strict"

  /** A box that scrolls is reachable by keyboard; `fits` while nothing is cut off. */
  function reachable(scroll, content, name) {
    const measure = () => {
      const fits = content.getBoundingClientRect().width <= scroll.clientWidth + 1
      scroll.classList.toggle("fits", fits)
      if (fits) {
        for (const attribute of ["tabindex", "role", "aria-label"]) scroll.removeAttribute(attribute)
        return
      }
      scroll.tabIndex = 0
      scroll.setAttribute("role", "region")
      scroll.setAttribute("aria-label", name)
    }
    new ResizeObserver(measure).observe(scroll)
    measure()
  }

  /** A box around each data table. */
  function box(table) {
    let scroll = table.closest(".scroll")
    if (!scroll) {
      scroll = document.createElement("div")
      scroll.className = "scroll"
      table.replaceWith(scroll)
      scroll.append(table)
    }
    const heading = table.tHead?.rows[0]?.cells[0]
    const name = table.caption ?? heading
    reachable(scroll, table, name?.textContent.trim() || "table")
  }

  /** What a cell sorts by: its data-value, else its number, else its text. */
  function key(row, column) {
    const cell = row.cells[column]
    const text = cell?.dataset.value ?? cell?.textContent.trim() ?? ""
    const number = Number(text.replace(/[,\s\u2009\u202f]/g, ""))
    return text === "" || Number.isNaN(number) ? text.toLowerCase() : number
  }

  /** Numbers before words; words as a reader would file them. */
  function compare(a, b) {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1
    return typeof a === "number" ? a - b : a.localeCompare(b, "en")
  }

  /** Headings of a table.data.sortable become buttons. */
  function sortable(table) {
    const headings = [...table.tHead.rows[0].cells]
    headings.forEach((heading, column) => {
      const button = document.createElement("button")
      button.type = "button"
      button.className = "sort"
      button.append(...heading.childNodes)
      heading.append(button)
      button.addEventListener("click", () => {
        const falling = heading.getAttribute("aria-sort") === "ascending"
        headings.forEach(other => other.removeAttribute("aria-sort"))
        heading.setAttribute("aria-sort", falling ? "descending" : "ascending")
        for (const body of table.tBodies) {
          const rows = [...body.rows].filter(row => !row.classList.contains("total"))
          rows
            .map(row => [key(row, column), row])
            .sort(([a], [b]) => (falling ? compare(b, a) : compare(a, b)))
            .forEach(([, row]) => body.append(row))
          body.append(...body.querySelectorAll(":scope > .total"))
        }
      })
    })
  }

  for (const table of document.querySelectorAll("table.data")) {
    box(table)
    if (table.classList.contains("sortable") && table.tHead) sortable(table)
  }
  for (const wide of document.querySelectorAll(".wide"))
    if (wide.firstElementChild) reachable(wide, wide.firstElementChild, "formula")
})()
