// The explorer of one matrix. What is typed, pasted or comes with a link is text and stays text:
// elements are made here, and only by `make` and `draw`.
const home = document.getElementById("explore");
if (home) startExplorer(home);

function startExplorer(root) {
  const given = JSON.parse(root.dataset.given), facts = given.measures;
  const part = (name) => root.querySelector(`[data-part=${name}]`);
  const SVG = "http://www.w3.org/2000/svg";
  const make = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const draw = (tag, attributes, text = "") => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== "") made.textContent = text;
    return made;
  };
  const say = (text, wrong = false) => {
    part("status").textContent = text;
    part("status").className = wrong ? "wrong" : "";
  };
  const number = (x, digits = 4) => (Number.isFinite(x) ? x.toFixed(digits).replace("-", "−") : "–");
  const signed = (x) => (Number.isFinite(x) ? (x < 0 ? "−" : "+") + Math.abs(x).toFixed(4) : "–");
  const percent = (x) => (Number.isFinite(x) ? `${(100 * x).toFixed(x > 0 && x < 0.1 ? 1 : 0)}%` : "–");
  const short = (text, most = 14) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const amount = (x) => x.toLocaleString("en", { maximumFractionDigits: 2 });

  // The state: levels, counts row by row, and what the measures are compared with.
  const table = (levels, rows) => ({ levels: [...levels], k: levels.length, n: Float64Array.from(rows.flat()) });
  const models = given.models.map((m) => ({ name: m.name, intervals: m.intervals, ...table(m.levels, m.counts) }));
  let state = models[0], other = null, shows = "counts", here = 0, past = [], edited = -1;
  const uoc = facts.find((f) => f.name === "uoc_index"), oc = facts.find((f) => f.name === "oc_index"), usual = uoc.given.beta;
  const rowsOf = ({ n, k }) => Array.from({ length: k }, (_, i) => Array.from(n.slice(i * k, i * k + k)));

  const remember = (was) => {
    past.push(was);
    if (past.length > 200) past.shift();
  };
  const show = (next, words) => {
    if (next.k !== state.k) here = 0;
    state = next;
    edited = -1;
    build();
    say(words);
  };
  const change = (next, words = "") => {
    remember(state);
    show({ levels: next.levels, k: next.levels.length, n: next.n }, words);
  };

  // --- reading -----------------------------------------------------------------------------
  const isCount = (x) => x >= 0 && x <= Number.MAX_SAFE_INTEGER;
  const countOf = (text) => (isNumber(text) ? Number(text) : NaN);
  function checked(names, rows, written = rows) {
    const k = rows.length;
    if (k < 2 || k > given.most) throw new Error(`A matrix here has 2 to ${given.most} levels; this one has ${k}.`);
    written.forEach((row, i) => row.forEach((x) => {
      if (!isCount(countOf(x))) throw new Error(`“${short(x, 30)}” in row ${i + 1} is not a count: enter numbers from 0 to 2⁵³ are.`);
    }));
    const levels = names.length ? names : rows.map((_, i) => String(i + 1));
    return { levels, n: Float64Array.from(rows.flat().map(countOf)) };
  }
  function readLink() {
    const said = new URLSearchParams(location.hash.slice(1));
    if (!said.has("counts")) return null;
    const rows = said.get("counts").split(";").map((row) => row.split(","));
    let names = [];
    try {
      if (said.get("levels")) names = said.get("levels").split(",").map((x) => decodeURIComponent(x).trim());
    } catch { /* numbers then */ }
    const found = square(names, rows);
    return checked(found.names, found.rows);
  }
  function linkTo({ levels, n, k }) {
    const names = levels.map((x) => encodeURIComponent(encodeURIComponent(x))).join(",");
    const counts = rowsOf({ n, k }).map((row) => row.join(",")).join(";");
    return `${location.href.split("#")[0]}#counts=${counts}&levels=${names}`;
  }

  // --- the matrix ----------------------------------------------------------------------------
  let cells = [], tints = [];
  // What is there stays, and keeps the focus, unless there are more levels or fewer.
  function build() {
    if (cells.length !== state.k ** 2) {
      const within = part("matrix").contains(document.activeElement);
      buildTable();
      if (within) cells[here].focus();
    }
    nameLevels();
    drawn.clear();
    update();
  }
  function buildTable() {
    const { levels, k } = state, matrix = part("matrix");
    const corner = make("th", { scope: "col" }, "truth");
    const heads = levels.map(() => make("th", { scope: "col" }, make("bdi")));
    matrix.tHead.replaceChildren(make("tr", {}, corner, ...heads, make("th", { scope: "col" }, "all")));
    matrix.tBodies[0].replaceChildren(...levels.map((_, i) => {
      const name = make("input", { "aria-label": `Name of level ${i + 1}`, class: "level", "data-level": i });
      const join = i + 1 < k && k > 2 ? [make("button", { type: "button", "data-merge": i, title: "Merge with the level below" }, "merge ↓")] : [];
      const row = levels.map((_, j) => {
        const cell = make("input", { inputmode: "decimal", "data-cell": i * k + j, autocomplete: "off" });
        return make("td", { class: i === j ? "hit" : "" }, cell);
      });
      return make("tr", {}, make("th", { scope: "row" }, name, ...join), ...row, make("td", { class: "sum" }));
    }));
    const sums = levels.map(() => make("td", { class: "sum" }));
    matrix.tFoot.replaceChildren(make("tr", {}, make("th", { scope: "row" }, "all"), ...sums, make("td", { class: "sum" })));
    cells = [...matrix.querySelectorAll("[data-cell]")];
    tints = [];
  }
  function nameLevels() {
    const { levels } = state, matrix = part("matrix");
    matrix.querySelectorAll("thead bdi").forEach((head, i) => put(head, levels[i]));
    matrix.querySelectorAll("[data-level]").forEach((name, i) => {
      name.value = name.title = levels[i];
      name.size = Math.max(levels[i].length, 1);
    });
    matrix.querySelectorAll("[data-merge]").forEach((join, i) => join.setAttribute("aria-label", `Merge ${levels[i]} with ${levels[i + 1]}`));
    cells.forEach((cell, c) => cell.setAttribute("aria-label", cellName(c)));
  }
  // Nothing is touched that stays as it is: with 900 cells that is what takes the time.
  const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };
  function fill() {
    const { n, k } = state, rows = truthOf(n, k), columns = predictionOf(n, k), matrix = part("matrix");
    const sums = matrix.tFoot.rows[0].cells, locked = shows !== "counts";
    for (let c = 0; c < k * k; c++) {
      const i = Math.floor(c / k), j = c % k, share = n[c] / rows[i] || 0, cell = cells[c];
      const text = locked ? percent(n[c] / (shows === "rows" ? rows[i] : columns[j])) : String(n[c] % 1 ? Number(n[c].toPrecision(6)) : n[c]);
      const typed = document.activeElement === cell && countOf(cell.value.trim()) === n[c];
      if (cell.value !== text && (locked || !typed)) cell.value = text;
      if (cell.readOnly !== locked) cell.readOnly = locked;
      if (cell.ariaInvalid) cell.ariaInvalid = null;
      const tint = share ? `rgba(0, 114, 178, ${(0.36 * share).toFixed(3)})` : "";
      if (tints[c] !== tint) cell.parentElement.style.backgroundColor = tints[c] = tint;
    }
    for (let i = 0; i < k; i++) {
      put(matrix.tBodies[0].rows[i].lastElementChild, amount(rows[i]));
      put(sums[i + 1], amount(columns[i]));
    }
    put(sums[k + 1], amount(total(n)));
  }

  // --- the measures --------------------------------------------------------------------------
  function buildMeasures() {
    const head = ["measure", "value", "95% interval", "better", "one more item", ...(other ? [other.name, "difference"] : [])];
    const top = part("measures");
    top.tHead.replaceChildren(make("tr", {}, ...head.map((x) => make("th", { scope: "col" }, make("bdi", {}, x)))));
    top.tBodies[0].replaceChildren(...facts.map((f) => {
      const name = make("th", { scope: "row" }, make("b", {}, f.symbol), ` ${f.name}`, make("small", {}, f.about));
      const cells = head.slice(1).map(() => make("td"));
      cells[2].textContent = `${f.arrow} ${f.better}`;
      cells[2].append(make("small", {}, f.range));
      return make("tr", { "data-measure": f.name }, name, ...cells);
    }));
  }
  const values = (s) => facts.map((f) => measured(f, s.n, s.k));
  const better = (f, a, b) => {
    const apart = (x) => Math.abs(x - f.best);
    return Math.abs(apart(a) - apart(b)) < 1e-12 ? "" : apart(a) < apart(b) ? " better" : " worse";
  };
  // Values of different levels lie on different scales: their difference says nothing.
  const rival = () => (other && alike(other.levels, state.levels) ? other : null);
  function unlike() {
    if (!other || rival()) return "";
    const why = other.k === state.k
      ? `the levels here are called ${short(state.levels.join(", "), 60)}, those of “${short(other.name, 40)}” ${short(other.levels.join(", "), 60)}`
      : `this matrix has ${state.k} levels, “${short(other.name, 40)}” has ${other.k}`;
    return `No differences are shown: ${why}. Only matrices of the same levels can be compared.`;
  }
  function fillMeasures() {
    const { n, k, levels } = state, more = n.slice(), same = rival();
    more[here] += 1;
    const now = values(state), then = values({ n: more, k }), others = other ? values(other) : [];
    const rows = part("measures").tBodies[0].rows;
    facts.forEach((f, m) => {
      const cells = rows[m].cells;
      cells[1].textContent = number(now[m]);
      cells[2].textContent = Number.isNaN(now[m]) ? "–" : "…";
      cells[4].textContent = signed(then[m] - now[m]);
      if (other) {
        cells[5].textContent = number(others[m]);
        cells[6].textContent = same ? signed(now[m] - others[m]) + better(f, now[m], others[m]) : "–";
      }
    });
    put(part("unlike"), unlike());
    const at = `true ${levels[Math.floor(here / k)]}, predicted ${levels[here % k]}`;
    const whole = n.every((x) => x % 1 === 0);
    const based = given.basis || "Intervals assume independent items.";
    part("note").textContent = `One more item: how a value moves if one item joins the cell last visited (${at}). ${based}${whole ? "" : " They need whole counts."}${same ? " A difference has no interval here: two matrices do not say which items they share." : ""}`;
  }
  // A matrix as it stands in a report has the report's interval; there are no two for one value.
  function intervalOf(f, n, k) {
    const own = models.find((m) => m.n === n)?.intervals?.[f.name];
    if (own && (f !== uoc || uoc.given.beta === usual)) return { low: own[0], high: own[1], from: given.kind };
    const found = interval(f, n, k);
    return found && given.basis ? { ...found, from: "items independent" } : found;
  }
  // Intervals come after the values have been drawn, one by one, unless another change overtakes.
  let turn = 0;
  function fillIntervals(only = facts) {
    const mine = ++turn, { n, k } = state, queue = only.map((f) => [f, facts.indexOf(f)]);
    const next = () => {
      if (mine !== turn) return;
      const until = performance.now() + 8;
      while (queue.length && performance.now() < until) {
        const [f, m] = queue.shift(), found = intervalOf(f, n, k), cell = part("measures").tBodies[0].rows[m].cells[2];
        cell.textContent = found ? `[${number(found.low)}, ${number(found.high)}]` : "–";
        if (found?.from) cell.append(make("small", {}, found.from));
      }
      if (queue.length) setTimeout(next);
      else root.dataset.done = mine;
    };
    setTimeout(next);
  }

  // --- pictures --------------------------------------------------------------------------------
  const place = (name, width, height, words, children) => {
    const box = root.querySelector(`[data-picture=${name}]`);
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, xmlns: SVG, "font-size": 11, "font-family": "system-ui, sans-serif", fill: "currentColor" });
    svg.append(...children);
    box.setAttribute("aria-label", words);
    box.replaceChildren(svg);
  };
  const SIDE = 300, LEFT = 94, TOP = 30, drawn = new Map();
  // As much of a name as there is room for, once it stands in the page.
  const fit = ([node, text, room]) => {
    let most = 16;
    do put(node, short(text, most)); while (node.getComputedTextLength() > room && --most > 1);
  };
  // A picture of the table: made once for its levels, then only what changes is set.
  function heat(name, words, { shade, text, own }) {
    const { k } = state, size = SIDE / k;
    if (!drawn.has(name)) {
      const made = { squares: [], texts: [], own: draw("g", {}) }, names = [];
      state.levels.forEach((x, i) => {
        if (k > 20 && i % 5) return;
        const at = size * (i + 0.5);
        names.push([draw("text", { x: LEFT - 6, y: TOP + at + 4, "text-anchor": "end" }), x, LEFT - 6]);
        names.push([draw("text", { x: LEFT + at, y: TOP - 8, "text-anchor": "middle" }), x, k > 20 ? 5 * size : size - 4]);
      });
      for (let c = 0; c < k * k; c++) {
        const x = LEFT + size * (c % k), y = TOP + size * Math.floor(c / k);
        made.squares.push(draw("rect", { x, y, width: size, height: size, fill: "#0072b2", stroke: "currentColor", "stroke-opacity": 0.15 }));
        // In a corner, where the path does not pass.
        if (k <= 10) made.texts.push(draw("text", { x: x + size - 3, y: y + 11, "text-anchor": "end", "font-size": k > 7 ? 8 : 10 }));
      }
      drawn.set(name, made);
      place(name, 400, 340, words, [...names.map(([node]) => node), ...made.squares, ...made.texts, made.own]);
      names.forEach(fit);
    }
    const made = drawn.get(name);
    made.squares.forEach((square, c) => {
      const tint = shade(c).toFixed(3);
      if (square.tint !== tint) square.setAttribute("fill-opacity", square.tint = tint);
    });
    made.texts.forEach((node, c) => put(node, text(c)));
    made.own.replaceChildren(...own(size));
    root.querySelector(`[data-picture=${name}]`).setAttribute("aria-label", words);
  }
  const without = (name, words) => {
    drawn.delete(name);
    put(part(name), words);
    place(name, 400, 340, words, []);
  };
  function drawPath() {
    const { n, k, levels } = state, items = total(n);
    if (!items) {
      part("costs").tBodies[0].replaceChildren();
      return without("path", "No items, no path.");
    }
    const terms = ocTerms(n, k, oc.given), cells = pathCells(terms, k), on = new Set(cells);
    const rows = truthOf(n, k);
    const spot = (size) => (c) => `${LEFT + size * (c % k + 0.5)},${TOP + size * (Math.floor(c / k) + 0.5)}`;
    const words = explainOc(ocCosts(n, k, oc.given, on), on, items);
    heat("path", words, {
      shade: (c) => 0.55 * (n[c] / rows[Math.floor(c / k)] || 0),
      text: (c) => (n[c] ? amount(n[c]) : ""),
      own: (size) => [draw("polyline", { points: cells.map(spot(size)).join(" "), fill: "none", stroke: "#d55e00", "stroke-width": 3, "stroke-linejoin": "round", "stroke-linecap": "round" })],
    });
  }
  // What OC adds up, in words and cell by cell.
  const SHOWN = 8;
  const cellName = (c) => `true ${state.levels[Math.floor(c / state.k)]}, predicted ${state.levels[c % state.k]}`;
  const counted = (x) => `${amount(x)} ${x === 1 ? "item" : "items"}`;
  const verb = (x) => (x === 1 ? "costs" : "cost");
  const listed = (texts) => (texts.length > 1 ? `${texts.slice(0, -1).join("; ")}; and ${texts[texts.length - 1]}` : texts[0]);
  function explainOc({ cost, step, off }, on, items) {
    const { n, k } = state, isHit = (c) => c % (k + 1) === 0, all = Array.from(n.keys()).filter((c) => n[c] > 0);
    const sum = (cells, of) => total(cells.map((c) => of[c])), value = total(cost);
    const kept = all.filter((c) => on.has(c) && isHit(c)), shifted = all.filter((c) => on.has(c) && !isHit(c)), left = all.filter((c) => !on.has(c));
    const lost = left.filter(isHit), words = [];
    words.push(`OC = ${number(value, 3)} is the cost of the errors; 0 is best. The path leads from the lowest level to the highest at the least cost. ${kept.length ? `The ${amount(sum(kept, n))} correct ${sum(kept, n) === 1 ? "item on it costs" : "items on it cost"} nothing.` : "No correct item lies on it."}`);
    if (shifted.length) words.push(`The ${counted(sum(shifted, n))} on it off the diagonal ${verb(sum(shifted, n))} ${number(sum(shifted, cost), 3)}: each ${number(step)} per step.`);
    if (left.length) {
      words.push(`The ${counted(sum(left, n))} off the path ${verb(sum(left, n))} ${number(sum(left, cost), 3)}: each ${number(off)}, plus the same per step${lost.length ? `; correct items off the path (${amount(sum(lost, n))}) also cost` : ""}.`);
    } else words.push("No item lies off the path.");
    const dear = all.filter((c) => cost[c] > 0).sort((a, b) => cost[b] - cost[a] || a - b);
    const most = dear.filter((c) => cost[dear[0]] - cost[c] < 1e-12);
    if (most.length > 3) words.push(`${most.length} cells cost the most, ${number(cost[most[0]], 3)} each.`);
    else if (most.length) words.push(`The largest cost: ${listed(most.map((c) => `${cellName(c)} (${counted(n[c])})`))}, ${number(cost[most[0]], 3)}${most.length > 1 ? " each" : ""}.`);
    const said = words.join(" ");
    put(part("path"), said);
    const row = (head, ...cells) => make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, head)), ...cells.map((x) => make("td", {}, x)));
    const rest = dear.slice(SHOWN), costs = part("costs");
    costs.tHead.replaceChildren(make("tr", {}, ...["cell", "items", "where", "costs"].map((x) => make("th", { scope: "col" }, x))));
    costs.tBodies[0].replaceChildren(...dear.slice(0, SHOWN).map((c) => row(cellName(c), amount(n[c]), on.has(c) ? "on the path" : "off the path", number(cost[c]))),
      ...(rest.length ? [row(`${rest.length} other ${rest.length === 1 ? "cell" : "cells"}`, amount(sum(rest, n)), "", number(sum(rest, cost)))] : []),
      ...(kept.length ? [row("correct, on the path", amount(sum(kept, n)), "on the path", number(0))] : []), row("OC", amount(items), "", number(value)));
    return said;
  }
  function drawBits() {
    const { n, k, levels } = state, sizes = truthOf(n, k);
    if (!total(n)) return without("bits", "No items, no proximities.");
    const bits = proximities(sizes), known = (c) => sizes[Math.floor(c / k)] > 0 && Number.isFinite(bits[c]);
    let most = 0;
    for (let c = 0; c < k * k; c++) if (known(c)) most = Math.max(most, bits[c]);
    const i = Math.floor(here / k), j = here % k;
    const of = `${amount(span(sizes, i, j))} of ${amount(total(n))} items`, own = number(bits[i * k + i], 2);
    const words = !(sizes[i] > 0) ? `No item is truly ${levels[i]}.`
      : i === j ? `A correct ${levels[i]} is worth ${own} bits: half the items that are truly ${levels[i]}, ${of}. Rarer levels are worth more.`
      : `Predicting ${levels[j]} for a true ${levels[i]} keeps ${number(bits[here], 2)} of the ${own} bits of a correct prediction: ${of} lie between the two levels, counting half of ${levels[j]}. Fewer items between them keep more bits.`;
    part("bits").textContent = words;
    heat("bits", words, {
      shade: (c) => (known(c) ? 0.55 * bits[c] / most : 0),
      text: (c) => (known(c) ? bits[c].toFixed(1) : ""),
      own: (size) => [draw("rect", { x: LEFT + size * j, y: TOP + size * i, width: size, height: size, fill: "none", stroke: "#d55e00", "stroke-width": 2 })],
    });
  }
  // What the measure would gain, to first order, if the items of a cell were predicted right.
  function errorCost(f, { n, k }, c) {
    const right = Math.floor(c / k) * (k + 1), h = 1e-4;
    const apart = (share) => {
      const moved = n.slice();
      moved[c] -= share * n[c];
      moved[right] += share * n[c];
      return Math.abs(measured(f, moved, k) - f.best);
    };
    return n[right] < h * n[c] ? (apart(0) - apart(h)) / h : (apart(-h) - apart(h)) / (2 * h);
  }
  function drawErrors() {
    const { n, k, levels } = state, f = facts[Number(part("by").value)];
    if (!total(n)) return without("errors", "No items, no errors.");
    if (k > 12) return without("errors", "Costs of errors are drawn for up to 12 levels.");
    const costs = Float64Array.from(n, (x, c) => (x > 0 && c % (k + 1) ? errorCost(f, state, c) : 0));
    const worst = costs.reduce((best, x, c) => (x > costs[best] ? c : best), 0), most = Math.max(...costs.map(Math.abs).filter(Number.isFinite), 0);
    const words = costs[worst] > 0
      ? `By ${f.symbol}, true ${levels[Math.floor(worst / k)]} predicted as ${levels[worst % k]} costs most: with these ${amount(n[worst])} correct, the value would improve by about ${number(costs[worst])}.`
      : `By ${f.symbol}, no error has a cost.`;
    part("errors").textContent = words;
    heat("errors", words, {
      shade: (c) => (most && Number.isFinite(costs[c]) ? 0.6 * Math.abs(costs[c]) / most : 0),
      text: (c) => (costs[c] ? number(costs[c], 3) : ""),
      own: () => [],
    });
  }
  const span = (sizes, i, j) => total(sizes.slice(Math.min(i, j), Math.max(i, j) + 1)) - sizes[j] / 2;
  const axes = (low, bottom, right) => [
    draw("path", { d: "M40 10V290H340", fill: "none", stroke: "currentColor" }),
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((x) => [
      draw("text", { x: 40 + 300 * x, y: 305, "text-anchor": "middle" }, String(x)),
      draw("text", { x: 34, y: 294 - 280 * x, "text-anchor": "end" }, String(x)),
    ]),
    draw("text", { x: 190, y: 322, "text-anchor": "middle" }, bottom), draw("text", { x: 44, y: 14 }, right),
  ];
  const curve = (s, colour, dash = "") => {
    const corners = uocCorners(s.n, s.k);
    return [corners, draw("polyline", { points: corners.map((c) => `${40 + 300 * c.beta},${290 - 280 * Math.min(Math.max(c.value, 0), 1)}`).join(" "), fill: "none", stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dash })];
  };
  function drawCurve() {
    if (!total(state.n)) return without("curve", "No items, no curve.");
    const { beta } = uoc.given, here = measured(uoc, state.n, state.k), [corners, line] = curve(state, "#0072b2");
    const children = [...axes(0, "β", "UOC"), line];
    const beside = rival();
    if (beside && total(beside.n)) children.push(curve(beside, "#d55e00", "6 4")[1]);
    children.push(draw("circle", { cx: 40 + 300 * beta, cy: 290 - 280 * here, r: 5, fill: "#0072b2" }));
    part("beta").textContent = beta.toFixed(2);
    const words = `UOC over β: ${number(corners[0].value, 3)} at 0, ${number(here, 3)} at ${beta.toFixed(2)}, ${number(corners[corners.length - 1].value, 3)} at 1; the area below is AUOC = ${number(area(corners), 3)}.`;
    put(part("curve"), words);
    place("curve", 400, 330, words, children);
  }
  function drawGrid() {
    const point = (s, colour) => {
      const x = hits(s.n, s.k), y = sharedCost(s.n, s.k);
      if (!Number.isFinite(x) || !Number.isFinite(y)) return [];
      return [
        draw("line", { x1: 340, y1: 290, x2: 40 + 300 * x, y2: 290 - 280 * y, stroke: colour, "stroke-width": 1.5 }),
        draw("circle", { cx: 40 + 300 * x, cy: 290 - 280 * y, r: 6, fill: colour }),
      ];
    };
    const own = point(state, "#0072b2"), beside = rival();
    const d = measured(facts.find((f) => f.name === "cost_accuracy_distance"), state.n, state.k);
    const words = own.length ? `Accuracy ${number(hits(state.n, state.k), 3)}, cost ${number(sharedCost(state.n, state.k), 3)}: d = ${number(d, 3)} from the ideal at the lower right.` : "d is not defined: a level has no items in the truth.";
    part("grid").textContent = words;
    place("grid", 400, 330, words, [
      ...axes(0, "accuracy", "misclassification cost"),
      draw("line", { x1: 40, y1: 10, x2: 340, y2: 290, stroke: "currentColor", "stroke-opacity": 0.5, "stroke-dasharray": "5 4" }),
      draw("text", { x: 215, y: 160, "fill-opacity": 0.8 }, "chance"), ...(beside ? point(beside, "#d55e00") : []), ...own,
    ]);
  }
  function update(only) {
    fill();
    fillMeasures();
    drawPath(); drawBits(); drawErrors(); drawCurve(); drawGrid();
    fillIntervals(only);
    // A disabled button would lose the focus.
    root.querySelector("[data-do=undo]").setAttribute("aria-disabled", !past.length);
    const shown = models.findIndex((m) => m.n === state.n && alike(m.levels, state.levels));
    part("model").value = shown < 0 ? "" : shown;
    root.querySelector("[data-do=add]").disabled = state.k >= given.most;
  }

  // --- what people do ----------------------------------------------------------------------------
  const save = (name, kind, content) => {
    const link = make("a", { download: name, href: URL.createObjectURL(new Blob([content], { type: kind })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const quoted = (x) => (/[",\r\n]/.test(x) ? `"${x.replace(/"/g, '""')}"` : x);
  const asCsv = () => [["truth", ...state.levels], ...rowsOf(state).map((row, i) => [state.levels[i], ...row])]
    .map((row) => row.map((x) => quoted(String(x))).join(",")).join("\r\n") + "\r\n";
  const asJson = () => JSON.stringify({
    levels: state.levels, counts: rowsOf(state),
    measures: Object.fromEntries(facts.map((f) => [f.name, { value: measured(f, state.n, state.k), ...(intervalOf(f, state.n, state.k) ?? {}) }])),
  }, null, 1);
  function asPng() {
    const svg = root.querySelector("[data-picture=path] svg").cloneNode(true), scale = 3;
    const { color, backgroundColor } = getComputedStyle(document.documentElement);
    svg.setAttribute("style", `color: ${color}`);
    svg.setAttribute("width", 400 * scale);
    svg.setAttribute("height", 340 * scale);
    const image = new Image();
    image.onload = () => {
      const canvas = make("canvas", { width: 400 * scale, height: 340 * scale }), pen = canvas.getContext("2d");
      pen.fillStyle = backgroundColor;
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(image, 0, 0);
      canvas.toBlob((blob) => save("matrix.png", "image/png", blob));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  }
  async function copyLink() {
    const link = linkTo(state);
    const local = /^https?:$/.test(location.protocol) ? "" : " This page is a file on your computer, and whoever gets the link needs it too: send the file along, or have them paste what comes from # on behind the address of their own copy.";
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(link);
      say(`The link is copied; it carries the matrix.${local}`);
    } catch {
      say(`The link in the address bar carries the matrix now: copy it from there.${local}`);
    }
  }
  function merge(i) {
    const { levels, n, k } = state, to = (x) => (x > i ? x - 1 : x), m = k - 1, next = new Float64Array(m * m);
    for (let c = 0; c < k * k; c++) next[to(Math.floor(c / k)) * m + to(c % k)] += n[c];
    const rest = [...levels.slice(0, i), ...levels.slice(i + 2)];
    let name = `${levels[i]}+${levels[i + 1]}`;
    while (rest.includes(name)) name += "′";
    change({ levels: [...levels.slice(0, i), name, ...levels.slice(i + 2)], n: next }, `${levels[i]} and ${levels[i + 1]} are one level now.`);
    root.querySelector(`[data-level="${i}"]`).focus();
  }
  // The next of whole numbers that rise or fall one by one; else a number that is no name yet.
  function nextName(levels) {
    const numbers = levels.map((x) => (/^-?[0-9]+$/.test(x) ? Number(x) : NaN)), step = numbers[1] - numbers[0];
    const inRow = Math.abs(step) === 1 && numbers.slice(1).every((x, i) => x - numbers[i] === step);
    let next = inRow ? numbers[numbers.length - 1] + step : levels.length + 1;
    while (levels.includes(String(next))) next += 1;
    return String(next);
  }
  const actions = {
    add: () => {
      const rows = rowsOf(state).map((row) => [...row, 0]), k = state.k + 1;
      change({ levels: [...state.levels, nextName(state.levels)], n: Float64Array.from([...rows, Array(k).fill(0)].flat()) }, "A level is added at the upper end.");
      root.querySelector(`[data-level="${k - 1}"]`).focus();
    },
    turn: () => {
      const { n, k, levels } = state;
      change({ levels, n: n.map((_, c) => n[(c % k) * k + Math.floor(c / k)]) }, "Rows and columns are swapped.");
    },
    undo: () => (past.length ? show(past.pop(), "The last change is undone.") : say("There is nothing to undo.")),
    link: copyLink,
    csv: () => save("matrix.csv", "text/csv", asCsv()),
    json: () => save("matrix.json", "application/json", asJson()),
    png: asPng,
    paste: () => use(part("paste").value),
  };
  function use(text) {
    try {
      const { names, rows, turnedBy } = readPasted(text), found = checked(names, rows, turnedBy ? columnsOf(rows) : rows), [first, last] = [names[0], names[names.length - 1]];
      const named = names.length ? `, named ${short(first, 20)} to ${short(last, 20)} in the text` : ", which the text does not name";
      const turned = turnedBy && ` Its rows were predictions, as “${short(turnedBy, 60)}” says: the matrix is turned round, and rows are the truth now.`;
      change(found, `These counts are in use: ${rows.length} levels${named}.${turned}`);
    } catch (error) { say(error.message, true); }
  }
  root.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.merge !== undefined) merge(Number(button.dataset.merge));
    else actions[button.dataset.do]?.();
  });
  root.addEventListener("focusin", ({ target }) => {
    if (target.dataset.cell === undefined || here === Number(target.dataset.cell)) return;
    here = Number(target.dataset.cell);
    fillMeasures(); drawBits(); fillIntervals();
  });
  root.addEventListener("focusout", () => { edited = -1; });
  root.addEventListener("input", ({ target }) => {
    if (target.dataset.cell !== undefined) {
      const x = countOf(target.value.trim()), c = Number(target.dataset.cell);
      if (!isCount(x)) { target.setAttribute("aria-invalid", "true"); return say("A count is a number from 0 to 2⁵³.", true); }
      // However many keys it takes, one edit of a cell is one step; none if it ends as it began.
      state = edited === c ? past.pop() : state;
      edited = x === state.n[c] ? -1 : c;
      if (edited === c) {
        remember(state);
        state = { ...state, n: state.n.slice() };
        state.n[c] = x;
      }
      say("");
      update();
    } else if (target === part("slider")) {
      uoc.given.beta = Number(target.value);
      drawCurve(); fillMeasures(); fillIntervals();
    } else if (target.name === "explore-shows") {
      shows = target.value;
      fill();
    }
  });
  root.addEventListener("change", ({ target }) => {
    if (target.dataset.level !== undefined) {
      const levels = [...state.levels], i = Number(target.dataset.level), name = target.value.trim();
      if (name && !levels.some((x, j) => x === name && j !== i)) {
        levels[i] = name;
        change({ levels, n: state.n }, "");
      } else {
        target.value = levels[i];
        say(name ? `There is a level ${name} already.` : "A level needs a name.", true);
      }
    } else if (target.dataset.cell !== undefined) {
      fill();
    } else if (target === part("by")) {
      drawErrors();
    } else if (target === part("model")) {
      const chosen = models[Number(target.value)];
      if (chosen) change(chosen, `${chosen.name} is shown.`);
    } else if (target === part("other")) {
      other = target.value === "now" ? { ...state, name: "as it was" } : models[Number(target.value)] ?? null;
      buildMeasures(); update();
    }
  });
  // Up and down move between rows; a table from a spreadsheet can be pasted into any cell.
  root.addEventListener("keydown", (event) => {
    const cell = event.target.dataset.cell, step = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
    if (cell === undefined || !step) return;
    event.preventDefault();
    root.querySelector(`[data-cell="${Number(cell) + step * state.k}"]`)?.select();
  });
  root.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain");
    if (event.target.dataset.cell === undefined || !/[\n\t;]/.test(text.trim())) return;
    event.preventDefault();
    use(text);
  });
  const follow = () => {
    try {
      const linked = readLink();
      if (linked) change(linked, "This matrix came with the link.");
    } catch (error) { say(`The link contains no matrix. ${error.message}`, true); }
  };
  window.addEventListener("hashchange", follow);

  part("model").append(make("option", { value: "", disabled: "", hidden: "" }, "other counts"), ...models.map((m, i) => make("option", { value: i }, short(m.name, 40))));
  part("other").append(make("option", { value: "" }, "nothing"), make("option", { value: "now" }, "the matrix as it is now"),
    ...(models.length > 1 ? models.map((m, i) => make("option", { value: i }, short(m.name, 40))) : []));
  part("by").append(...facts.map((f, i) => make("option", { value: i }, f.name)));
  part("slider").value = uoc.given.beta;
  root.hidden = false;
  buildMeasures();
  build();
  follow();
}
