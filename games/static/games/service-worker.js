// Keeps the last position of each table, the first page and the files that they need, so that they can
// be read without a network. The server says whose pages these are; the pages of anybody else, and
// of links that need no sign-in, are never kept. Shows push messages.

const READER = "Atlantis-Reader" // header: whose page it is, "nobody" for visitors
const FILES = "files-1"
const MOST_FILES = 60
const MOST_PAGES = 12

addEventListener("install", () => self.skipWaiting())
addEventListener("activate", (event) => event.waitUntil(self.clients.claim()))

addEventListener("fetch", (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== "GET" || url.origin !== location.origin) return
  if (url.pathname.startsWith("/static/")) event.respondWith(file(request))
  else if (isPage(request)) event.respondWith(page(event, request, url))
})

const isPage = (request) =>
  request.mode === "navigate" || request.headers.get("Accept") === "text/html"

/** Names of files change with their contents. */
async function file(request) {
  const found = await caches.match(request, { cacheName: FILES })
  if (found) return found
  const answer = await fetch(request)
  if (answer.ok && answer.type === "basic") {
    const copy = answer.clone()
    await keepFile(request, copy).catch(() => {}) // without space for it, the page has its file
  }
  return answer
}

async function keepFile(request, answer) {
  const kept = await caches.open(FILES)
  await kept.put(request, answer)
  for (const old of (await kept.keys()).slice(0, -MOST_FILES)) await kept.delete(old)
}

async function page(event, request, url) {
  let answer
  try {
    answer = await fetch(request)
  } catch (error) {
    const kept = request.mode === "navigate" && (await caches.match(url.origin + url.pathname))
    if (kept) return kept
    throw error
  }
  event.waitUntil(keep(answer.clone(), url))
  return answer
}

/** Keep the page of a reader; forget the pages of others. */
async function keep(answer, url) {
  const reader = answer.headers.get(READER)
  if (!reader) return
  const name = `reader-${reader}`
  for (const other of await caches.keys())
    if (other.startsWith("reader-") && other !== name) await caches.delete(other)
  if (reader === "nobody" || !answer.ok || answer.redirected || url.search) return
  const kept = await caches.open(name)
  const place = url.origin + url.pathname
  await kept.delete(place)
  await kept.put(place, answer)
  for (const old of (await kept.keys()).slice(0, -MOST_PAGES)) await kept.delete(old)
}

// -- push messages -----------------------------------------------------------------------

addEventListener("push", (event) => {
  const message = event.data.json()
  event.waitUntil(
    self.registration.showNotification(message.title, {
      body: message.body,
      tag: message.tag,
      icon: message.icon,
      data: { url: message.url },
    }),
  )
})

addEventListener("notificationclick", (event) => {
  event.notification.close()
  const url = new URL(event.notification.data.url, location.origin)
  if (url.origin === location.origin) event.waitUntil(visit(url))
})

async function visit(url) {
  for (const client of await self.clients.matchAll({ type: "window" }))
    if (new URL(client.url).pathname === url.pathname) return client.focus()
  return self.clients.openWindow(url)
}
