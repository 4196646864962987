/* Tables and formulas of every page: boxes that scroll, headings that sort, rows that can be
 * filtered.
 *
 * A classic script without inline handlers or styles, so that it runs from file:// and under the
 * strict policy; without it, every table still has all its contents. Text from the address is
 * compared and written as text, never as markup.
 */
;(() => {
  "use strict"

  /** A box that scrolls can be reached by keyboard; `fits` marks boxes where nothing is cut off. */
  const measure = new ResizeObserver(changes => requestAnimationFrame(() => mark(changes)))

  function mark(changes) {
    const measured = changes.map(({ target: scroll }) => [
      scroll,
      scroll.firstElementChild.getBoundingClientRect().width <= scroll.clientWidth + 1,
    ])
    for (const [scroll, fits] of measured) {
      scroll.classList.toggle("fits", fits)
      if (fits) {
        for (const attribute of ["tabindex", "role", "aria-label"]) scroll.removeAttribute(attribute)
        continue
      }
      scroll.tabIndex = 0
      scroll.setAttribute("role", "region")
      scroll.setAttribute("aria-label", named.get(scroll))
    }
  }
  const named = new WeakMap()
  const called = new Map() // the number of boxes with each name

  function reachable(scroll, name) {
    const times = (called.get(name) ?? 0) + 1
    called.set(name, times)
    named.set(scroll, times > 1 ? `${name}, ${times}` : name)
    sight.observe(scroll)
  }

  /** What is not in sight yet is not laid out, so it cannot be measured. */
  const sight = new IntersectionObserver(
    entries => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue
        sight.unobserve(target)
        measure.observe(target)
      }
    },
    { rootMargin: "50%" }
  )

  /** Put a box around a data table. */
  function box(table) {
    let scroll = table.closest(".scroll")
    if (!scroll) {
      scroll = document.createElement("div")
      scroll.className = "scroll"
      table.replaceWith(scroll)
      scroll.append(table)
    }
    const name = table.caption ?? table.tHead?.rows[0]?.cells[0]
    reachable(scroll, name?.textContent.trim() || "table")
  }

  // ---------------------------------------------------------------- sorting

  /** The cell below a heading: cells may span two columns, and hidden ones do not count. */
  function cellAt(row, column) {
    let at = 0
    for (const cell of row.cells) {
      if (cell.hidden) continue
      if (column < at + cell.colSpan) return cell
      at += cell.colSpan
    }
    return undefined
  }

  /** The sort key of a cell: the number in its field or text, or else its text; data-value if
   *  that has all digits and nothing rewrites the cell. */
  const wordsOf = (node, without) =>
    [...node.childNodes]
      .filter(child => !child.matches?.(without))
      .map(child => child.textContent)
      .join("")
      .trim()

  function key(row, column) {
    const cell = cellAt(row, column)
    if (!cell) return ""
    const field = cell.querySelector("input, select")
    const own = cell.dataset.of === undefined ? cell.dataset.value : undefined
    const text = own ?? field?.value ?? wordsOf(cell.querySelector(".num") ?? cell, ".unit, .range")
    const number = Number(text.replace(/^[×+]|[,%\s\u2009\u202f]/g, "").replace("\u2212", "-"))
    return text === "" || Number.isNaN(number) ? text.toLowerCase() : number
  }

  /** Numbers before words, words in natural order, empty cells last in either direction. */
  function compare(a, b, falling) {
    if (a === "" || b === "") return (a === "") - (b === "")
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1
    const order =
      typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true })
    return falling ? -order : order
  }

  /** Rows with entries; totals and headings within the table stay in place. */
  const rowsOf = table =>
    [...table.tBodies].flatMap(body => [...body.rows]).filter(row => !row.matches(".total"))

  const DIRECTIONS = { ascending: "descending", descending: undefined }

  /** Turn headings of a table into buttons: ascending, descending, as published. */
  function sortable(table, changed) {
    const headings = [...table.tHead.rows[0].cells]
    const published = new Map(rowsOf(table).map((row, n) => [row, n]))

    function sort(heading, column, direction) {
      for (const other of headings) other.removeAttribute("aria-sort")
      if (direction) heading.setAttribute("aria-sort", direction)
      for (const body of table.tBodies) {
        const rows = [...body.rows].filter(row => published.has(row))
        const keys = new Map(rows.map(row => [row, direction ? key(row, column) : ""]))
        rows.sort(
          (a, b) =>
            compare(keys.get(a), keys.get(b), direction === "descending") ||
            published.get(a) - published.get(b)
        )
        body.append(...rows, ...body.querySelectorAll(":scope > .total"))
      }
    }

    let column = 0
    const sorts = headings.map(heading => {
      const at = column
      column += heading.colSpan
      return { heading, name: nameOf(heading), to: direction => sort(heading, at, direction) }
    })
    for (const { heading, to } of sorts) {
      const title = heading.textContent.trim()
      if (!title) continue
      const button = element("button", { type: "button", class: "sort" })
      // a link in the heading already has the button beside it
      if (heading.querySelector("a")) button.setAttribute("aria-label", `Sort by ${title}`)
      else button.append(...heading.childNodes)
      heading.append(button)
      button.addEventListener("click", () => {
        const now = heading.getAttribute("aria-sort")
        to(now ? DIRECTIONS[now] : "ascending")
        changed()
      })
    }
    return sorts
  }

  /** The name of a heading in the address: its words without the unit. */
  function nameOf(heading) {
    return wordsOf(heading, ".unit").toLowerCase().replace(/\s+/g, "-")
  }

  // ---------------------------------------------------------------- filtering

  function element(tag, attributes, ...content) {
    const made = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
    made.append(...content)
    return made
  }

  const MOST_CHOICES = 200

  /** A choice among the values of a column. */
  function choice(rows, heading, column) {
    const label = heading.textContent.trim()
    const values = [...new Set(rows.map(row => cellAt(row, column)?.textContent.trim() ?? ""))]
    values.sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    const options = values.filter(value => value !== "")
    if (options.length < 2 || options.length > MOST_CHOICES) return undefined
    const select = element("select", {}, element("option", { value: "" }, "all"))
    for (const value of options) select.append(element("option", { value }, value))
    return {
      name: nameOf(heading),
      field: select,
      label: element("label", {}, element("span", {}, label), select),
      knows: value => options.includes(value),
      holds: row => !select.value || cellAt(row, column)?.textContent.trim() === select.value,
    }
  }

  /** The filter above a long table: words that rows must contain, choices, and the number of
   *  rows shown. */
  function filtered(slot, table, changed) {
    const rows = rowsOf(table)
    const texts = new Map()
    const textOf = row => {
      if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase())
      return texts.get(row)
    }

    const input = element("input", { type: "search", autocomplete: "off", spellcheck: "false" })
    const words = {
      name: "filter",
      field: input,
      label: element("label", {}, element("span", {}, "Filter"), input),
      knows: () => true,
      holds: row => {
        const wanted = input.value.toLowerCase().split(/\s+/)
        return wanted.every(word => textOf(row).includes(word))
      },
    }
    const facets = []
    let column = 0
    for (const heading of table.tHead.rows[0].cells) {
      if (heading.dataset.facet !== undefined) {
        const made = choice(rows, heading, column)
        if (made) facets.push(made)
      }
      column += heading.colSpan
    }
    const parts = [words, ...facets]
    const count = element("output", {})
    const all = element("button", { type: "button" }, "show all")
    const told = element("span", { class: "count" }, count, " ", all)

    function apply(fault) {
      const shown = rows.filter(row => {
        row.hidden = !parts.every(part => part.holds(row))
        return !row.hidden
      })
      const some = shown.length < rows.length
      const number = some ? `${shown.length || "none"} of ${rows.length}` : `${rows.length}`
      count.textContent = [`${number} rows`, ...(fault ? [fault] : [])].join("; ")
      all.hidden = !some
    }

    for (const { field } of parts) {
      field.addEventListener("input", () => {
        apply()
        changed()
      })
    }
    all.addEventListener("click", () => {
      for (const { field } of parts) field.value = ""
      apply()
      changed()
      input.focus()
    })
    slot.append(...parts.map(({ label }) => label), told)
    return { parts, apply }
  }

  // ---------------------------------------------------------------- the address

  /** The address of a page with a single list contains its filter and order, so that a link
   *  shows what its sender saw. Pages of plans have other parameters. */
  function remembered(sorts, filter) {
    function write() {
      const query = new URLSearchParams()
      for (const { name, field } of filter.parts) if (field.value) query.set(name, field.value)
      for (const { heading, name } of sorts) {
        const direction = heading.getAttribute("aria-sort")
        if (direction) query.set("sort", direction === "descending" ? `-${name}` : name)
      }
      const text = query.toString()
      history.replaceState(null, "", `${location.pathname}${text && `?${text}`}${location.hash}`)
    }

    function read() {
      const query = new URLSearchParams(location.search)
      const faults = []
      for (const { name, field, knows } of filter.parts) {
        const value = query.get(name) ?? ""
        if (knows(value) || !value) field.value = value
        else faults.push(`no ${name} “${value.slice(0, 40)}”`)
      }
      const [, falling, wanted] = /^(-?)(.*)$/s.exec(query.get("sort") ?? "")
      const found = sorts.find(({ name }) => name && name === wanted)
      if (found) found.to(falling ? "descending" : "ascending")
      else if (wanted) faults.push(`no column “${wanted.slice(0, 40)}” to sort by`)
      filter.apply(faults.join("; "))
    }

    read()
    return write
  }

  // ---------------------------------------------------------------- links that pages shorten

  /** A case opens on the front page with the job, which the page names once. Its cell says what it
   *  is, or else its row names the accelerator and its column the method. */
  const asked = document.querySelector("[data-job]")?.dataset
  for (const link of asked ? document.querySelectorAll("td > a:not([href])") : []) {
    const [cell, row] = [link.parentNode, link.closest("tr")]
    const method = asked.methods.split(",")[cell.cellIndex - 1]
    const gpu = row.querySelector("a[href]").pathname.match(/([^/]+)\.html$/)[1]
    const of = link.dataset.case ?? `method=${method}&gpu=${gpu}&gpus=${parseInt(link.textContent)}`
    link.setAttribute("href", `../../index.html?${of}&${asked.job}`)
  }

  /** Each line links to its place in the file that the page names once. */
  for (const line of document.querySelectorAll("a.edit:not([href])"))
    line.href = line.dataset.at
      ? line.closest("[data-edit]").dataset.edit + line.dataset.at
      : `${document.querySelector("a[data-lines]").href}#L${line.textContent.match(/\d+/)}`

  // ---------------------------------------------------------------- further scripts

  const assets = document.currentScript.src.replace(/[^/]*$/, "")

  const load = src =>
    new Promise((done, failed) => {
      const script = element("script", { src })
      script.addEventListener("load", done)
      script.addEventListener("error", failed)
      document.head.append(script)
    })

  // ---------------------------------------------------------------- the search

  /** Load the script and the index when a reader first goes to the field: as scripts, which even
   *  a page opened from a folder may load. */
  function searched(form) {
    const root = form.dataset.root
    const field = form.querySelector("input")
    let waiting
    const begin = () =>
      (waiting ??= Promise.all([load(`${assets}search.js`), load(`${root}search/index.js`)]).then(() => {
        const { attach, read } = globalThis.scalesheetSearch
        attach(form, read(globalThis.scalesheetIndex), root)
        form.dataset.ready = ""
      }))
    field.addEventListener("focus", begin)
    addEventListener("keydown", event => {
      const typing = event.target.closest?.("input, select, textarea, [contenteditable]")
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return
      if (!["/", "s", "f"].includes(event.key)) return
      event.preventDefault()
      field.focus()
    })
    form.addEventListener("submit", event => event.preventDefault())
  }

  // ---------------------------------------------------------------- the page

  for (const form of document.querySelectorAll("form.find")) searched(form)
  // a script of the page may draw charts later, on request
  if (document.querySelector("figure.chart, script[src$='/runtime.js'], [data-later]"))
    load(`${assets}charts.js`)

  const slots = document.querySelectorAll(".filter")
  const alone = slots.length === 1 && !document.querySelector(".what-if")

  for (const table of document.querySelectorAll("table.data")) {
    box(table)
    // the page's own script redraws and sorts it
    if (!table.tHead || table.matches(".drawn") || rowsOf(table).length < 2) continue
    let write = () => {}
    const slot = table.closest(".scroll").previousElementSibling
    const sorts = sortable(table, () => write())
    if (!slot?.matches(".filter")) continue
    const filter = filtered(slot, table, () => write())
    if (alone) write = remembered(sorts, filter)
    else filter.apply()
  }
  // the theme marks the button beside code as navigation, now and later, which it is not
  const plain = () => {
    for (const nav of document.querySelectorAll(".md-code__nav")) nav.setAttribute("role", "none")
  }
  for (const code of document.querySelectorAll("pre > code"))
    new MutationObserver(plain).observe(code.parentElement, { childList: true })
  for (const wide of document.querySelectorAll(".wide"))
    if (wide.firstElementChild) reachable(wide, "formula")
  // tables written in Markdown get their boxes from the theme once everything is loaded
  addEventListener("load", () => {
    for (const wrap of document.querySelectorAll(".md-typeset__scrollwrap"))
      reachable(wrap, wrap.querySelector("th")?.textContent.trim() || "table")
  })
})()
