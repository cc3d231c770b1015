// Shows on the board what can be chosen now, and what the choices so far would do; see choices.js.

const COLOURS = ["question-1", "question-2", "question-3"]

let plain = null // the drawing on the page as the server sent it, without what can be chosen
let shown = null // its copy on the page

document.addEventListener("choices", ({ detail }) => {
  if (detail.board) replace(detail.board)
  mark(detail.marks)
  for (const link of document.querySelectorAll("#board > svg a.target")) {
    const choice = detail.links.get(link.id)
    link.classList.remove(...COLOURS)
    link.classList.toggle("idle", !choice)
    link.classList.toggle("chosen", Boolean(choice?.chosen))
    for (const [name, value] of Object.entries(attributesOf(choice))) {
      if (value === null) link.removeAttribute(name)
      else if (link.getAttribute(name) !== String(value)) link.setAttribute(name, value)
    }
    if (choice?.colour) link.classList.add(`question-${Math.min(choice.colour, 3)}`)
  }
})

/** What the choices would do, on top of everything. */
function mark(svg) {
  const board = document.querySelector("#board > svg")
  board.querySelector(":scope > .marks")?.remove()
  if (!svg) return
  const group = `<g class="marks" aria-hidden="true" pointer-events="none">${svg}</g>`
  const whole = `<svg xmlns="http://www.w3.org/2000/svg">${group}</svg>`
  const drawn = new DOMParser().parseFromString(whole, "image/svg+xml").documentElement
  board.append(document.importNode(drawn.firstElementChild, true))
}

function attributesOf(choice) {
  if (!choice)
    return {
      href: null,
      "aria-current": null,
      "aria-hidden": "true",
      "data-at": null,
      "data-pick": null,
    }
  return {
    href: choice.href,
    "aria-current": choice.chosen ? "true" : null,
    "aria-hidden": null,
    "data-at": choice.at,
    "data-pick": choice.pick,
  }
}

/** Another drawing of the board; the keyboard stays where it is. */
function replace(board) {
  const old = document.querySelector("#board > svg")
  const focus = old.contains(document.activeElement) ? document.activeElement.id : ""
  if (old === shown && board.getAttribute("viewBox") === plain.getAttribute("viewBox"))
    patch(old, plain, board)
  else {
    shown = board.cloneNode(true)
    old.replaceWith(shown)
  }
  plain = board
  if (focus && document.activeElement.id !== focus)
    document.getElementById(focus)?.focus({ preventScroll: true })
}

const isLike = (one, other) => one?.cloneNode(false).isEqualNode(other.cloneNode(false))

/** Keep what is the same on both drawings: a whole board takes the browser twice as long. */
function patch(svg, drawing, board) {
  svg.querySelector(":scope > .marks")?.remove()
  const before = [...drawing.childNodes]
  const nodes = [...svg.childNodes]
  const places = new Map(before.map((node, index) => [node.id, index]))
  let from = 0 // what comes before has its counterpart
  const after = [...board.childNodes].map((next) => {
    // Elements with an id show the way; of the others the next equal one is meant.
    let at = next.id ? (places.get(next.id) ?? -1) : from
    while (!next.id && at < before.length && !before[at].id && !before[at].isEqualNode(next)) at++
    if (at < from || !before[at]?.isEqualNode(next)) {
      const group = !next.id && from
      if (next.id && at >= from) from = at + 1
      if (group === false || before[group]?.id || !isLike(before[group], next))
        return next.cloneNode(true)
      from = group + 1
      patch(nodes[group], before[group], next)
      return nodes[group]
    }
    from = at + 1
    return nodes[at]
  })
  const kept = new Set(after)
  for (const node of nodes) if (!kept.has(node)) node.remove()
  after.forEach((node, index) => {
    if (svg.childNodes[index] !== node) svg.insertBefore(node, svg.childNodes[index] ?? null)
  })
}
