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
