// Shows one question at a time: answered ones become a line that unfolds, and what can be chosen on the
// board is listed only for those who ask for the list, or come to it with the keyboard.

const LISTS = "lists" // remembered for this window: show the lists, too

function fold() {
  const listed = sessionStorage.getItem(LISTS) !== null
  for (const field of document.querySelectorAll("#orders fieldset.field:not(.pay)")) {
    const button = field.querySelector(".unfold")
    button.hidden = !field.matches(".on-board")
    if (!button.hidden) unfold(field, listed)
  }
}

function unfold(field, open) {
  field.classList.toggle("unfolded", open)
  field.querySelector(".unfold").setAttribute("aria-expanded", String(open))
}

document.addEventListener("click", (event) => {
  const field = event.target.closest("#orders fieldset.field")
  if (!field) return
  if (event.target.closest(".unfold")) {
    const open = !field.classList.contains("unfolded")
    if (open) sessionStorage.setItem(LISTS, "")
    else sessionStorage.removeItem(LISTS)
    unfold(field, open)
  } else if (field.matches(".settled") && event.target.matches("input:checked"))
    unfold(field, !field.classList.contains("unfolded"))
})

// The sum follows each tile and card. What is ticked is confirmed once the server has answered.
document.addEventListener("change", ({ target }) => {
  const field = target.closest("#orders fieldset.pay")
  if (!field) return
  const ticked = [...field.querySelectorAll("input:checked")]
  const sum = ticked.reduce((all, { dataset }) => all + Number(dataset.worth), 0)
  field.querySelector(".chosen").textContent = sum
  field.querySelector(".missing").hidden = sum >= Number(field.dataset.due)
  const confirm = document.getElementById("confirm")
  if (confirm) confirm.disabled = true
})

// A list unfolds for the keyboard. It folds only after a click, which would otherwise miss its target.

let pressed = null // what the pointer is on

function settle() {
  for (const field of document.querySelectorAll("#orders fieldset.focused"))
    field.classList.toggle("focused", field.contains(document.activeElement))
}

function released() {
  setTimeout(() => {
    pressed = null
    settle()
  }, 100)
}

addEventListener("pointerdown", (event) => {
  pressed = event.target
})
addEventListener("pointerup", released)
addEventListener("pointercancel", released)
document.addEventListener("focusin", (event) => {
  const field = event.target.closest("#orders fieldset.field")
  if (!pressed) settle()
  if (!field?.contains(pressed)) field?.classList.add("focused")
})

for (const event of ["asked", "replaced", "choices"]) document.addEventListener(event, fold)
fold()

// Hints that were switched off go at once, and what was chosen stays.
document.addEventListener(
  "submit",
  (event) => {
    const hint = event.target.closest(".hint")
    if (!hint || !navigator.onLine) return
    event.preventDefault()
    event.stopPropagation()
    const body = new URLSearchParams(new FormData(event.target))
    fetch(event.target.action, {
      method: "POST",
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(15_000),
    }).catch(() => {}) // they come back with the next page
    hint.remove()
  },
  { capture: true },
)

// Keys for a turn: letters and numbers choose, Escape goes back, Enter confirms, ? explains.

const PATIENCE = 700 // milliseconds between the keys of one answer

let keys = ""
let timer = 0

const openPicks = () => {
  const fields = [...document.querySelectorAll("#orders fieldset.field.open")]
  const asked = fields.length ? fields : [...document.querySelectorAll("#orders fieldset.field")]
  return asked.flatMap((field) => [...field.querySelectorAll("input[type=radio]")])
}

const wordOf = (input) => input.value.toLowerCase().replaceAll(" ", "")

/** Add a key to the answer, and choose once it can only mean one choice. */
function type(key) {
  clearTimeout(timer)
  keys += key
  let fitting = openPicks().filter((input) => wordOf(input).startsWith(keys))
  if (!fitting.length) {
    keys = key // a new answer
    fitting = openPicks().filter((input) => wordOf(input).startsWith(keys))
  }
  if (!fitting.length) fitting = everyPick().filter((input) => wordOf(input) === keys)
  if (fitting.length === 1) return choose(fitting[0])
  const exact = fitting.find((input) => wordOf(input) === keys)
  timer = setTimeout(() => {
    keys = ""
    if (exact) choose(exact)
  }, PATIENCE)
}

/** Answered questions too: another figure may be named at any time. */
const everyPick = () => [...document.querySelectorAll("#orders fieldset.field input[type=radio]")]

function choose(input) {
  keys = ""
  if (input.checked) return
  input.checked = true
  input.dispatchEvent(new Event("change", { bubbles: true }))
}

document.addEventListener("keydown", (event) => {
  const help = document.getElementById("keys")
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || !help) return
  if (help.open || event.target.closest("textarea, select, summary, input:not([type=radio])"))
    return
  const onControl = event.target.closest("a[href], button, input")
  if (event.key === "?") help.showModal()
  else if (event.key === "Escape") document.getElementById("undo")?.click()
  else if (event.key === "Enter" && !onControl) document.getElementById("confirm")?.click()
  else if (/^[a-z0-9]$/i.test(event.key) && !event.shiftKey) type(event.key.toLowerCase())
  else return
  event.preventDefault()
})

document.addEventListener("click", (event) => {
  if (event.target.closest("#show-keys")) document.getElementById("keys").showModal()
})

/** On a device with a keyboard, offer the list of keys. */
function offer() {
  const button = document.getElementById("show-keys")
  if (button) button.hidden = !matchMedia("(hover: hover) and (pointer: fine)").matches
}

for (const event of ["asked", "replaced"]) document.addEventListener(event, offer)
offer()
