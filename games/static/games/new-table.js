// Says beside the button for a new table what the form is about to create, after each choice.

const form = document.getElementById("new-table")
const chosen = document.getElementById("chosen")

/** The words of what is chosen in a field: of the option, or of the label beside the box. */
function wordsOf(name) {
  const found = form.querySelectorAll(`[name="${name}"]:checked, [name="${name}"] > :checked`)
  return [...found].map((choice) => (choice.labels?.[0] ?? choice).textContent.trim())
}

form.addEventListener("change", () => {
  chosen.textContent = chosen.dataset.fields.split(" ").flatMap(wordsOf).join(" · ")
})
