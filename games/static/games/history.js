// A slider through the positions of a game, and a button that shows them one after another. The links
// beside it do the same without JavaScript.

import { fetchText, parsePage } from "./app.js"

const PAUSE = 1200 // milliseconds for which each position is shown
const PARTS = ["head", "board", "seats", "log"]

const pages = new Map() // address of a position → promise of its HTML
let playing = 0 // the number of the present run, 0 while none runs
let runs = 0
let wanted = null

const nav = () => document.querySelector(".position-nav[data-steps]")
const steps = () => nav().dataset.steps.split(" ")
const addressOf = (index) => nav().dataset.pattern.replace("/at/0/", `/at/${steps()[index]}/`)
const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds))

function pageOf(index) {
  const isWhole = document.querySelector("#log[data-whole]")
  const address = addressOf(index) + (isWhole ? "?log=all" : "")
  if (!pages.has(address)) {
    const page = fetchText(address)
    page.catch(() => pages.delete(address))
    pages.set(address, page)
  }
  return pages.get(address)
}

/** Add the slider and the button to the links; not beside a form, which would not fit to the past. */
function enhance() {
  const links = nav()
  if (!links || links.querySelector("input") || document.getElementById("orders")) return
  const row = document.createElement("p")
  row.className = "history"
  const button = document.createElement("button")
  button.type = "button"
  button.id = "history-play"
  button.className = "quiet"
  const slider = document.createElement("input")
  slider.type = "range"
  slider.id = "history-slider"
  slider.min = 0
  slider.max = steps().length - 1
  slider.value = links.dataset.number
  slider.setAttribute("aria-label", links.dataset.move)
  row.append(button, slider)
  links.append(row)
  label()
}

function label() {
  const button = document.getElementById("history-play")
  if (!button) return
  button.textContent = playing ? "■" : "▶"
  button.setAttribute("aria-label", playing ? nav().dataset.stop : nav().dataset.play)
  button.title = button.getAttribute("aria-label")
}

/** Show a position in place. */
async function show(index) {
  wanted = index
  let page
  try {
    page = parsePage(await pageOf(index))
  } catch {
    location.assign(addressOf(index))
    return false
  }
  if (wanted !== index) return true // the slider has moved on
  const focus = document.activeElement?.id
  const player = document.querySelector("#log .by :checked")?.id // whose lines are shown
  for (const id of PARTS) {
    const fresh = page.getElementById(id)
    if (fresh) document.getElementById(id)?.replaceWith(document.adoptNode(fresh))
  }
  if (player) document.getElementById(player)?.click()
  history.replaceState(null, "", addressOf(index))
  document.querySelector("[data-follow]")?.removeAttribute("data-follow")
  enhance()
  if (focus?.startsWith("history-")) document.getElementById(focus)?.focus({ preventScroll: true })
  return true
}

/** Show the positions from here to the last one. Return whether nothing else was chosen meanwhile. */
async function play() {
  const run = ++runs
  playing = run
  const last = steps().length - 1
  let index = Number(document.getElementById("history-slider").value)
  if (index >= last) index = -1
  label()
  while (playing === run && index < last) {
    index++
    const shown = show(index)
    if (index < last) pageOf(index + 1).catch(() => {})
    if (!(await shown)) return false
    await sleep(PAUSE)
  }
  const isOver = playing === run
  if (isOver) playing = 0
  label()
  return isOver
}

/** Play the moves since the reader's last one, then return to the table. */
async function replay() {
  await sleep(PAUSE)
  if (await play()) nav().querySelector("[rel=last]")?.click()
}

document.addEventListener("click", (event) => {
  if (event.target.id !== "history-play") return
  if (!playing) return play()
  playing = 0
  label()
})

document.addEventListener("input", (event) => {
  if (event.target.id !== "history-slider") return
  playing = 0
  const { dataset } = nav()
  event.target.setAttribute("aria-valuetext", `${dataset.move} ${event.target.value}`)
  show(Number(event.target.value))
})

new MutationObserver(enhance).observe(document.getElementById("main"), {
  childList: true,
  subtree: true,
})
enhance()
if (location.hash === "#replay") replay()
