// Switches push messages on this device on and off, on the page of settings.

const card = document.getElementById("push")
const form = document.getElementById("push-form")

/** The subscription of this browser, or null. */
async function current() {
  const worker = await navigator.serviceWorker.ready
  return worker.pushManager.getSubscription()
}

function fill(subscription) {
  const { endpoint, keys } = subscription.toJSON()
  form.elements.endpoint.value = endpoint
  form.elements.p256dh.value = keys?.p256dh ?? ""
  form.elements.auth.value = keys?.auth ?? ""
}

async function subscribe() {
  const worker = await navigator.serviceWorker.ready
  const key = card.dataset.key.replace(/-/g, "+").replace(/_/g, "/")
  const applicationServerKey = Uint8Array.from(atob(key), (letter) => letter.charCodeAt(0))
  await (await current())?.unsubscribe() // our key may have changed
  return worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
}

form.addEventListener("submit", async (event) => {
  const { value } = event.submitter
  if (value === "none" || form.dataset.ready) return
  event.preventDefault()
  event.stopPropagation()
  try {
    if (value === "on") fill(await subscribe())
    else {
      const subscription = await current()
      if (subscription) {
        fill(subscription)
        await subscription.unsubscribe()
      }
    }
  } catch {
    document.getElementById("push-denied").hidden = false
    return
  }
  form.dataset.ready = "1"
  form.requestSubmit(event.submitter)
})

if ("serviceWorker" in navigator && "PushManager" in window) {
  card.hidden = false
  const subscribed = Boolean(await current())
  document.getElementById("push-on").hidden = subscribed
  document.getElementById("push-off").hidden = !subscribed
}
