// Shows on the board what can be chosen now, and what the choices so far would do; see choices.js.

const COLOURS = ["question-1", "question-2", "question-3"]

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
      else link.setAttribute(name, value)
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
  old.replaceWith(board)
  if (focus) document.getElementById(focus)?.focus({ preventScroll: true })
}
