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
