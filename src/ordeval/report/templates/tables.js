// Tables that people can use: a click on a heading sorts by it, and baselines stay below the models;
// rows are filtered, columns hidden, and what is seen is copied. Items of a cell open by a click.
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
const node = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

// What a table shows now, as rows of texts.
function seenIn(table) {
  const text = (cell) => {
    const copy = cell.cloneNode(true);
    for (const unseen of copy.querySelectorAll(".unseen")) unseen.remove();
    return copy.textContent.replace(/\s+/g, " ").trim();
  };
  return [...table.rows].filter((row) => !row.hidden)
    .map((row) => [...row.cells].filter((cell) => !cell.hidden).map(text));
}
// Whether each column that is seen is set flush left: names and words, not numbers.
const setLeft = (table) => [...table.tHead.rows[0].cells].filter((cell) => !cell.hidden)
  .map((cell) => cell.cellIndex === 0 || cell.classList.contains("words"));
// As the library writes them, which hands over what becomes of each character.
const LATEX = {{ latex }}, LATEX_PATTERN = new RegExp({{ latex_pattern }}, "g");
const COPIES = {
  Markdown: (rows, left) => {
    const line = (row) => `| ${row.map((x) => x.replace(/([\\`*_[\]<>~$|#]|&(?=#?\w+;))/g, "\\$1")).join(" | ")} |`;
    return [line(rows[0]), `|${left.map((x) => (x ? "---" : "---:")).join("|")}|`, ...rows.slice(1).map(line)].join("\n");
  },
  LaTeX: (rows, left) => {
    const text = (x) => x.replace(LATEX_PATTERN, (found) => LATEX[found]);
    const line = (row) => `${row.map((x) => `{${text(x)}}`).join(" & ")} \\\\`;
    return [`\\begin{tabular}{${left.map((x) => (x ? "l" : "r")).join("")}}`, "\\toprule", line(rows[0]), "\\midrule", ...rows.slice(1).map(line), "\\bottomrule", "\\end{tabular}"].join("\n");
  },
  CSV: (rows) => rows.map((row) => row.map((x) => (/[",]/.test(x) ? `"${x.replace(/"/g, '""')}"` : x)).join(",")).join("\n"),
};
// To the clipboard; where a page may not write to it, into a field to copy from.
async function copied(text, beside) {
  const said = beside.querySelector("[role=status]");
  beside.querySelector("textarea")?.remove();
  try {
    await navigator.clipboard.writeText(`${text}\n`);
    said.textContent = "Copied.";
  } catch {
    const field = node("textarea", { readonly: "", rows: 5, "aria-label": "To copy" });
    field.value = text;
    beside.append(field);
    field.select();
    said.textContent = "Copy it from here.";
  }
}

function addTools(table) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const filter = node("input", { type: "search", "aria-label": "Show rows that contain" });
  const columns = heads.slice(1).map((head, i) => {
    const box = node("input", { type: "checkbox" });
    box.checked = true;
    box.addEventListener("change", () => {
      for (const row of table.rows) row.cells[i + 1].hidden = !box.checked;
    });
    return node("label", {}, box, ` ${head.textContent.trim()}`);
  });
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  const tools = node("details", { class: "tools" }, node("summary", {}, "Filter, columns, copy"));
  const buttons = Object.entries(COPIES).map(([name, render]) => {
    const button = node("button", { type: "button" }, `Copy ${name}`);
    button.addEventListener("click", () => copied(render(seenIn(table), setLeft(table)), tools));
    return button;
  });
  tools.append(
    node("p", {}, node("label", {}, "Rows that contain ", filter)), node("p", {}, "Columns: ", ...columns),
    node("p", {}, ...buttons), node("p", { role: "status" }),
  );
  table.parentElement.after(tools);
}

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
  addTools(table);
}
for (const list of document.querySelectorAll("details.items")) {
  const button = node("button", { type: "button" }, "Copy ids");
  button.addEventListener("click", () => copied([...list.querySelectorAll("dt")].map((x) => x.textContent).join("\n"), list));
  list.querySelector("dl").before(button, node("span", { role: "status" }));
}
// A cell leads to its items: they open with their heading in view, from where the keyboard goes on.
function openItems(hash) {
  const list = document.getElementById(hash.slice(1));
  if (!list?.matches("details.items")) return null;
  list.open = true;
  return list;
}
for (const link of document.querySelectorAll("table.cells a")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    history.pushState(null, "", link.hash);
    const list = openItems(link.hash);
    list.scrollIntoView({ block: "start" });
    list.querySelector("summary").focus({ preventScroll: true });
  });
}
openItems(location.hash);
