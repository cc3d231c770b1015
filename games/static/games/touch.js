// Taps on a crowded board in a small window. One that can mean only one thing chooses it; where pieces
// lie too close together, the board is enlarged there. It follows the turn: it shows closer where a
// chosen piece can go, and the whole board for the next question. A place to go to comes before the
// pieces that stand there. A piece can also be dragged to where it goes.

const SMALL = matchMedia("(max-width: 34rem), (max-height: 34rem)") // as in board.css
const FINGER = 22 // pixels around a tap
const APART = 24 // pixels between the middles of what two taps mean
const NEARER = 6 // pixels by which the chosen one has to be nearer than any other
const CLOSE = 0.36 // of the width of the board, where a tap enlarges it
const WIDEST = 0.6 // of the width of the board, from which the whole board is shown
const DRAG = 8 // pixels from which a touch is no tap
const PIECES = ".explorer, .ship, .serpent, .shark, .whale"

let zoomed = "" // the viewBox that was set here
let answered = new Set() // the questions that have an answer on the board
let news = false // whether the page has changed by itself since the last choice

document.documentElement.classList.add("crowded") // the whole board takes the taps; see board.css

const board = () => document.querySelector("#board > svg")
/** Whether this is on a board whose pieces a finger cannot tell apart. */
const isCrowded = (target) => SMALL.matches && target.closest("#board > svg:not(.zoomed)")
const look = (box) => document.dispatchEvent(new CustomEvent("window", { detail: { box } }))

/** The middle of what can be chosen, in pixels of the window. */
function placeOf(link) {
  const { left, top, width, height } = link.querySelector(".halo").getBoundingClientRect()
  return { link, x: left + width / 2, y: top + height / 2, width, height }
}

const far = (a, b) => Math.hypot(a.x - b.x, a.y - b.y)
const isOther = (a, b) => a.dataset.at !== b.dataset.at || a.dataset.pick !== b.dataset.pick

const click = (link) =>
  link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }))

/** What a tap on the whole board means; null where that is not clear. */
function meant(tap) {
  const places = [...document.querySelectorAll("#board a.target[data-at]")].map(placeOf)
  const [first, ...others] = places.sort((a, b) => far(a, tap) - far(b, tap))
  const clear = others.every(
    (place) =>
      !isOther(place.link, first.link) ||
      (far(place, first) >= APART && far(place, tap) - far(first, tap) >= NEARER),
  )
  return first && far(first, tap) <= FINGER && clear ? first.link : null
}

/** What the tap means on an enlarged board, if that is not what it has hit. */
function below({ x, y }, hit) {
  if (!answered.has(Number(hit.dataset.at))) return null
  const links = document
    .elementsFromPoint(x, y)
    .map((part) => part.closest("#board a.target[data-at]"))
  return links.find((link) => link && !answered.has(Number(link.dataset.at)))
}

/** Enlarge the board around pixels of the window: a middle, and a width and height to show. */
function enlarge({ x, y, width = 0, height = 0 }) {
  const svg = board()
  const whole = svg.getBoundingClientRect()
  const most = Math.max(CLOSE, width / whole.width, height / whole.height)
  if (most > WIDEST) return look(null)
  const at = svg.getScreenCTM()
  const wide = (whole.width / at.a) * most
  const tall = (whole.height / at.d) * most
  const middle = new DOMPoint(x, y).matrixTransform(at.inverse())
  look([middle.x - wide / 2, middle.y - tall / 2, wide, tall])
  zoomed = svg.getAttribute("viewBox")
}

document.addEventListener(
  "click",
  (event) => {
    if (!event.detail || event.metaKey || event.ctrlKey || event.shiftKey) return // by keyboard
    const tap = { x: event.clientX, y: event.clientY }
    const hit = event.target.closest("#board > svg a.target[data-at]")
    const other = hit && SMALL.matches && below(tap, hit)
    if (other) {
      event.preventDefault()
      event.stopImmediatePropagation()
      return click(other)
    }
    if (!isCrowded(event.target)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const link = meant(tap)
    if (link) click(link)
    else enlarge(tap)
  },
  { capture: true },
)

// The drawing shows already what can be chosen; see choices.js.
document.addEventListener("choices", ({ detail: { links } }) => {
  answered = new Set([...links.values()].filter(({ chosen }) => chosen).map(({ at }) => at))
  look() // a new drawing shows the same part
  const svg = board()
  const byHand = svg.matches(".zoomed") && svg.getAttribute("viewBox") !== zoomed
  const stays = byHand || (news && svg.matches(".zoomed"))
  news = false
  if (SMALL.matches) svg.style.touchAction = "none" // a finger drags pieces, or scrolls the page; see below
  if (dropped) {
    const { id, at } = dropped
    dropped = null
    setTimeout(() => drop(id, at))
  } else if (SMALL.matches && !drag?.going && !stays) show(links)
})
document.addEventListener("replaced", () => {
  news = true
})

/** Show closer where the chosen piece can go; the whole board where none is chosen. */
function show(links) {
  look(null) // what can be chosen is measured on the whole board
  if (!answered.size) return
  const places = [...links]
    .filter(([, { at }]) => !answered.has(at))
    .map(([element]) => placeOf(document.getElementById(element)))
  if (!places.length) return
  const left = Math.min(...places.map(({ x, width }) => x - width))
  const right = Math.max(...places.map(({ x, width }) => x + width))
  const top = Math.min(...places.map(({ y, height }) => y - height))
  const bottom = Math.max(...places.map(({ y, height }) => y + height))
  const [x, y] = [(left + right) / 2, (top + bottom) / 2]
  enlarge({ x, y, width: right - left, height: bottom - top })
}

// A piece that is dragged is chosen when it leaves its place, and goes where it is dropped.

let drag = null // the pointer, where it began, the id of the piece, whether it has left its place
let dropped = null // the piece and the point, while the moves that follow are fetched
let swipe = null // the pointer that scrolls the page, and where it is
let ended = false // whether the next click ends a drag

/** Where this piece, which is chosen, can be dropped at this point. */
function goalAt(id, at) {
  const piece = document.getElementById(id)
  if (!piece?.matches(".chosen")) return null
  const question = Number(piece.dataset.at)
  const goals = [...document.querySelectorAll("#board a.target[data-at]")]
    .filter((link) => Number(link.dataset.at) > question && !answered.has(Number(link.dataset.at)))
    .map(placeOf)
    .sort((a, b) => far(a, at) - far(b, at))
  const reach = goals.length && Math.max(FINGER, goals[0].width / 2)
  return goals.length && far(goals[0], at) <= reach ? goals[0].link : null
}

/** Let the piece go there; false where it cannot. */
function drop(id, at) {
  const goal = goalAt(id, at)
  if (goal) click(goal)
  return Boolean(goal)
}

function aim(goal) {
  for (const old of document.querySelectorAll("#board .aimed")) old.classList.remove("aimed")
  goal?.classList.add("aimed")
}

/** Draw the piece this far from its place, in pixels of the window. */
function carry(id, dx, dy) {
  const piece = document.getElementById(id)
  const scale = board().getScreenCTM().a
  if (piece) piece.style.translate = dx || dy ? `${dx / scale}px ${dy / scale}px` : ""
}

function letGo() {
  if (!drag) return
  carry(drag.id, 0, 0)
  aim(null)
  drag = null
}

addEventListener("pointerdown", (event) => {
  letGo()
  dropped = null
  ended = false
  const at = { x: event.clientX, y: event.clientY }
  const link = isCrowded(event.target) ? meant(at) : event.target.closest("#board > svg a")
  const svg = board()
  swipe = null
  if (!event.isPrimary || event.button) return
  if (link?.matches(PIECES) && link.dataset.at)
    drag = { pointer: event.pointerId, from: at, id: link.id, going: false }
  else if (svg?.style.touchAction && svg.contains(event.target) && !svg.matches(".zoomed"))
    swipe = { pointer: event.pointerId, from: at, y: at.y }
})

addEventListener(
  "pointermove",
  (event) => {
    const at = { x: event.clientX, y: event.clientY }
    if (swipe?.pointer === event.pointerId) {
      ended ||= far(at, swipe.from) >= DRAG
      if (ended) scrollBy({ top: swipe.y - at.y, behavior: "instant" })
      swipe.y = at.y
    }
    if (drag?.pointer !== event.pointerId) return
    if (!drag.going) {
      if (far(at, drag.from) < DRAG) return
      drag.going = ended = true
      click(document.getElementById(drag.id))
    }
    event.stopPropagation() // the board stays where it is
    carry(drag.id, at.x - drag.from.x, at.y - drag.from.y)
    aim(goalAt(drag.id, at))
  },
  { capture: true },
)

addEventListener("pointerup", (event) => {
  swipe = null
  if (drag?.pointer !== event.pointerId) return
  const { id, going } = drag
  const at = { x: event.clientX, y: event.clientY }
  letGo()
  if (going && !drop(id, at)) dropped = { id, at }
})
addEventListener("pointercancel", () => {
  swipe = null
  letGo()
})
addEventListener(
  "click",
  (event) => {
    if (!ended || !event.detail) return
    ended = false
    event.preventDefault()
    event.stopPropagation()
  },
  { capture: true },
)
