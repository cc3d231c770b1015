// Taps on a crowded board in a small window. One that can mean only one thing chooses it; where pieces
// lie too close together, the board is enlarged there. It follows the turn: it shows closer where a
// chosen piece can go, and the whole board for the next question. A place to go to comes before the
// pieces that stand there. Without this, and until the moves are here, a tap leads to a part of the
// board, see the links of class "part".

const SMALL = matchMedia("(max-width: 34rem), (max-height: 34rem)") // as in board.css
const FINGER = 22 // pixels around a tap
const APART = 24 // pixels between the middles of what two taps mean
const NEARER = 6 // pixels by which the chosen one has to be nearer than any other
const CLOSE = 0.36 // of the width of the board, where a tap enlarges it
const WIDEST = 0.6 // of the width of the board, from which the whole board is shown

let zoomed = "" // the viewBox that was set here
let answered = new Set() // the questions that have an answer on the board

const board = () => document.querySelector("#board > svg")
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
    if (!event.target.closest("#board > svg a.part")) return
    const places = [...document.querySelectorAll("#board a.target[data-at]")].map(placeOf)
    if (!places.length) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const [first, ...others] = places.sort((a, b) => far(a, tap) - far(b, tap))
    const clear = others.every(
      (place) =>
        !isOther(place.link, first.link) ||
        (far(place, first) >= APART && far(place, tap) - far(first, tap) >= NEARER),
    )
    if (far(first, tap) > FINGER || !clear) enlarge(tap)
    else click(first.link)
  },
  { capture: true },
)

// The drawing shows already what can be chosen; see choices-board.js.
document.addEventListener("choices", ({ detail: { links } }) => {
  answered = new Set([...links.values()].filter(({ chosen }) => chosen).map(({ at }) => at))
  const svg = board()
  const byHand = svg.matches(".zoomed") && svg.getAttribute("viewBox") !== zoomed
  if (!SMALL.matches || !svg.querySelector(".part") || byHand) return
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
})
