// Enhances pages that work without it; everything it shows comes from the server as a page.

document.documentElement.classList.add("js")

const LIVE = "[data-live]"
const SENDING = 5000 // milliseconds in which a form is not sent twice
let latest = 0
let draft = "" // the note, while the move form is replaced

// A choice is made when a key or a button is released. What is below it has to stay until then.

const HELD = 5000 // milliseconds after which nobody waits for the release
const CLICK = 100 // milliseconds after the release, in which its click arrives
const root = document.documentElement
let holding = 0

function press(event) {
  if (event.repeat) return
  root.dataset.pressed = ""
  clearTimeout(holding)
  holding = setTimeout(release, HELD)
}

function release() {
  clearTimeout(holding)
  holding = setTimeout(() => {
    delete root.dataset.pressed
    document.dispatchEvent(new Event("released"))
  }, CLICK)
}

for (const event of ["keydown", "pointerdown"]) addEventListener(event, press, { capture: true })
for (const event of ["keyup", "pointerup", "pointercancel", "blur"])
  addEventListener(event, release, { capture: true })

const released = () =>
  "pressed" in root.dataset &&
  new Promise((done) => document.addEventListener("released", done, { once: true }))

const TIMEOUT = 15_000 // milliseconds

/** The HTML of the page at this address; throws where there is none, or where it leads elsewhere. */
export async function fetchText(url) {
  const answer = await fetch(url, {
    // The server does not take for read what a page in the background fetches.
    headers: { Accept: "text/html", ...(document.hidden && { Purpose: "prefetch" }) },
    signal: AbortSignal.timeout(TIMEOUT),
  })
  if (!answer.ok || answer.redirected) throw new Error(answer.status)
  return answer.text()
}

export const parsePage = (text) => new DOMParser().parseFromString(text, "text/html")

/** The page at this address, under the conditions of `fetchText`. */
export const fetchPage = async (url) => parsePage(await fetchText(url))

/** Fetch a page and replace our live parts by its own. Keeps the focus. */
async function show(url, { push = true } = {}) {
  const mine = ++latest
  const parts = document.querySelectorAll(LIVE)
  for (const part of parts) part.classList.add("busy")
  let page
  try {
    page = await fetchPage(url)
  } catch {
    // Without a network the page stays as it is, and asks again later.
    for (const part of parts) part.classList.remove("busy")
    if (navigator.onLine) location.assign(url)
    else addEventListener("online", () => mine === latest && show(url, { push }), { once: true })
    return
  }
  await released()
  if (mine !== latest) return
  const next = page.getElementById("table")
  if (!next) {
    location.assign(url)
    return
  }
  if (next.dataset.version !== document.getElementById("table").dataset.version) {
    if (push) history.replaceState(null, "", url)
    for (const part of parts) part.classList.remove("busy")
    document.dispatchEvent(new Event("newer")) // live.js shows what has happened
    return
  }
  const focus = document.activeElement
  const place = focus && focus !== document.body ? focus.id || markOf(focus) : ""
  draft = document.getElementById("note")?.value ?? draft
  const open = [...document.querySelectorAll("#orders details[open]")].map((d) => d.className)
  parts.forEach((part) => {
    const fresh = page.getElementById(part.id)
    if (fresh) part.replaceWith(document.adoptNode(fresh))
    else part.classList.remove("busy")
  })
  open.forEach((name) => {
    const details = document.querySelector(`#orders details.${name}`)
    if (details) details.open = true
  })
  const field = document.getElementById("note")
  if (draft && field) {
    field.value = draft
    field.closest("details").open = true
  }
  if (push) history.replaceState(null, "", url)
  document.dispatchEvent(new Event("asked"))
  revealQuestion()
  const kept = place ? document.getElementById(place) : null
  const again = kept?.matches("a, button, input, textarea, summary")
    ? kept
    : place && document.querySelector(".pick :checked")
  if (again) again.focus({ preventScroll: true })
}

/** Do not replace our live parts by a page that is on its way: something was chosen after it. */
export function keepPage() {
  latest++
  for (const part of document.querySelectorAll(LIVE)) part.classList.remove("busy")
}

function markOf(element) {
  return element.closest("[id]")?.id || ""
}

function addressOf(form) {
  const url = new URL(form.action)
  url.search = new URLSearchParams(new FormData(form))
  return url.href
}

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-ask]")
  if (form) show(addressOf(form))
  if (event.target.closest("#filters")) {
    history.replaceState(null, "", addressOf(event.target.form))
    document.dispatchEvent(new Event("newer")) // live.js shows the list
  }
})

document.addEventListener("submit", (event) => {
  const form = event.target
  if (form.matches("form[data-ask], form[data-typed]")) {
    event.preventDefault()
    show(addressOf(form))
  } else if (form.method === "post") {
    // Ignore a second click, as the server would, but not for good: loading can be stopped.
    if (form.dataset.sent) return event.preventDefault()
    form.dataset.sent = "1"
    setTimeout(() => delete form.dataset.sent, SENDING)
  }
})

addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent
})

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey)
    return
  const link = event.target.closest("#board svg a, a[data-fresh]")
  if (link) {
    const href = link.getAttribute("href") || link.getAttribute("xlink:href")
    event.preventDefault()
    if (href) show(new URL(href, location.href).href) // what cannot be chosen has no address
    return
  }
  const more = event.target.closest("a[data-more]")
  if (more) {
    event.preventDefault()
    showMore(more.href)
    return
  }
  const copy = event.target.closest("[data-copy]")
  if (copy) copyField(copy)
})

/** Show the whole of a part, such as the log; what was chosen elsewhere on the page stays. */
async function showMore(url) {
  const { id } = document.querySelector(new URL(url).hash)
  try {
    const page = await fetchPage(url)
    const whole = document.adoptNode(page.getElementById(id))
    const player = document.querySelector("#log .by :checked")?.id // whose lines are shown
    document.getElementById(id).replaceWith(whole)
    if (player) document.getElementById(player)?.click()
    whole.querySelector("input, a, summary")?.focus({ preventScroll: true })
  } catch {
    location.assign(url)
  }
}

/** Past positions have a slider, but not beside a form: its script is loaded when it is needed. */
function loadSlider() {
  const nav = document.querySelector(".position-nav[data-script]")
  if (nav && !document.getElementById("orders")) import(nav.dataset.script)
}
document.addEventListener("replaced", loadSlider)
loadSlider()

const NARROW = matchMedia("(max-width: 61.99rem)") // as in table.css
let before = new Set() // the questions that were there before the last answer

/** In a form that scrolls by itself, show the questions that the last answer has brought, else the
 * preview or the last question; the own hand covers the upper edge. What stands before is shown whole
 * or not at all, and so is what follows: the form gets as high as that needs. */
function revealQuestion() {
  const orders = document.getElementById("orders")
  orders?.style.removeProperty("--rows")
  if (!orders) return
  const fields = [...orders.querySelectorAll("fieldset:not(.pay)")]
  const names = new Set(fields.map((field) => field.querySelector("input")?.name))
  const fresh =
    before.size && fields.find((field) => !before.has(field.querySelector("input")?.name))
  before = names
  if (orders.scrollHeight > orders.clientHeight) fitTo(orders, fields, fresh)
  revealChoice(orders)
}

function fitTo(orders, fields, fresh) {
  for (const picks of orders.querySelectorAll(".picks")) {
    const pick = picks.querySelector(".pick:has(:checked)")
    if (pick) picks.scrollLeft = pick.offsetLeft - (picks.clientWidth - pick.offsetWidth) / 2
  }
  const preview = orders.querySelector("#preview .preview, :scope > .notice")
  const newest = fresh || preview || fields.at(-1)
  if (!newest) return
  const hand = orders.querySelector("#hand").offsetHeight
  const start = orders.getBoundingClientRect().top + orders.clientTop - orders.scrollTop + hand
  const topOf = (row) => row.getBoundingClientRect().top - start - 4
  const rows = [
    ...orders.querySelectorAll(".asked, fieldset:not(.pay), #preview .preview, .notice"),
  ]
  const end = orders.scrollHeight
  const undo = orders.querySelector(".fresh:not([hidden])")
  const last = preview ? end : (undo ?? newest).getBoundingClientRect().bottom - start + hand
  const first = topOf(
    rows.find((row) => row === newest || last - topOf(row) <= orders.clientHeight),
  )
  const border = orders.offsetHeight - orders.clientHeight
  const fit = (height) => orders.style.setProperty("--rows", `${height + border}px`)
  fit(end - first)
  orders.scrollTop = first
  const actions = orders.querySelector(".confirm .actions")
  const button = actions?.getBoundingClientRect().top
  const covers = actions?.previousElementSibling.getBoundingClientRect().bottom > button
  const edge = covers ? button : orders.getBoundingClientRect().bottom - 1
  const line = NARROW.matches ? ".preview" : ".preview li" // there it is a few lines as a whole
  const parts = `${line}, .confirm > :not(.preview, .actions), .fresh, .hint, #show-keys, .typed`
  const tops = [...orders.querySelectorAll(parts)]
    .map((part) => part.getBoundingClientRect())
    .filter(({ top, bottom }) => top < edge && bottom > edge + 4)
    .map(({ top }) => top)
  if (tops.length) fit(orders.clientHeight - edge + Math.min(...tops))
}

/** Scroll the page as far as the form would cover what has been chosen on the board. */
function revealChoice(orders) {
  if (getComputedStyle(orders).position !== "sticky") return
  const places = [...document.querySelectorAll("#board > svg .chosen .halo")]
    .map((halo) => halo.getBoundingClientRect())
    .filter(({ height }) => height)
  if (!places.length) return
  const covered = Math.max(...places.map(({ bottom }) => bottom)) + 8
  const room = Math.min(...places.map(({ top }) => top)) - 8
  const below = covered - orders.getBoundingClientRect().top
  if (below > 0 && room > 0) scrollBy({ top: Math.min(below, room), behavior: "instant" })
}

/** What the reader does in the form may need its whole height again, such as a list that opens. */
for (const event of ["click", "keydown"]) {
  const release = ({ target }) => target.closest("#orders")?.style.removeProperty("--rows")
  document.addEventListener(event, release, true)
}

/** What unfolds in a form that scrolls by itself is not left below its edge. */
document.addEventListener("click", ({ target }) => {
  const details = target.closest("#orders summary")?.parentElement
  const reveal = () => {
    if (!details.open) return
    for (const part of [details, ...details.querySelectorAll("textarea")])
      part.scrollIntoView({ block: "nearest" })
  }
  details?.addEventListener("toggle", reveal, { once: true })
})

function showCopyButtons() {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false
}
document.addEventListener("replaced", showCopyButtons)
showCopyButtons()

async function copyField(button) {
  const field = document.getElementById(button.dataset.copy)
  field.select()
  try {
    await navigator.clipboard.writeText(field.value)
  } catch {
    document.execCommand("copy")
  }
  button.textContent = button.dataset.done
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  if (event.target.closest("input, textarea, select, summary")) return
  const id = { ArrowLeft: "step-back", ArrowRight: "step-forth" }[event.key]
  const step = id && document.getElementById(id)
  if (step) {
    event.preventDefault()
    step.click()
  }
})

// Once questions.js has folded the questions, which changes their heights.
document.addEventListener("DOMContentLoaded", revealQuestion)
for (const event of ["replaced", "choices"])
  document.addEventListener(event, () => queueMicrotask(revealQuestion))
// A page that asks for a code from an email has nothing else to do.
document.querySelector(".code-field input[name=code]")?.focus()
document.querySelectorAll("input[data-zone]").forEach((input) => {
  input.value = Intl.DateTimeFormat().resolvedOptions().timeZone || ""
})
