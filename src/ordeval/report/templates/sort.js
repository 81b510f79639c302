// A click on a heading sorts by it; baselines stay below the models.
const numberIn = (text) => {
  const match = text.replace(/−/g, "-").replace(/,/g, "").match(/^[<>]?\s*([+-]?\d*\.?\d+)/);
  return match ? parseFloat(match[1]) : NaN;
};
const byValue = (a, b) => {
  const x = numberIn(a), y = numberIn(b);
  if (!isNaN(x) && !isNaN(y)) return x - y;
  if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
  return a.localeCompare(b);
};
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent;
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => {
      const low = a.classList.contains("baseline") - b.classList.contains("baseline");
      return low || (down ? -1 : 1) * byValue(value(a), value(b));
    });
    table.tBodies[0].append(...rows);
  }));
}
