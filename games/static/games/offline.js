// Says when the network is away, keeps a form that was sent while it is away and sends it later, and lets
// the service worker keep the last position.

const bar = document.getElementById("offline")
const worker = document.documentElement.dataset.worker
const AGAIN = 5000 // milliseconds until a form that could not be sent is tried again
let waiting = null // the form that will be sent, and the button that sent it

function show() {
  const away = !navigator.onLine
  if (!bar) return
  bar.hidden = !away
  if (!away) return
  bar.querySelector(".waits").hidden = !waiting
  bar.querySelector(".stays").hidden = !!waiting
}

document.addEventListener(
  "submit",
  (event) => {
    const form = event.target
    if (navigator.onLine) return
    // Nothing can be fetched now; what is sent to the server waits, the page stays.
    event.preventDefault()
    event.stopImmediatePropagation()
    if (form.method !== "post") return
    waiting = { form, button: event.submitter }
    show()
  },
  { capture: true },
)

document.addEventListener(
  "click",
  (event) => {
    if (event.target.closest("#offline button")) {
      waiting = null
      show()
    }
  },
  { capture: true },
)

addEventListener("offline", show)
addEventListener("online", send)

/** Send what waits. A network that has only just come back may fail once more. */
async function send() {
  show()
  if (!waiting || !navigator.onLine) return
  const { form, button } = waiting
  waiting = null
  let answer
  try {
    answer = await fetch(form.getAttribute("action"), {
      method: "POST",
      body: new URLSearchParams(new FormData(form, button)),
      redirect: "manual",
      signal: AbortSignal.timeout(15_000),
    })
  } catch {
    waiting ??= { form, button }
    setTimeout(send, AGAIN)
    return
  }
  // The server compares the version that the form was made for: nothing is done twice.
  if (answer.type === "opaqueredirect") return showTable()
  if (!form.isConnected) document.body.append(form)
  form.hidden = true
  form.submit()
}

/** Leave this page when the next one can be fetched, so that no error takes its place. */
async function showTable() {
  try {
    const headers = { Accept: "text/html" }
    await fetch(location.pathname, { headers, signal: AbortSignal.timeout(15_000) })
  } catch {
    setTimeout(showTable, AGAIN)
    return
  }
  location.assign(location.pathname)
}

if ("serviceWorker" in navigator) {
  if (worker) navigator.serviceWorker.register(worker)
  else if ("visitor" in document.documentElement.dataset) forget()
}

/** Nobody is signed in here: keep nothing of anybody. */
async function forget() {
  for (const registration of await navigator.serviceWorker.getRegistrations())
    registration.unregister()
  for (const name of await caches.keys()) if (name.startsWith("reader-")) caches.delete(name)
}

show()
