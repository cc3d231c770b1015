// Gives each cell of a list the heading of its column: small windows show it instead of the row of
// headings. Without this script, the list scrolls sideways there.

const list = document.querySelector("#result_list")
if (list) {
  const headings = [...list.tHead.rows[0].cells].map((cell) =>
    cell.querySelector(".text span, .text a")?.textContent.trim(),
  )
  for (const row of list.tBodies[0].rows) {
    for (const [at, cell] of [...row.cells].entries()) {
      if (headings[at]) cell.dataset.label = headings[at]
    }
  }
  list.classList.add("labelled")
}
