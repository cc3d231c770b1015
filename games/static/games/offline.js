// Says when the network is away, keeps a form that was sent meanwhile and sends it later, and lets
// the service worker keep the last position.

const bar = document.getElementById("offline")
const worker = document.documentElement.dataset.worker
let waiting = null // the form that will be sent

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
    waiting = form
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
addEventListener("online", () => {
  show()
  const form = waiting
  waiting = null
  // The page may have been replaced: the server compares the version that this form was made for.
  if (!form) return
  if (!form.isConnected) document.body.append(form)
  form.hidden = true
  form.requestSubmit()
})

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
