// Measures of one table of counts, and their intervals: the library's definitions once more, for
// pages on which counts change. The tests hold both to the same numbers. A table is an array `n` of
// k * k counts, row by row, rows truth. A measure is NaN where it is undefined.

const total = (x) => { let s = 0; for (const v of x) s += v; return s; };
const ratio = (a, b) => (b === 0 ? NaN : a / b);
const truthOf = (n, k) => {
  const sums = new Float64Array(k);
  for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) sums[i] += n[i * k + j];
  return sums;
};
const predictionOf = (n, k) => {
  const sums = new Float64Array(k);
  for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) sums[j] += n[i * k + j];
  return sums;
};
// Sums over the lower and over the higher classes, the class itself left out.
const before = (x) => {
  const out = new Float64Array(x.length);
  for (let i = 1; i < x.length; i++) out[i] = out[i - 1] + x[i - 1];
  return out;
};
const after = (x) => {
  const out = new Float64Array(x.length);
  for (let i = x.length - 2; i >= 0; i--) out[i] = out[i + 1] + x[i + 1];
  return out;
};
const weighted = (n, k, weight) => {
  let s = 0;
  for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) s += n[i * k + j] * weight(i, j);
  return s;
};
const overClasses = (n, k, weight) => {
  const rows = truthOf(n, k);
  let s = 0, classes = 0;
  for (let i = 0; i < k; i++) {
    if (!rows[i]) continue;
    let own = 0;
    for (let j = 0; j < k; j++) own += n[i * k + j] * weight(i, j);
    s += own / rows[i];
    classes += 1;
  }
  return ratio(s, classes);
};
const hit = (i, j) => (i === j ? 1 : 0);
const steps = (i, j) => Math.abs(i - j);
const squares = (k) => (i, j) => ((i - j) / (k - 1)) ** 2;

// Pairs of items in the same order and in opposite orders, from cumulative sums.
function orderedPairs(n, k) {
  let same = 0, opposite = 0;
  const below = new Float64Array(k);  // items of the lower true classes, by predicted class
  for (let i = 0; i < k; i++) {
    const lower = before(below), higher = after(below);
    for (let j = 0; j < k; j++) {
      same += n[i * k + j] * lower[j];
      opposite += n[i * k + j] * higher[j];
    }
    for (let j = 0; j < k; j++) below[j] += n[i * k + j];
  }
  return [same, opposite];
}
const untied = (margin) => {
  const higher = after(margin);
  return total(margin.map((x, i) => x * higher[i]));
};

// Bits by which a prediction is close to the truth: few items lie between them.
function proximities(sizes) {
  const k = sizes.length, items = total(sizes), low = before(sizes), high = after(sizes);
  const bits = new Float64Array(k * k);
  for (let g = 0; g < k; g++) for (let s = 0; s < k; s++) {
    const a = Math.min(g, s), b = Math.max(g, s), half = sizes[s] / 2;
    const upto = low[b] + sizes[b], onwards = high[a] + sizes[a];
    const few = ((upto <= onwards ? upto - low[a] : onwards - high[b]) - half) / items;
    const most = (low[a] + high[b] + half) / items;
    // Near 1 the logarithm needs the complement: a rare class must not drown in rounding.
    bits[g * k + s] = Math.abs(few < 0.5 ? Math.log2(few) : Math.log1p(-Math.min(most, 0.5)) / Math.LN2);
  }
  return bits;
}

// Of a path through the table: what its cells take off the index, and what they add to it.
function ocTerms(n, k, { share }) {
  const items = total(n), spread = weighted(n, k, steps), beta = share / (items * (k - 1));
  return {
    gain: n.map((x) => x / (items + spread)),
    penalty: n.map((x, c) => x * steps(Math.floor(c / k), c % k)), beta,
  };
}
function uocTerms(n, k, { beta }) {
  const rows = truthOf(n, k), classes = rows.filter((x) => x > 0).length;
  const shares = n.map((x, c) => x / ((rows[Math.floor(c / k)] || 1) * classes));
  const penalty = shares.map((x, c) => x * steps(Math.floor(c / k), c % k));
  const spread = total(penalty);
  return { gain: shares.map((x) => x / (1 + spread)), penalty, beta };
}
// The cheapest monotone path as a line in beta: its cost at beta, and its slope.
function cheapest({ gain, penalty }, k, beta) {
  let cost = new Float64Array(k + 1).fill(Infinity), slope = new Float64Array(k + 1);
  let newCost = new Float64Array(k + 1), newSlope = new Float64Array(k + 1);
  for (let i = 0; i < k; i++) {
    newCost[0] = Infinity;
    for (let j = 0; j < k; j++) {
      const c = i * k + j;
      let best = cost[j], line = slope[j];  // diagonally
      if (cost[j + 1] < best) { best = cost[j + 1]; line = slope[j + 1]; }
      if (newCost[j] < best) { best = newCost[j]; line = newSlope[j]; }
      if (c === 0) { best = 0; line = 0; }
      newCost[j + 1] = best + beta * penalty[c] - gain[c];
      newSlope[j + 1] = line + penalty[c];
    }
    [cost, newCost, slope, newSlope] = [newCost, cost, newSlope, slope];
  }
  return { value: 1 + cost[k], slope: slope[k] };
}
const pathIndex = (terms, k) => Math.max(cheapest(terms, k, terms.beta).value, 0);
// The cells of the cheapest path; of equally cheap ways the one nearest to the diagonal.
function pathCells({ gain, penalty, beta }, k) {
  const cost = new Float64Array(k * k), from = new Int32Array(k * k).fill(-1);
  for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) {
    let best = -1;
    for (const [r, c] of [[i - 1, j - 1], [i - 1, j], [i, j - 1]]) {
      if (r < 0 || c < 0) continue;
      const here = r * k + c, r0 = Math.floor(best / k), c0 = best % k;
      if (best < 0 || cost[here] < cost[best] ||
          (cost[here] === cost[best] && steps(r, c) < steps(r0, c0))) best = here;
    }
    from[i * k + j] = best;
    cost[i * k + j] = beta * penalty[i * k + j] - gain[i * k + j] + (best < 0 ? 0 : cost[best]);
  }
  const cells = [k * k - 1];
  while (cells[0] !== 0) cells.unshift(from[cells[0]]);
  return cells;
}
// What each cell adds to OC. With S steps of error among N items, 1 is N + S shares: a cell off the
// path leaves those of its items and of their steps, one on it those of its steps, and its penalty.
function ocCosts(n, k, given, on) {
  const { beta } = ocTerms(n, k, given), off = 1 / (total(n) + weighted(n, k, steps)), step = off + beta;
  const cost = n.map((x, c) => {
    const d = steps(Math.floor(c / k), c % k);
    return x * (on.has(c) ? d * step : (1 + d) * off);
  });
  return { cost, step, off };
}
// UOC over beta by its corners. Each path is a line in beta, the best the lowest of them: where the
// lines of two ends meet is either a corner, or a third line lies below and splits the interval.
function uocCorners(n, k) {
  const terms = uocTerms(n, k, { beta: 0 }), close = 1e-13;
  const corners = [];
  const split = (left, right) => {
    const bend = left.slope - right.slope;
    if (!(bend > close)) return;
    const rise = right.value - left.value - right.slope * (right.beta - left.beta);
    const beta = Math.min(Math.max(left.beta + rise / bend, left.beta), right.beta);
    const middle = { beta, ...cheapest(terms, k, beta) };
    corners.push(middle);
    if (left.value + left.slope * (beta - left.beta) - middle.value > close) {
      split(left, middle);
      split(middle, right);
    }
  };
  const ends = [0, 1].map((beta) => ({ beta, ...cheapest(terms, k, beta) }));
  corners.push(...ends);
  split(...ends);
  return corners.sort((a, b) => a.beta - b.beta);
}
function area(corners) {
  let s = 0;
  for (let i = 1; i < corners.length; i++) {
    s += (corners[i].beta - corners[i - 1].beta) * (corners[i].value + corners[i - 1].value) / 2;
  }
  return Math.min(Math.max(s, 0), 1);
}

// The cost of each error by the class sizes, over the largest that they allow.
function sharedCost(n, k) {
  const rows = truthOf(n, k), low = before(rows), high = after(rows);
  if (rows.some((x) => x === 0)) return NaN;
  let cost = 0, largest = 0;
  for (let i = 0; i < k; i++) {
    let worst = 0;
    for (let j = 0; j < k; j++) {
      const own = ((low[i] + high[i]) / rows[j]) * steps(i, j);
      worst = Math.max(worst, own);
      cost += n[i * k + j] * own;
    }
    largest += rows[i] * worst;
  }
  return ratio(cost, largest);
}
const hits = (n, k) => ratio(weighted(n, k, hit), total(n));

const MEASURES = {
  accuracy: hits,
  balanced_accuracy: (n, k) => overClasses(n, k, hit),
  mean_absolute_error: (n, k) => ratio(weighted(n, k, steps), total(n)),
  average_mae: (n, k) => overClasses(n, k, steps),
  mean_signed_error: (n, k) => ratio(weighted(n, k, (i, j) => j - i), total(n)),
  cohen_kappa: (n, k) => kappa(n, k, (i, j) => 1 - hit(i, j)),
  weighted_kappa: (n, k) => kappa(n, k, squares(k)),
  krippendorff_alpha: (n, k) => {
    const pooled = truthOf(n, k).map((x, i) => x + predictionOf(n, k)[i]), low = before(pooled);
    const apart = (i, j) => (low[i] + pooled[i] / 2 - (low[j] + pooled[j] / 2)) ** 2;
    let expected = 0;
    for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) expected += pooled[i] * pooled[j] * apart(i, j);
    const pairable = 2 * total(n) - 1;
    return pairable > 0 ? 1 - ratio(pairable * 2 * weighted(n, k, apart), expected) : NaN;
  },
  gwet_ac2: (n, k) => {
    const items = total(n), columns = predictionOf(n, k), weight = squares(k);
    const shares = truthOf(n, k).map((x, i) => (x + columns[i]) / (2 * items));
    let agreed = 0;
    for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) agreed += 1 - weight(i, j);
    const spread = total(shares.map((x) => x * (1 - x))) * agreed / (k * (k - 1));
    return 1 - ratio(weighted(n, k, weight) / items, 1 - spread);
  },
  kendall_tau_b: (n, k) => {
    const [same, opposite] = orderedPairs(n, k);
    return ratio(same - opposite, Math.sqrt(untied(truthOf(n, k)) * untied(predictionOf(n, k))));
  },
  cem_ord: (n, k) => {
    const sizes = truthOf(n, k), bits = proximities(sizes);
    let gained = 0, largest = 0;
    for (let i = 0; i < k; i++) {
      if (!sizes[i]) continue;
      largest += sizes[i] * bits[i * k + i];
      for (let j = 0; j < k; j++) if (n[i * k + j]) gained += n[i * k + j] * bits[i * k + j];
    }
    return ratio(gained, largest);
  },
  oc_index: (n, k, given) => pathIndex(ocTerms(n, k, given), k),
  uoc_index: (n, k, given) => pathIndex(uocTerms(n, k, given), k),
  auoc: (n, k) => area(uocCorners(n, k)),
  misclassification_cost: sharedCost,
  cost_accuracy_distance: (n, k) => Math.hypot(1 - hits(n, k), sharedCost(n, k)),
};
function kappa(n, k, weight) {
  const rows = truthOf(n, k), columns = predictionOf(n, k);
  let expected = 0;
  for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) expected += rows[i] * weight(i, j) * columns[j];
  return 1 - ratio(weighted(n, k, weight) * total(n), expected);
}
const measured = (fact, n, k) => (total(n) > 0 ? MEASURES[fact.name](n, k, fact.given) : NaN);

// One item spread over the table: half of it right, half near misses into classes that occur.
function pseudoItems(n, k) {
  const rows = truthOf(n, k), items = total(n), out = new Float64Array(k * k);
  for (let i = 0; i < k; i++) {
    const miss = (known) => Array.from({ length: k }, (_, j) => {
      const d = steps(i, j);
      return d > 0 && d <= 4 && (!known || rows[j] > 0) ? 3 ** -d : 0;
    });
    let misses = miss(true);
    if (!total(misses)) misses = miss(false);
    const sum = total(misses);
    for (let j = 0; j < k; j++) {
      out[i * k + j] = (rows[i] / items) * (0.5 * misses[j] / sum + 0.5 * hit(i, j));
    }
  }
  return out;
}

// The 95% quantile of Student's t, two-sided.
const NORMAL = 1.959963984540054, TAIL = 0.025;
function studentEnd(df) {
  const z = NORMAL;
  if (df > 1000) {
    return z + (z ** 3 + z) / (4 * df) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * df ** 2) +
      (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * df ** 3);
  }
  const front = logGamma((df + 1) / 2) - logGamma(df / 2) - Math.log(Math.PI) / 2;  // 1 / Beta(df / 2, 1 / 2)
  let t = z;
  for (let i = 0; i < 200; i++) {  // the tail is convex: Newton's steps come from below
    const density = Math.exp(front - ((df + 1) / 2) * Math.log1p((t * t) / df)) / Math.sqrt(df);
    const step = (upperTail(t, df, front) - TAIL) / density;
    t += step;
    if (Math.abs(step) < 1e-13 * t) break;
  }
  return t;
}
function upperTail(t, df, front) {
  const x = df / (df + t * t), y = (t * t) / (df + t * t), a = df / 2, b = 0.5;
  const scale = Math.exp(front + a * Math.log(x) + b * Math.log(y));
  const share = x < (a + 1) / (a + b + 2) ? (scale * fraction(x, a, b)) / a : 1 - (scale * fraction(y, b, a)) / b;
  return share / 2;
}
function fraction(x, a, b) {  // of the incomplete beta function, by Lentz
  const safe = (v) => (Math.abs(v) < 1e-300 ? 1e-300 : v);
  let c = 1, d = 1 / safe(1 - ((a + b) * x) / (a + 1)), f = d;
  for (let m = 1; m < 1000; m++) {
    for (const v of [(m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
                     (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))]) {
      d = 1 / safe(1 + v * d);
      c = safe(1 + v / c);
      f *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return f;
}
function logGamma(x) {  // Stirling's series, far enough out to be exact
  let shift = 0;
  for (; x < 15; x++) shift += Math.log(x);
  const y = 1 / (x * x);
  const series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x;
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series - shift;
}

// The scale on which an interval is made: log-odds of the place in a bounded range.
function linkOf({ perfect }, [low, high], centre) {
  const plain = { there: (x) => x, slope: () => 1, back: (z) => z };
  if (perfect === null || !(low < centre)) return plain;
  if (centre < high) {
    return {
      there: (x) => Math.log(x - low) - Math.log(high - x),
      slope: (x) => (high - low) / ((x - low) * (high - x)),
      back: (z) => low + (high - low) / (1 + Math.exp(-Math.min(Math.max(z, -500), 500))),
    };
  }
  if (low !== 0) return plain;
  return { there: Math.log, slope: (x) => 1 / x, back: (z) => Math.exp(Math.min(z, 700)) };
}
const isClose = (a, b) => Math.abs(a - b) <= 1e-8 + 1e-5 * Math.abs(b);

// The 95% interval of a measure from what an item of each cell contributes, by leaving one out;
// null where none would hold.
function interval(fact, n, k) {
  const value = (x) => measured(fact, x, k), items = total(n), seen = value(n);
  if (!(items >= 2) || !Number.isFinite(seen) || n.some((x) => x % 1 !== 0)) return null;
  const ends = fact.ends[k], noise = 1e-14 * (ends[1] - ends[0]);
  const quiet = (x) => (Math.abs(x) <= noise ? 0 : x);
  const pseudo = pseudoItems(n, k), smooth = n.map((x, c) => x + pseudo[c]), all = total(smooth);
  const centre = value(smooth), parts = new Float64Array(k * k), there = new Uint8Array(k * k);
  let moved = 0;
  for (let c = 0; c < k * k; c++) {
    // One item; less of the pseudo-items, and more of so many that one would be lost in rounding.
    const taken = Math.min(smooth[c], Math.max(1, 1e-7 * all));
    if (!(taken > 0)) continue;
    const without = smooth.slice();
    without[c] += -taken;
    const change = centre - value(without);
    if (Number.isNaN(change)) continue;
    there[c] = 1;
    parts[c] = ((all - taken) / taken) * change;
    moved += parts[c] * smooth[c];
  }
  const bias = -moved / all;
  let second = 0, fourth = 0, added = 0;
  for (let c = 0; c < k * k; c++) {
    const part = (parts[c] + (there[c] ? bias : 0)) / (items + 1);
    second += part ** 2 * n[c];
    fourth += part ** 4 * n[c];
    added += part ** 2 * pseudo[c];
  }
  const error = Math.hypot(Math.sqrt((items / (items - 1)) * second + added), bias * fact.bias);
  const reach = studentEnd(freedom(second / items, fourth / items, items)) * error;
  const half = quiet(centre) - bias * fact.bias;
  // What rounding leaves beside an end is no place within the range.
  const place = half - ends[0] > noise && ends[1] - half > noise ? half : quiet(centre);
  const link = linkOf(fact, ends, place), wide = reach * link.slope(place);
  let low = link.back(link.there(place) - wide), high = link.back(link.there(place) + wide);
  let [least, largest] = ends;
  const { perfect } = fact, shown = quiet(seen);
  if (perfect !== null && ends.some((end) => isClose(perfect, end)) &&
      Math.abs(shown - perfect) <= 1e-12 + 1e-9 * Math.abs(perfect)) {
    [least, largest] = reachOf(value, n, k, items * Math.expm1(-Math.log(TAIL) / items));
    if (high - low <= 1e-12) [low, high] = [least, largest];
  }
  return { low: Math.min(Math.max(low, least), shown), high: Math.max(Math.min(high, largest), shown) };
}
// Few units that contribute most leave few degrees of freedom.
function freedom(second, fourth, units) {
  const kurtosis = second <= 1e-30 ? 3 : fourth / second ** 2, most = Math.max(units - 1, 1);
  const wanted = (2 * units) / Math.max(kurtosis - 1, 1e-9);
  return Math.min(Math.max(wanted, Math.min(4, most)), most);
}
// At the end of a range: the extremes when so many items of one kind, unseen so far, are added.
function reachOf(value, n, k, amount) {
  const pseudo = pseudoItems(n, k), rows = truthOf(n, k);
  const extremes = (kinds) => {
    let low = Infinity, high = -Infinity;
    for (const cells of kinds) {
      const more = n.slice();
      for (const c of cells) more[c] += amount / cells.length;
      const v = value(more);
      if (v < low) low = v;
      if (v > high) high = v;
    }
    return [low, high];
  };
  const cells = Array.from(n.keys()), step = (c) => steps(Math.floor(c / k), c % k);
  const [low, high] = extremes(cells.filter((c) => pseudo[c] > 0 && step(c) <= 4).map((c) => [c]));
  if (high - low > 1e-12 * Math.abs(high)) return [low, high];
  // A pair of items is in the wrong order only if both are wrong.
  const wrong = cells.filter((c) => rows[Math.floor(c / k)] > 0 && step(c) > 0).slice(0, 60);
  return extremes(wrong.flatMap((a) => wrong.map((b) => [a, b])));
}
