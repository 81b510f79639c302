// Counts as people write them: rows of numbers, a printed array, a table of LaTeX or Markdown. The
// rules are those of ordeval/data/text/pasted_matrices.py, and the tests hold both to the same answers.
const NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$/;
const SEPARATORS = ["\t", "&", "|", ";", ","], TOTALS = ["total", "totals", "sum", "all", "σ", "∑"], SIZES = ["n", "count", "items"];
// A count beside its share: 12 (34%), 34% (12), 12 (34.5) or 34.5 (12), between blanks or alone.
const COUNT_AND_SHARE = /(?<![^ \t])(?:([0-9][0-9.,]*) ?\( ?[0-9][0-9.,]* ?% ?\)|[0-9][0-9.,]* ?% ?\( ?([0-9][0-9.,]*) ?\)|([0-9]+) ?\( ?[0-9]+[.,][0-9]+ ?\)|[0-9]+[.,][0-9]+ ?\( ?([0-9]+) ?\))(?![^ \t])/g;
const TWO_NUMBERS = /(?<![^ \t])[0-9]+ ?\( ?[0-9]+ ?\)(?![^ \t])/;
// An array may have a name and a function around it: x = np.array([[1, 2], [3, 4]], dtype=int64).
const ARRAY = /^[ \t\n]*(?:[A-Za-z_][A-Za-z0-9_.]*[ \t\n]*=[ \t\n]*)?(?:([A-Za-z_][A-Za-z0-9_.]*)[ \t\n]*\([ \t\n]*)?(?=\[|\([ \t\n]*\(|\{[ \t\n]*\{)/;
// Of any module and in any case; another function may turn the counts around or change them.
const FUNCTIONS = ["array", "asarray", "matrix", "tensor", "dataframe", "confusionmatrix"];
const GROUP = String.raw`\{(?:[^{}]|\{[^{}]*\})*\}`;
const LATEX_READ = [
  [/\\\\(?:\[[^\]\n]*\])?/g, "\x01"],  // the end of a row
  [/\\&/g, "\x02"],  // until the fields are split
  [/(?<!\\)%[^\n]*/g, ""],
  [new RegExp(String.raw`\\begin\{[^{}]*\}(?:\[[^\]]*\])?(?:${GROUP})?|\\end\{[^{}]*\}`, "g"), ""],
  [/\\(?:hline|toprule|midrule|bottomrule|centering|bfseries)(?![A-Za-z])/g, ""],
  [new RegExp(String.raw`\\(?:cline|caption|label|cellcolor(?:\[[^\]]*\])?|cmidrule(?:\([^()]*\))?)${GROUP}`, "g"), ""],
  [new RegExp(String.raw`\\multi(?:column|row(?:\[[^\]]*\])?)${GROUP}(?:${GROUP}|\*)`, "g"), ""],
  [/\\(?:diagbox|backslashbox)(?:\[[^\]]*\])?\{([^{}]*)\}\{([^{}]*)\}/g, "$1 / $2"],
  [/\\slashbox(?:\[[^\]]*\])?\{([^{}]*)\}\{([^{}]*)\}/g, "$1 or $2"],  // any way round
  [/\\(?:left|right)(?![A-Za-z])(?:\\.|.)|\\[[\]]|\{,\}|\\,/g, ""],
  [/\\[A-Za-z]+(?=\{)/g, ""],  // \textbf{26}: its braces go below
  [/(?<!\\)[${}]/g, ""],
  [/\\([%_#$])/g, "$1"],
];
const isNumber = (text) => NUMBER.test(text);
const trimmed = (text, letters) => {
  let start = 0, end = text.length;
  while (start < end && letters.includes(text[start])) start++;
  while (end > start && letters.includes(text[end - 1])) end--;
  return text.slice(start, end);
};
const alike = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
const refuse = (words) => { throw new Error(words); };

// The names of the levels, if they were there, and a square of texts that are numbers. Rows are the
// truth; turnedBy has the words that say so where they were columns in the text.
function readPasted(given) {
  const text = given.replace(/^\ufeff/, "").replace(/[\f\v\u00a0\u2000-\u200a\u202f\u3000]/g, " ").replace(/\r\n?/g, "\n");
  return /^[ \t\n]*\{[ \t\n]*("|\})/.test(text) ? pastedJson(text) : arranged(tableOf(linesOf(text)));
}
function pastedJson(text) {
  let found;
  try { found = JSON.parse(text); } catch { refuse("This starts like JSON but is not valid."); }
  const { counts } = found, names = found.levels ?? found.labels ?? found.scale ?? [];
  const table = Array.isArray(counts) && counts.length && counts.every((row) => Array.isArray(row));
  if (!Array.isArray(names) || !table) refuse('JSON must hold {"counts": [[...], ...]}, and may hold "levels".');
  return square(names.map((x) => fieldText(String(x))), counts.map((row) => row.map(String)));
}

// The rows of a text, each as it is written.
function linesOf(text) {
  const array = ARRAY.exec(text);
  if (array) {
    const name = array[1];
    if (name && !FUNCTIONS.includes(name.split(".").pop().toLowerCase())) refuse(`“${name.slice(0, 30)}” may change the counts: paste what it gives, not the call.`);
    const brackets = { "(": "[", "{": "[", ")": "]", "}": "]" };
    return rowsOfArray(text.slice(array[0].length).replace(/[(){}]/g, (x) => brackets[x]), name !== undefined);
  }
  if (text.includes("\\\\") || text.includes("\\begin{")) {
    const clean = LATEX_READ.reduce((x, [pattern, by]) => x.replace(pattern, by), text);
    return clean.split("\x01").map((x) => trimmed(x.replace(/\n/g, " "), " ")).filter(Boolean);
  }
  let found = text.replace(/[\u2502\u2503\u2551]/g, "|").split("\n").filter((x) => !/^([ \t|:+=\u2500-\u257f-]*|#+ .*|ConfusionMatrix of .*, rows truth, columns prediction)$/.test(x));
  if (found.length === 1) found = found[0].split(";");
  return found.filter((x) => trimmed(x, " ;\t")).map((x) => x.replace(/[ ;]+$/, ""));
}
// The rows of [[1, 2], [3, 4]] or of [1 2; 3 4]; other brackets have become these.
function rowsOfArray(text, inFunction) {
  let depth = 0, start = 0, place = 0, outside = "", rows = [];
  for (; place < text.length; place++) {
    const letter = text[place];
    depth += (letter === "[") - (letter === "]");
    if (depth > 2) refuse("There are brackets within brackets within brackets: not one matrix.");
    if (letter === "[") start = place + 1;
    else if (letter === "]" && depth === 1) rows.push(text.slice(start, place).replace(/\n/g, " "));
    else if (depth === 1) outside += letter;
    else if (depth === 0) break;
  }
  const after = inFunction ? /^[ \t\n]*(?:,[^[\]]*)?\][ \t\n;]*$/ : /^[ \t\n;,]*$/;
  if (depth || !after.test(text.slice(place + 1))) refuse("The brackets do not close where the matrix ends.");
  if (rows.length && trimmed(outside, " \t\n,;")) refuse("There is something between the rows in brackets.");
  if (!rows.length) rows = outside.replace(/\.\.\.[ \t]*\n/g, " ").split(/[;\n]/);
  return rows.map((row) => trimmed(row.includes('"') ? row : row.replace(/,/g, " "), " \t,")).filter(Boolean);
}

// The fields of each row, split at the separator that all rows share; and titles, which are words alone
// on a line, after so many lines of fields.
function tableOf(lines) {
  const separator = SEPARATORS.find((s) => {  // from some line on; titles may stand above
    const having = lines.map((line) => line.includes(s));
    return having[having.length - 1] && having.slice(having.indexOf(true)).every(Boolean);
  }) ?? " ";
  if (separator === ",") lines.forEach(refuseCommasWithin);
  const table = { fields: [], blanks: [], titles: [] };
  for (const line of lines) {
    const own = line.includes(separator) ? separator : " ";
    const found = own === " " ? splitAt(withoutShares(line), own) : splitAt(line, own).map(withoutShares), filled = found.filter(Boolean);
    if (filled.length === 1 && lines.length > 1 && !isNumber(filled[0])) table.titles.push([table.fields.length, filled[0]]);
    else if (filled.length) {
      table.fields.push(found);
      table.blanks.push(own === " ");
    }
  }
  return table;
}
// A text in which counts stand alone that had their share beside them.
function withoutShares(text) {
  const two = TWO_NUMBERS.exec(text);
  if (two) refuse(`“${two[0]}” does not say which number is the count: leave out the other.`);
  return text.replace(COUNT_AND_SHARE, (_, a, b, c, d) => a ?? b ?? c ?? d);
}
// Refuse 1,234 5 6, where commas do not separate the counts.
function refuseCommasWithin(line) {
  const blanks = splitAt(line, ",").map((x) => x.split(" ")).some((x) => x.length > 1 && x.every(isNumber));
  const found = blanks && /(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])/.exec(line);
  if (found) refuse(`“${found[0]}” has a comma within, and blanks separate the counts: write ${found[0].replaceAll(",", "")}.`);
}
function splitAt(line, separator) {
  let text = line, within = false;
  if (separator === "|") text = text.replace(/^[ \t]*\||\|[ \t]*$/g, "");
  if (separator === " ") text = text.replace(/\t/g, " ");
  const found = [""];
  for (const letter of text) {
    if (letter === '"') within = !within;
    if (letter === separator && !within) found.push("");
    else found[found.length - 1] += letter;
  }
  const texts = found.map(fieldText);
  return separator === " " ? texts.filter(Boolean) : texts;
}
// A field without quotation marks, and without what makes it bold in Markdown.
function fieldText(field) {
  const text = trimmed(field.replace(/\x02/g, "&").replace(/[ \t\n]+/g, " "), " ");
  const quoted = /^"(.*)"$/.exec(text), bold = /^(\*\*|\*|`)(.+)\1$/.exec(text);
  if (quoted) return trimmed(quoted[1].replace(/""/g, '"'), " ");
  return bold ? trimmed(bold[2], " ") : text;
}

// The counts of a table, without its names and sums.
function arranged(table) {
  const given = table.fields;
  if (!given.flat().some(isNumber)) {
    refusePercentages(given);
    refuse("There are no numbers where counts are needed.");
  }
  let fields = given, right = null, below = null;
  // Sizes are totals only where the numbers are sums; a name may begin each line.
  const isTotal = (x, lines) => TOTALS.includes(x.toLowerCase())
    || (SIZES.includes(x.toLowerCase()) && lines.every((y) => y.length > 2 && (endsInSum(y) || endsInSum(y.slice(1)))));
  while (fields.length > 1 && !fields[0].every(isNumber) && !fields[1].some(isNumber)) fields = fields.slice(1);  // titles
  const head = given.length - fields.length;
  const least = Math.min(...fields.map((x) => x.length));
  if (fields.length > 2 && isTotal(fields[fields.length - 1][0], columnsOf(fields.slice(1).map((x) => x.slice(-least))).slice(1))) {
    below = fields[fields.length - 1].slice(1);
    fields = fields.slice(0, -1);
  }
  if (fields.length > 2 && isTotal(fields[0][fields[0].length - 1], fields.slice(1))) {
    right = fields.slice(1).map((row) => row[row.length - 1]);
    fields = fields.map((row) => row.slice(0, -1));
  }
  const { names, rows } = namesApart(fields), found = square(names, rows);
  refuseDotted(rows);
  for (const [said, what, lines] of [[right, "row", rows], [below, "column", columnsOf(rows)]]) {
    if (said) lines.forEach((line, i) => {
      const text = said[i] ?? "";
      if (!endsInSum([...line, text])) refuse(`The sum of ${what} ${i + 1} is ${sumOf(line)}, where the text has “${text}”.`);
    });
  }
  if (!right && !below && holdSums(rows)) refuse('The last row and the last column are the sums of the others: call them total or leave them out, or, if they are a level, write {"counts": [[...], ...]}.');
  refuseShares(rows);
  const sides = sidesOf(table, head, fields, found);
  return sides.turned() ? { names: found.names, rows: columnsOf(rows), turnedBy: sides.texts.join(", ") } : found;
}
// What is said beside the counts of where the truth is; head is their first line.
function sidesOf(table, head, fields, found) {
  const sides = new Sides(), names = found.names.map((x) => x.toLowerCase()), end = table.fields.length;
  const k = found.rows.length, tall = fields.length, wide = fields[tall - 1].length;
  table.fields.slice(0, head).forEach((line, at) => {
    const blanks = table.blanks[at];
    (blanks ? [line.join(" ")] : line).forEach((text, i) => sides.add(text, blanks || i ? "above" : "left"));
  });
  const among = table.titles.filter(([at]) => head + tall - k < at && at < end);
  if (among.every(([, text]) => sidesIn(text, "left").some(Boolean))) {  // else names, each above its counts
    for (const [at, text] of table.titles) {
      if (!names.includes(text.toLowerCase())) sides.add(text, head < at && at < end ? "left" : "above");
    }
  }
  if (tall > k && wide > k) {
    const left = sharedWords(fields.slice(1).map((row) => row[0])), above = sharedWords(fields[0].slice(-k));
    sides.add(left.filter((x) => !above.includes(x)).join(" "), "left");
    sides.add(above.filter((x) => !left.includes(x)).join(" "), "above");
    if (fields[0].length > k && !names.includes(fields[0][0].toLowerCase())) {
      // pandas has the name of the columns in the corner, and that of the rows below it.
      const over = table.titles.some(([at]) => at === head + 1);
      sides.addCorner(fields[0][0], over ? "above" : "left", table.blanks[end - 1]);
    }
  }
  return sides;
}
const columnsOf = (rows) => rows[0].map((_, j) => rows.map((row) => row[j]));
const sumOf = (line) => line.reduce((a, x) => a + Number(x), 0);
// Whether the last is the sum of those before it.
function endsInSum(line) {
  if (!line.every(isNumber)) return false;
  const sum = sumOf(line.slice(0, -1));
  return Math.abs(Number(line[line.length - 1]) - sum) <= 1e-9 * sum;
}
// Whether the last row and the last column of a square are sums of two or more levels.
const holdSums = (rows) => rows.length > 2 && rows.flat().some((x) => Number(x)) && rows.every(endsInSum) && columnsOf(rows).every(endsInSum);
// The names above and to the left, if there are any, and what remains.
function namesApart(fields) {
  const tall = fields.length, first = fields[0].length, every = (wide) => fields.slice(1).every((row) => row.length === wide);
  const begin = (rows) => rows.map((row) => row[0]), rest = (rows) => rows.map((row) => row.slice(1));
  if (tall > 2 && every(tall) && (first === tall - 1 || first === tall)) {
    const above = fields[0].slice(1 - tall), below = fields.slice(1), rows = rest(below);
    if ((first < tall || !isNumber(fields[0][0])) && goTogether(columnsOf([above, ...rows]), below)) {
      return { names: above.every(isNumber) ? begin(below) : above, rows };
    }
  } else if (tall > 2 && every(tall - 1) && first === tall - 1 && areNames(columnsOf(fields), "row")) {
    return { names: fields[0], rows: fields.slice(1) };
  } else if (tall > 1 && every(tall + 1) && first === tall + 1 && areNames(fields, "column")) {
    return { names: begin(fields), rows: rest(fields) };
  }
  return { names: [], rows: fields };
}
// Whether columns and rows both begin with the names of the levels.
function goTogether(columns, rows) {
  const above = columns.map((x) => x[0]), left = rows.map((x) => x[0]);
  if (alike(above, left)) return true;
  const words = ![...above, ...left].every(isNumber);
  if ((words || alike([...above].sort(), [...left].sort())) && (differInOrder(above, left) || differInOrder(bare(above), bare(left)))) {
    refuse("The names above and to the left are not in the same order.");
  }
  return words && areNames(columns, "row") && areNames(rows, "column");
}
// Whether a name to the left stands above in another place.
const differInOrder = (above, left) => left.some((x, i) => x && above.includes(x) && x !== above[i]);
// Names without regard to case, and without the words all of them have: pred low, pred high.
function bare(names) {
  const words = names.map((x) => x.toLowerCase().split(/[ _:=]+/));
  return words.map((own) => own.filter((x) => !words.every((others) => others.includes(x))).join(" "));
}
// Whether lines begin with words; or with numbers that rise one by one, as counts hardly do.
function areNames(lines, what) {
  const texts = lines.map((line) => line[0]), first = Number(texts[0]);
  if (!texts.every(isNumber)) return !texts.some((x) => /^[+-]?([0-9.,]+ *%|nan|inf)$/i.test(x));
  if (!texts.slice(1).every((x, i) => Number(x) - Number(texts[i]) === 1)) return false;
  // Two counts may rise by one, and the last of each line may be the sum of its counts.
  if ((texts.length === 2 && first !== 0 && first !== 1) || lines.every(endsInSum)) {
    refuse(`The first ${what} may be names or counts: write names in words, or leave out names and sums.`);
  }
  return true;
}
function refusePercentages(rows) {
  if (rows.flat().some((x) => /^([+-]?[0-9.,]+ *)?%$/.test(x))) refuse("These are percentages, but counts are needed. Multiply each share by the size of its class.");
}
// Refuse 1.234 where nothing tells a point between thousands from that of a fraction.
function refuseDotted(rows) {
  const pointed = rows.flat().filter((x) => x.includes("."));
  if (pointed.length && pointed.every((x) => /^[1-9][0-9]{0,2}\.[0-9]{3}$/.test(x))) {
    refuse(`“${pointed[0]}” may have a point between thousands, or be a fraction: write ${pointed[0].replace(".", "")} or ${pointed[0]}0.`);
  }
}
// Refuse fractions that sum to 1 or to 100 but for rounding, and whole numbers if each line sums to 100.
function refuseShares(rows) {
  const cells = rows.flat(), counted = cells.every((x) => Number.isInteger(Number(x)));
  const digits = Math.max(...cells.map((x) => (x.split(/[eE]/)[0].split(".")[1] ?? "").length));
  const sumTo = (whole, lines) => {
    const filled = lines.filter((line) => line.some((x) => Number(x)));
    return !(counted && filled.length < 2) && filled.every((line) =>
      Math.abs(sumOf(line) - whole) <= (counted ? 1 : line.length * 0.5 * 10 ** -digits + 1e-9));
  };
  for (const [whole, what] of [[1, "shares"], [100, "percentages"]].slice(counted ? 1 : 0)) {
    for (const [of, lines] of [["Each row", rows], ["Each column", columnsOf(rows)], ["The matrix", counted ? [] : [cells]]]) {
      if (sumTo(whole, lines)) refuse(`${of} sums to ${whole}: these are ${what}, but counts are needed. If they are counts, write {"counts": [[...], ...]}.`);
    }
  }
}
// A square of numbers, and a name for each level or none.
function square(names, rows) {
  refusePercentages(rows);
  if (rows.some((row) => row.length !== rows.length)) {
    const lengths = rows.slice(0, 12).map((row) => row.length).join(", ");
    refuse(`The counts must form a square, one row for each true level; the lengths of the rows: ${lengths}${rows.length > 12 ? ", ..." : ""}.`);
  }
  rows.forEach((row, i) => row.forEach((x) => { if (!isNumber(x)) refuse(`“${x.slice(0, 30)}” in row ${i + 1} is not a count.`); }));
  if (names.length && names.length !== rows.length) refuse(`There are ${names.length} names for ${rows.length} levels.`);
  const levels = names.map((x, i) => x || String(i + 1));
  levels.forEach((x, i) => { if (levels.indexOf(x) < i) refuse(`Two levels are called “${x.slice(0, 30)}”.`); });
  return { names: levels, rows, turnedBy: "" };
}

// Words beside a matrix that say which side is the truth; the rules are those of ordeval/data/text/matrix_sides.py.
const PREDICTION = ["prediction", "predictions", "predicted", "pred", "model", "forecast", "output"];
const TRUTH = ["reference", "actual", "true", "truth", "gold", "observed"];
const OF_ROWS = ["row", "rows", "↓", "downarrow"], OF_COLUMNS = ["column", "columns", "→", "rightarrow"];
// They may accompany the others without a meaning: predicted label, ground truth, y_pred.
const PLAIN = [
  "class", "classes", "label", "labels", "level", "levels", "value", "values", "grade", "grades",
  "ground", "standard", "y", "the", "are", "is", "in", "confusion", "matrix", "backslash",
];
const wordsOf = (text) => text.toLowerCase().replace(/([↓→])/g, " $1 ").split(/[^0-9a-z\u0080-\uffff]+/).filter(Boolean);
const meet = (a, b) => a.some((x) => b.includes(x));
// The words that all names have: pred, of pred low and pred high.
function sharedWords(names) {
  const [first, ...others] = names.map(wordsOf);
  return first.filter((x) => others.every((words) => words.includes(x)));
}
// The side that words name, if they name one and nothing else.
function sideOf(words) {
  const core = words.filter((x) => !OF_ROWS.includes(x) && !OF_COLUMNS.includes(x));
  if (!core.length) return "";
  return core.every((x) => PREDICTION.includes(x)) ? "prediction" : core.every((x) => TRUTH.includes(x)) ? "truth" : "";
}
// What a text in a place says of the left and of what is above; empty if it says nothing.
function sidesIn(text, place) {
  let words = wordsOf(text).filter((x) => !PLAIN.includes(x));
  if (!words.length && wordsOf(text).join("") === "label") words = ["truth"];
  const one = sideOf(words);
  if (one) {
    const rows = meet(OF_ROWS, words), left = rows !== meet(OF_COLUMNS, words) ? rows : place === "left";
    return left ? [one, ""] : ["", one];
  }
  // rows: truth, columns: prediction; or truth (rows), prediction (columns)
  const cuts = words.map((_, i) => i).slice(1), before = words.length > 0 && [...OF_ROWS, ...OF_COLUMNS].includes(words[0]);
  for (const cut of before ? cuts : cuts.reverse()) {
    const first = sideOf(words.slice(0, cut)), second = sideOf(words.slice(cut));
    if (first && second) return meet(OF_COLUMNS, words.slice(0, cut)) || meet(OF_ROWS, words.slice(cut)) ? [second, first] : [first, second];
  }
  return ["", ""];
}
// What the words to the left and above say, and the words.
class Sides {
  left = new Set();
  above = new Set();
  texts = [];
  add(text, place) {
    const [left, above] = sidesIn(text, place);
    if (left) this.left.add(left);
    if (above) this.above.add(above);
    if (left || above) this.texts.push(text);
  }
  addCorner(text, place, blanks) {
    const alone = !this.texts.length, [left, above] = sidesIn(text, place), words = wordsOf(text);
    this.add(text, place);
    // pandas prints the name of the columns there, too, if the rows have none.
    if ((blanks && alone && left === "prediction" && !above) || (!left && !above && meet(PREDICTION, words) && meet(TRUTH, words))) {
      if (!this.texts.length) this.texts = [text];
      this.refuse();
    }
  }
  refuse() {
    const words = this.texts.map((x) => x.slice(0, 30)).join(", ");
    refuse(`“${words}” does not say clearly which side is the truth: rows must be true levels and columns predicted ones. Write the matrix so, and leave these words out.`);
  }
  // Whether rows are predictions; contradictory words raise an error.
  turned() {
    if (this.left.size > 1 || this.above.size > 1 || [...this.left].some((x) => this.above.has(x))) this.refuse();
    return this.left.has("prediction") || this.above.has("truth");
  }
}
