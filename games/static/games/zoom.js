// Zooms the board where it is: pinch, Ctrl and the wheel, + and −; a zoomed board is dragged.

const CLOSEST = 6 // times
const DRAG = 8 // pixels from which a touch is no tap

let shown = null // the visible part of the board, or null for all of it
let base = "" // the viewBox that it belongs to
let gesture = null
let dragged = false
const fingers = new Map()

const board = () => document.querySelector("#board > svg")
const boxOf = (text) => text.split(/[ ,]+/).map(Number)

/** The point of the board below a point of the window. */
function pointAt(svg, x, y) {
  return new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse())
}

/** Show this part of the board, at most all of it and inside it. */
function look(svg, [left, top, width, height]) {
  const [x, y, whole, tall] = boxOf(base)
  if (width >= whole * 0.99) shown = null
  else
    shown = [
      Math.min(Math.max(left, x), x + whole - width),
      Math.min(Math.max(top, y), y + tall - height),
      width,
      height,
    ]
  svg.setAttribute("viewBox", shown ? shown.map((n) => n.toFixed(1)).join(" ") : base)
  svg.classList.toggle("zoomed", shown !== null)
  const button = document.getElementById("zoom-whole")
  if (button) button.hidden = !shown
}

/** Zoom by a factor around a point of the window. */
function zoom(svg, factor, x, y) {
  const [, , whole] = boxOf(base)
  const [left, top, width, height] = shown ?? boxOf(base)
  const wide = Math.min(whole, Math.max(whole / CLOSEST, width / factor))
  const point = pointAt(svg, x, y)
  const part = wide / width
  look(svg, [
    point.x - (point.x - left) * part,
    point.y - (point.y - top) * part,
    wide,
    height * part,
  ])
}

/** Move the visible part by pixels of the window. */
function drag(svg, dx, dy) {
  const scale = svg.getScreenCTM().a
  const [left, top, width, height] = shown
  look(svg, [left - dx / scale, top - dy / scale, width, height])
}

/** A new drawing shows the same part. */
function adopt() {
  const svg = board()
  if (!svg || svg.dataset.zoomable) return
  svg.dataset.zoomable = "1"
  const own = svg.getAttribute("viewBox")
  if (own !== base) shown = null
  base = own
  look(svg, shown ?? boxOf(base))
}

// Others show a part of a board, or all of it (null).
document.addEventListener("window", ({ detail: { box } }) => {
  adopt()
  if (box !== undefined) look(board(), box ?? boxOf(base))
})

function middleOf(points) {
  const [a, b] = points
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, far: Math.hypot(a.x - b.x, a.y - b.y) }
}

document.addEventListener(
  "wheel",
  (event) => {
    const svg = event.target.closest?.("#board > svg")
    if (!svg || !(event.ctrlKey || event.metaKey || shown)) return
    event.preventDefault()
    zoom(
      svg,
      Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)),
      event.clientX,
      event.clientY,
    )
  },
  { passive: false },
)

document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest("#board > svg")) return
  fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
  if (fingers.size === 1) dragged = false
  gesture = fingers.size === 2 ? middleOf([...fingers.values()]) : null
})

document.addEventListener("pointermove", (event) => {
  const before = fingers.get(event.pointerId)
  const svg = board()
  if (!before || !svg) return
  const now = { x: event.clientX, y: event.clientY }
  if (fingers.size === 2 && gesture) {
    fingers.set(event.pointerId, now)
    const next = middleOf([...fingers.values()])
    zoom(svg, next.far / Math.max(1, gesture.far), next.x, next.y)
    if (shown) drag(svg, next.x - gesture.x, next.y - gesture.y)
    gesture = next
    dragged = true
  } else if (shown && (dragged || Math.hypot(now.x - before.x, now.y - before.y) > DRAG)) {
    drag(svg, now.x - before.x, now.y - before.y)
    fingers.set(event.pointerId, now)
    dragged = true
  }
})

for (const end of ["pointerup", "pointercancel"])
  document.addEventListener(end, (event) => {
    fingers.delete(event.pointerId)
    gesture = null
  })

// What ends a drag is no choice.
document.addEventListener(
  "click",
  (event) => {
    if (event.target.closest("#zoom-whole")) return look(board(), boxOf(base))
    if (!dragged || !event.target.closest("#board > svg")) return
    dragged = false
    event.preventDefault()
    event.stopImmediatePropagation()
  },
  { capture: true },
)
document.addEventListener("dragstart", (event) => {
  if (event.target.closest?.("#board > svg")) event.preventDefault()
})

document.addEventListener("keydown", (event) => {
  const factor = { "+": 1.4, "-": 1 / 1.4 }[event.key]
  const svg = board()
  if (!factor || !svg || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target.closest("textarea, select, input:not([type=radio])")) return
  const { left, top, width, height } = svg.getBoundingClientRect()
  zoom(svg, factor, left + width / 2, top + height / 2)
  event.preventDefault()
})

new MutationObserver(adopt).observe(document.getElementById("main"), {
  childList: true,
  subtree: true,
})
adopt()
