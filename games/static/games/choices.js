// Asks the questions of a turn without the server, from the legal moves that it fetches. Without
// them, the form of the page does the same more slowly.

import { keepPage } from "./app.js"

const COLOURS = ["question-1", "question-2", "question-3"]
let plain = null // the drawing on the page as the server sent it, without what can be chosen
let shown = null // its copy on the page

let tree = null // what the server sent; see games/web/choices.py
let here = 0 // the number of the node that is shown
let drawing = null // the board that is shown, as one of a tree
let coming = null // the promise of the moves that follow
let waiting = null // chooses once more when they are here; the last choice counts
let past = [] // what was shown before each choice
let note = "" // kept while there is nothing to confirm
const icons = new Map()

const orders = () => document.querySelector("#orders[data-choices]")
const copyOf = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true)

/** The legal moves from these answers on; null where the page has to do without. */
async function fetchMoves(query) {
  const section = orders()
  try {
    const answer = await fetch(section.dataset.choices + query, {
      signal: AbortSignal.timeout(15_000),
    })
    if (!answer.ok || answer.redirected) return null
    const found = await answer.json()
    if ("pressed" in document.documentElement.dataset)
      await new Promise((done) => document.addEventListener("released", done, { once: true }))
    const { version } = document.getElementById("table").dataset
    const current = section === orders() && String(found.version) === version
    return current && found.nodes[0] ? found : null
  } catch {
    return null // the form of the page goes on
  }
}

async function load() {
  tree = coming = waiting = drawing = null
  const { search } = location
  if (!orders() || new URLSearchParams(search).has("typed")) return
  const found = await fetchMoves(search)
  if (!found || tree || search !== location.search) return
  tree = found
  here = 0
  notify()
}

function lookAhead() {
  coming = null
  const from = tree
  const node = nodeNow()
  const end = here && node.fields.some(([, , ways]) => ways.includes(null))
  if (!end) return
  const mine = node.ahead ? Promise.resolve(node.ahead) : fetchMoves(`?${queryNow()}`)
  coming = mine.then((found) => {
    if (!found || tree !== from || nodeNow() !== node) return
    node.ahead = tree = found
    here = 0
    coming = null
  })
}

const nodeNow = () => tree.nodes[here]
const fieldAt = (at) => tree.fields[nodeNow().fields[at][0]]

/** The query of the page with the answers to the first questions, and one more. */
function queryOf(count, at = -1, pick = -1) {
  const query = new URLSearchParams(tree.hidden)
  nodeNow()
    .fields.slice(0, count)
    .forEach(([number, chosen]) => {
      const field = tree.fields[number]
      if (field.stamp) query.append(field.name, field.stamp)
      for (const index of chosen) query.append(field.name, field.picks[index][0])
    })
  if (at >= 0) query.append(fieldAt(at).name, fieldAt(at).picks[pick][0])
  return query
}

const queryNow = () => queryOf(nodeNow().fields.length)

/** Follow this choice; false where the server has to be asked. again: chooses once more. */
function choose(at, pick, again) {
  const to = nodeNow().fields[at][2][pick]
  const awaited = coming
  waiting = to === null && awaited ? again : null
  if (waiting)
    awaited.then(() => {
      if (waiting !== again) return // something else was chosen
      coming = null
      again()
    })
  if (waiting || to === here) return true
  past.push({ tree, here })
  if (to == null) return false // a payment has no branches
  here = to
  keepPage()
  render()
  lookAhead()
  return true
}

function undo() {
  if (!tree || !past.length) return false
  const before = past.pop()
  tree = before.tree
  here = before.here
  waiting = null
  keepPage()
  render()
  lookAhead()
  return true
}

function render() {
  const section = orders()
  const node = nodeNow()
  const focus = document.activeElement
  const place = focus?.id
  const form = section.querySelector("form.ask")
  for (const old of form.querySelectorAll(".field, input[type=hidden]")) old.remove()
  const hand = form.querySelector("#hand")
  const pays = (at) => fieldAt(at).kind === "pay"
  const asked = [...node.fields.keys()]
  hand.after(...asked.filter((at) => !pays(at)).map(questionOf))
  const holding = hand.querySelector(".holding")
  if (holding) holding.hidden = asked.some(pays)
  hand.append(...asked.filter(pays).map(paymentOf))
  for (const [name, value] of tree.hidden) {
    const input = Object.assign(document.createElement("input"), { type: "hidden", name, value })
    form.append(input)
  }
  renderHint(section, node)
  renderProblem(section, node)
  renderPreview(section, node)
  section.querySelector(".fresh").hidden = !past.length
  history.replaceState(null, "", `${tree.url}?${queryNow()}`)
  notify()
  if (place && !focus.isConnected) {
    const again = document.getElementById(place) ?? section.querySelector(".pick :checked")
    again?.focus({ preventScroll: true })
  }
}

/** A question as the server writes it; see templates/games/parts/question.html. */
function questionOf(at) {
  const [, chosen] = nodeNow().fields[at]
  const field = fieldAt(at)
  const fieldset = copyOf("blank-question")
  const onBoard = field.picks.some((pick) => pick[4].length)
  const settled = chosen.some((index) => field.picks[index][4].length || !onBoard)
  fieldset.className = `field ${settled ? "settled" : onBoard ? "open on-board" : "open"}`
  fieldset.querySelector("legend").append(field.prompt)
  fieldset.querySelector(".key").className = `key key-${onBoard ? colourOf(at) : ""}`
  const picks = fieldset.querySelector(".picks")
  picks.className = `picks ${field.style}`
  const blank = picks.querySelector(".pick")
  picks.replaceChildren(
    ...field.picks.map((pick, index) =>
      pickOf(blank, field.name, pick, index, chosen.includes(index)),
    ),
  )
  const help = fieldset.querySelector("small[id]")
  help.textContent = field.help
  help.id = `ask-${field.name}-help`
  if (field.help) fieldset.setAttribute("aria-describedby", help.id)
  else {
    help.remove()
    fieldset.removeAttribute("aria-describedby")
  }
  return fieldset
}

/** The own tiles and cards to pay with; see templates/games/parts/payment.html. */
function paymentOf(at) {
  const [, chosen] = nodeNow().fields[at]
  const { name, prompt, picks, due, stamp } = fieldAt(at)
  const fieldset = copyOf("blank-payment")
  fieldset.dataset.due = due
  fieldset.querySelector("legend").textContent = prompt
  Object.assign(fieldset.querySelector("input[type=hidden]"), { name, value: stamp })
  const coins = fieldset.querySelector(".coins")
  const blank = coins.querySelector(".pick")
  coins.replaceChildren(
    ...picks.map(([value, label, detail, icon, , worth, fixed], index) => {
      const coin = blank.cloneNode(true)
      coin.classList.toggle("fixed", fixed)
      const words = detail ? `${label} (${detail})` : label
      coin.title = words
      const input = coin.querySelector("input")
      const checked = chosen.includes(index)
      Object.assign(input, {
        name,
        value,
        id: `ask-${name}-${index + 1}`,
        checked,
        disabled: fixed,
      })
      input.dataset.worth = worth
      coin.htmlFor = input.id
      coin.querySelector("span").textContent = words
      if (icon) input.after(iconOf(icon))
      return coin
    }),
  )
  const paid = chosen.reduce((sum, index) => sum + picks[index][5], 0)
  fieldset.querySelector(".chosen").textContent = paid
  fieldset.querySelector(".due").textContent = due
  fieldset.querySelector(".missing").hidden = paid >= due
  return fieldset
}

function pickOf(blank, name, [value, label, detail, icon, elements], index, checked) {
  const pick = blank.cloneNode(true)
  pick.classList.toggle("marked", elements.length > 0)
  const input = pick.querySelector("input")
  Object.assign(input, { name, value, id: `ask-${name}-${index + 1}`, checked })
  pick.htmlFor = input.id
  const text = pick.querySelector("span")
  text.textContent = `${label} `
  if (detail) {
    const small = document.createElement("small")
    small.textContent = detail
    text.append(small)
  }
  if (icon) text.before(iconOf(icon))
  return pick
}

function iconOf(name) {
  if (!icons.has(name)) icons.set(name, drawn(tree.icons[name]))
  return icons.get(name).cloneNode(true)
}

const drawn = (svg) =>
  document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true)

function renderHint(section, node) {
  const form = section.querySelector(".hint")
  if (!form) return
  const names = node.fields.map(([number]) => tree.fields[number].name.replace(/\d+$/, ""))
  const name = names.findLast((one) => tree.hints[one])
  form.hidden = !name
  form.querySelector("span").textContent = tree.hints[name] ?? ""
}

function renderProblem(section, node) {
  for (const old of section.querySelectorAll(":scope > .problem, :scope > .notice")) old.remove()
  if (!node.problem) return
  const notice = Object.assign(document.createElement("div"), { className: "notice call" })
  notice.setAttribute("role", "status")
  notice.append(sentence("p", node.problem))
  section.querySelector("form.ask").after(notice)
}

function sentence(tag, text, className = "") {
  return Object.assign(document.createElement(tag), { textContent: text, className })
}

function renderPreview(section, node) {
  let form = section.querySelector("form.confirm")
  if (!node.line) return form?.remove()
  if (!form) {
    form = copyOf("blank-confirm")
    form.id = "preview"
    const field = form.querySelector("#note")
    if (field && note) {
      field.value = note
      field.closest("details").open = true
    }
    section.querySelector(".hint, .fresh").before(form)
  }
  form.elements.line.value = node.line
  form.setAttribute("action", `${form.getAttribute("action").split("?")[0]}?${queryNow()}`)
  const list = form.querySelector(".preview")
  list.replaceChildren(...node.preview.map((text) => sentence("li", text)))
  for (const old of form.querySelectorAll(":scope > .notice")) old.remove()
  form
    .querySelector(".more")
    .after(...node.warnings.map((text) => sentence("p", text, "notice call")))
  form.querySelector(".notation code").textContent = node.line
}

/** The number of a question among those that the board answers. */
const colourOf = (at) =>
  nodeNow()
    .fields.slice(0, at)
    .filter(([number]) => tree.fields[number].picks.some((pick) => pick[4].length)).length

function notify() {
  const node = nodeNow()
  const board = tree.boards[node.board]
  const links = new Map()
  node.fields.forEach(([, chosen], at) => {
    fieldAt(at).picks.forEach(([, , , , elements], pick) => {
      elements.forEach((element, nth) => {
        const query = queryOf(at, at, pick)
        links.set(element, {
          at,
          pick,
          href: `${tree.url}?${query}#orders`,
          colour: colourOf(at),
          chosen: chosen.includes(pick) && nth === 0,
        })
      })
    })
  })
  const svg = board === drawing ? null : drawn(board.map((part) => tree.parts[part]).join(""))
  drawing = board
  const detail = { board: svg, links, marks: node.marks ?? "" }
  showOnBoard(detail)
  document.dispatchEvent(new CustomEvent("choices", { detail }))
}

const hold = (event) => {
  event.preventDefault()
  event.stopPropagation()
}

document.addEventListener(
  "change",
  (event) => {
    const input = event.target
    if (!tree || !input.closest("form[data-ask]")) return
    const at = nodeNow().fields.findIndex(([number]) => tree.fields[number].name === input.name)
    const pick = at < 0 ? -1 : fieldAt(at).picks.findIndex(([value]) => value === input.value)
    const again = () => input.dispatchEvent(new Event("change", { bubbles: true }))
    if (pick >= 0 && choose(at, pick, again)) event.stopPropagation()
  },
  { capture: true },
)

document.addEventListener(
  "submit",
  (event) => {
    if (!tree || !event.target.matches("form[data-ask]")) return
    hold(event) // everything is answered already
    document.getElementById("confirm")?.focus()
  },
  { capture: true },
)

document.addEventListener(
  "click",
  (event) => {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey) return
    if (event.target.closest("#undo") && undo()) return hold(event)
    const link = tree && event.target.closest("#board a[data-at]")
    if (!link) return
    const { at, pick } = link.dataset
    const again = () =>
      link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }))
    if (choose(Number(at), Number(pick), again, link)) hold(event)
  },
  { capture: true },
)

document.addEventListener("input", (event) => {
  if (event.target.id === "note") note = event.target.value
})
document.addEventListener("asked", load) // the server has shown the form
document.addEventListener("replaced", () => {
  past = []
  load()
})
load()

/** Show on the board what can be chosen now, and what the choices so far would do. */
function showOnBoard(detail) {
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
}

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

function isLike(one, other) {
  return one?.cloneNode(false).isEqualNode(other.cloneNode(false))
}

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
