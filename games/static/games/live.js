// Keeps an open page up to date. A stream says that something changed; then the page is fetched and
// its new state is shown: moves one after the other, then the new question. Without a stream the page
// asks now and then. What somebody has typed or chosen stays.

import { fetchPage } from "./app.js"

const PAUSE = 1100 // milliseconds for which each of several moves is shown
const MOST_MOVES = 5 // then the first ones are left out
const TYPING = 1500 // milliseconds after a key, before the page may change under it
const SILENCE = 50_000 // without a sign of life the stream is lost; one comes every 20 seconds
const PRESENT = 40_000 // players say this often that the table is in front of them; see TablePresence
const STREAMS = 4 // of one browser: with HTTP/1.1 it has six connections for all its pages

const followed = () => document.querySelector("[data-follow]")
const moving = matchMedia("(prefers-reduced-motion: no-preference)")

let stamp = followed()?.dataset.stamp
const offered = followed()?.dataset.events // the address of a stream
let stream = null
let opening = false
let alive = 0 // when the stream was heard last
let asked = 0 // when the page asked last
let typed = 0
let updating = false
let again = false
const drafts = new Map() // what was typed, by the id of the field

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds))

/** Ask for the stamp of the page, and for the address of a stream. */
async function look() {
  const root = followed()
  if (!root || !navigator.onLine) return
  asked = Date.now()
  let found
  try {
    const answer = await fetch(root.dataset.follow, {
      headers: { Accept: "application/json" },
      signal: AbortSignal.timeout(10_000),
    })
    if (!answer.ok || answer.redirected) return
    found = await answer.json()
  } catch {
    return // offline, or the server restarts: the next round tries again
  }
  if (found.events && !stream && !opening) open(found.events)
  heard(found.stamp)
}

function heard(news) {
  if (news !== stamp) update()
}

/** Open the stream if this browser has not got too many, and hold its place until it ends. */
async function open(address) {
  opening = true
  if (!navigator.locks) return connect(address, () => {})
  for (let place = 0; place < STREAMS; place++) {
    const free = await new Promise((resolve) => {
      navigator.locks.request(`stream-${place}`, { ifAvailable: true }, (lock) => {
        if (!lock) return resolve(null)
        return new Promise((leave) => resolve(leave))
      })
    })
    if (free) return connect(address, free)
  }
  opening = false
}

function connect(address, leave) {
  const source = new EventSource(address)
  stream = source
  opening = false
  alive = Date.now()
  const end = () => {
    source.close()
    leave()
    if (stream === source) stream = null
  }
  let opened = false
  const sign = () => {
    opened = true
    alive = Date.now()
    document.documentElement.dataset.live = "stream"
  }
  source.addEventListener("open", sign)
  source.addEventListener("alive", sign)
  source.addEventListener("renew", () => {
    end()
    look()
  })
  source.addEventListener("message", (event) => {
    sign()
    heard(event.data)
  })
  source.addEventListener("error", () => {
    if (source.readyState !== EventSource.CLOSED) return
    end()
    if (!opened && address === offered) look() // the page is from a cache, and its ticket is too old
  })
  source.addEventListener("lost", end)
}

setInterval(() => {
  const root = followed()
  if (!root) return stream?.dispatchEvent(new Event("lost"))
  if (stream && Date.now() - alive > SILENCE) stream.dispatchEvent(new Event("lost"))
  if (!stream) delete document.documentElement.dataset.live
  if (stream && !("present" in root.dataset)) return
  const pause = stream ? PRESENT : Number(root.dataset.seconds) * 1000
  if (!document.hidden && Date.now() - asked >= pause) look()
}, 1000)
addEventListener("online", look)
// A new page gets the focus as well.
addEventListener("focus", () => Date.now() - asked > 3000 && look())
addEventListener("pageshow", (event) => event.persisted && look())
addEventListener("pagehide", () => stream?.dispatchEvent(new Event("lost")))
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) look()
})

const isBusy = () =>
  Date.now() - typed < TYPING || document.querySelector("html[data-pressed], [data-live].busy")

/** The page as it is now, with the answers in its address, and the address. */
async function fetchPresent() {
  while (isBusy()) await sleep(200)
  const { search } = location
  const url = new URL(location.href)
  for (const part of document.querySelectorAll("[data-whole]")) url.searchParams.set(part.id, "all")
  const page = await fetchPage(url)
  // The page of a game needs style sheets that its lobby does not have.
  await Promise.all([...page.querySelectorAll("link[rel=stylesheet]")].map(adoptStyles))
  return { page, search }
}

async function update() {
  if (location.pathname.includes("/at/")) return // somebody looks at a past position
  if (updating) {
    again = true
    return
  }
  updating = true
  try {
    let present = await fetchPresent()
    const now = document.querySelector("[data-stamp]")
    if (!now || !present.page.querySelector("[data-stamp]")) return location.reload()
    endMessages()
    if (!document.hidden && moving.matches) await showMoves(now, present.page)
    while (isBusy() || present.search !== location.search) {
      if (present.search === location.search) await sleep(200)
      else present = await fetchPresent() // something was chosen in the meantime
    }
    const next = present.page.querySelector("[data-stamp]")
    if (!next) return location.reload()
    replace(now, next, present.page)
    stamp = document.hidden ? "" : next.dataset.stamp // fetched once more when somebody looks
  } catch {
    if (navigator.onLine)
      asked = 0 // the next round tries again
    else stamp = ""
  } finally {
    updating = false
  }
  if (again) {
    again = false
    look()
  }
}

/** Show what happened since the present version: each sentence, and each move on its board. */
async function showMoves(now, page) {
  const version = Number(now.dataset.version)
  const lines = [...page.querySelectorAll("#log li.line[id]")]
    .filter((line) => Number(line.id.slice(1)) > version)
    .filter((line) => !line.classList.contains("undone"))
    .reverse()
  for (const line of lines.slice(-MOST_MOVES)) {
    say(line)
    if (line === lines.at(-1)) return
    const move = line.querySelector("p > a")
    if (!move) {
      await sleep(PAUSE)
      continue
    }
    const board = document.querySelector("#board > svg")
    const then = (await fetchPage(move.href)).querySelector("#board > svg")
    if (!board || !then || document.querySelector("[data-live].busy")) return
    const fresh = document.adoptNode(then)
    board.replaceWith(fresh)
    slide(board, fresh)
    await sleep(PAUSE)
  }
}

function say(line) {
  const news = document.getElementById("news")
  if (!news) return
  const copy = line.querySelector("p").cloneNode(true)
  copy.querySelector("a")?.remove()
  news.textContent = copy.textContent.trim().replace(/\s+/g, " ")
  news.classList.add("shown")
}

/** Let what has moved between two drawings of the board slide to its new place. */
function slide(before, after) {
  if (!moving.matches) return
  for (const element of after.querySelectorAll("[id][transform]")) {
    const old = before.querySelector(`[id="${CSS.escape(element.id)}"]`)
    const to = element.transform.baseVal.consolidate()?.matrix
    const from = old?.transform?.baseVal.consolidate()?.matrix
    if (!to) continue
    if (!from) element.animate([{ opacity: 0 }, { opacity: 1 }], 500)
    else if (from.e !== to.e || from.f !== to.f) {
      const start = { translate: `${from.e - to.e}px ${from.f - to.f}px` }
      element.animate([start, { translate: "0 0" }], { duration: 700, easing: "ease-in-out" })
    }
  }
}

/** Put the new state in place of the old one; keep fields, focus and what is unfolded. */
function replace(now, next, page) {
  const board = now.querySelector("#board > svg")
  const focus = document.activeElement
  const place = focus?.id
  const range = focus?.matches("textarea, input[type=text]")
    ? [focus.selectionStart, focus.selectionEnd]
    : null
  keepDrafts(now)
  const player = now.querySelector("#log .by :checked")?.id // whose lines are shown
  const unfolded = [...now.querySelectorAll("details[open]")].map(nameOf).filter(Boolean)
  document.body.className = page.body.className
  now.replaceWith(document.adoptNode(next))
  document.title = page.title
  for (const icon of document.querySelectorAll("link[rel=icon]"))
    icon.href = page.querySelector("link[rel=icon]").href
  const header = page.querySelector(".top-row > .waiting")
  document.querySelector(".top-row > .waiting")?.remove()
  if (header) document.querySelector(".top-row > .brand").after(document.adoptNode(header))
  for (const details of next.querySelectorAll("details"))
    if (unfolded.includes(nameOf(details))) details.open = true
  restoreDrafts(next)
  if (player) document.getElementById(player)?.click()
  const fresh = next.querySelector("#board > svg")
  if (board && fresh) slide(board, fresh)
  if (!board && fresh) loadScripts(page)
  announce(next)
  const field = place && document.getElementById(place)
  if (field) {
    field.focus({ preventScroll: true })
    if (range) field.setSelectionRange(...range)
  }
  document.dispatchEvent(new Event("replaced"))
}

/** What the reader has done before is over when something else happens. */
function endMessages() {
  for (const list of document.querySelectorAll(".messages"))
    if (!list.querySelector(".error, .warning")) list.remove()
}

/** New messages that have been in the window are read: the newest of them says so. */
const reader = new IntersectionObserver(
  (entries) => {
    const shown = entries.filter((one) => one.isIntersecting).map((one) => one.target)
    const form = document.getElementById("seen")
    if (!form || !shown.length) return
    for (const line of shown) reader.unobserve(line)
    const last = shown.at(-1)
    const body = new FormData(form)
    body.set("newest", last.id.slice(1))
    fetch(form.action, {
      method: "POST",
      body,
      redirect: "manual",
      keepalive: true,
      signal: AbortSignal.timeout(10_000),
    })
    if (last.matches(":not(:last-child)")) return
    form.remove()
    document.querySelector(".counts [href='#unread']")?.remove()
    document.title = document.title.replace(/\(\d+\) /, "")
  },
  { rootMargin: "-40px 0px" },
)

function readOn() {
  for (const line of document.querySelectorAll("#unread ~ .line")) reader.observe(line)
}
readOn()
document.addEventListener("replaced", readOn)

/** What names a <details> on the old and on the new page. */
const nameOf = (details) => details.id || details.className

function announce(root) {
  const news = document.getElementById("news")
  const turn = root.querySelector(".turn, h2")
  if (!news || !turn) return
  const copy = turn.cloneNode(true)
  for (const other of copy.querySelectorAll("[aria-hidden=true]")) other.remove()
  const text = copy.textContent.trim().replace(/\s+/g, " ")
  const shown = news.classList.contains("shown")
  news.textContent = shown ? `${news.textContent} ${text}` : text
  if (shown) setTimeout(() => news.classList.remove("shown"), 4 * PAUSE)
}

function adoptStyles(link) {
  const has = [...document.querySelectorAll("link[rel=stylesheet]")].some((own) => {
    return own.getAttribute("href") === link.getAttribute("href")
  })
  if (has) return null
  const copy = document.importNode(link)
  return new Promise((done) => {
    copy.addEventListener("load", done)
    copy.addEventListener("error", done)
    document.head.append(copy)
  })
}

/** A game has scripts that its lobby does not have. They start with what is on the page. */
async function loadScripts(page) {
  for (const { src } of page.querySelectorAll("body > script")) await import(src)
}

const TEXTS =
  "textarea[id], input[id]:not([type=radio], [type=checkbox], [type=hidden], [readonly])"

function keepDrafts(root) {
  for (const field of root.querySelectorAll(TEXTS))
    if (field.value !== field.defaultValue) drafts.set(field.id, field.value)
    else drafts.delete(field.id)
}

/** Also drafts whose field was away for a while, as during the moves of others. */
function restoreDrafts(root) {
  for (const [id, text] of drafts) {
    const field = document.getElementById(id)
    if (!field || !root.contains(field)) continue
    field.value = text
    const details = field.closest("details")
    if (details) details.open = true
  }
}

document.addEventListener("input", (event) => {
  if (event.target.matches(TEXTS)) typed = Date.now()
})
document.addEventListener("submit", (event) => {
  // What is sent is no draft any more.
  if (event.target.method === "post")
    for (const field of event.target.querySelectorAll(TEXTS)) drafts.delete(field.id)
})
// Another script knows of a page that is newer than this one. Without a network the next round asks.
document.addEventListener("newer", () => {
  stamp = ""
  update()
})

// A new page brings the address of its stream, which begins with the stamp.
if (offered && navigator.onLine) {
  asked = Date.now()
  open(offered)
} else look()
