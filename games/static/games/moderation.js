// Gives each cell of a list the heading of its column. A list that is wider than its window shows it
// instead of the row of headings. Without this script, such a list scrolls sideways.

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
  const box = list.parentElement
  const fit = () => {
    list.classList.remove("labelled")
    list.classList.toggle("labelled", box.scrollWidth > box.clientWidth)
  }
  addEventListener("resize", fit)
  fit()
}
