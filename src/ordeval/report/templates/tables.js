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
    return copy.textContent.replace(/\s+/g, " ").replace(/(?<![\w.])\u2212(?=\d)/g, "-").trim();
  };
  return [...table.rows].filter((row) => !row.hidden)
    .map((row) => [...row.cells].filter((cell) => !cell.hidden).map(text));
}
// Whether each column that is seen is set flush left: names and words, not numbers.
const setLeft = (table) => [...table.tHead.rows[0].cells].filter((cell) => !cell.hidden)
  .map((cell) => cell.cellIndex === 0 || cell.classList.contains("words"));
// As the library writes them, which hands over what becomes of each character.
const LATEX = {{ latex }}, LATEX_PATTERN = new RegExp({{ latex_pattern }}, "g");
// About how wide a text is set, in points.
const PAPER = {{ paper }}, NARROW = new RegExp(PAPER.narrow), WIDE = new RegExp(PAPER.wide, "u");
const points = (text) => PAPER.size * [...text].reduce((sum, x) => sum + PAPER.shares[NARROW.test(x) ? 0 : WIDE.test(x) ? 2 : 1], 0);
// Booktabs tables that an A4 article has room for: long words are wrapped, other columns go below.
function inLatex(rows, left) {
  const text = (x) => x.replace(LATEX_PATTERN, (found) => LATEX[found]);
  const sum = (list) => list.reduce((a, b) => a + b + PAPER.gap, -PAPER.gap);
  let widths = left.map((_, j) => Math.max(...rows.map((row) => points(row[j]))));
  const wraps = widths.map((w, j) => left[j] && w > PAPER.wrapped && sum(widths) > PAPER.width);
  const room = (PAPER.width - sum(widths.map((w, j) => (wraps[j] ? 0 : w)))) / wraps.filter((x) => x).length;
  widths = widths.map((w, j) => (wraps[j] ? Math.floor(Math.max(room, PAPER.wrapped / 2)) : w));
  const kind = (j) => (wraps[j] ? `p{${widths[j]}pt}` : left[j] ? "l" : "r");
  const blocks = [[0]];
  for (let j = 1; j < left.length; j++) {
    const last = blocks[blocks.length - 1];
    if (last.length > 1 && sum([...last, j].map((i) => widths[i])) > PAPER.width) blocks.push([0, j]);
    else last.push(j);
  }
  const tabular = (block) => {
    const end = block.some((j) => wraps[j]) ? "\\tabularnewline" : "\\\\";
    const line = (row) => `${block.map((j) => `${wraps[j] ? "\\raggedright " : ""}{${text(row[j])}}`).join(" & ")} ${end}`;
    return [`\\begin{tabular}{${block.map(kind).join("")}}`, "\\toprule", line(rows[0]), "\\midrule", ...rows.slice(1).map(line), "\\bottomrule", "\\end{tabular}"].join("\n");
  };
  return `${PAPER.needs}\n{${PAPER.set}\n${blocks.map(tabular).join("\n\\par\\medskip\n")}\n\\par}`;
}
const COPIES = {
  Markdown: (rows, left) => {
    const line = (row) => `| ${row.map((x) => x.replace(/([\\`*_[\]<>~$|#]|&(?=#?\w+;))/g, "\\$1")).join(" | ")} |`;
    return [line(rows[0]), `|${left.map((x) => (x ? "---" : "---:")).join("|")}|`, ...rows.slice(1).map(line)].join("\n");
  },
  LaTeX: inLatex,
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
  button.addEventListener("click", () => copied([...list.querySelectorAll("dt > bdi")].map((x) => x.textContent).join("\n"), list));
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
// A picture that is wider than its place is reached and moved by the keyboard.
function reachPictures() {
  for (const picture of document.querySelectorAll(".svg")) {
    if (picture.scrollWidth > picture.clientWidth) picture.tabIndex = 0;
    else picture.removeAttribute("tabindex");
  }
}
reachPictures();
addEventListener("resize", reachPictures);
