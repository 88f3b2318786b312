// What boxes look like: their words and colours.

const kinds = [
  ["input-box", "input, output", (n) => n.k === "input" || n.k === "output"],
  ["control", "branch, call", (n) => n.k === "branch" || n.k === "call"],
  ["kernel", "kernel", (n) => n.k === "kernel"],
  ["product", "product, convolution", (n) => /matmul|linear|dense|einsum|conv|attention|gru|lstm|rnn/.test(n.o)],
  ["window", "pool, resize", (n) => /pool|resize|unfold|grid_sample|affine_grid/.test(n.o)],
  ["norm", "norm, softmax", (n) => /norm|softmax/.test(n.o)],
  ["reduce", "reduction, search", (n) => /^(sum|mean|max|min|prod|std|variance|arg|cum|topk|sort|any|all|unique|nonzero|logsumexp)/.test(n.o)],
  ["memory", "memory", (n) => /alloc|kill|memory|^vm\.|to_vdevice/.test(n.o)],
  ["move", "shape, copy", (n) => /reshape|permute|concat|split|slice|squeeze|expand|broadcast|gather|take|scatter|flatten|stack|repeat|tile|flip|pad|layout_transform|astype|cast|shape|roll|one_hot|full|zeros|ones|arange/.test(n.o)],
  ["activation", "activation", (n) => /relu|gelu|silu|sigmoid|tanh|elu|swish|mish|clip|hard|exp|erf|dropout/.test(n.o)],
  ["plain-op", "arithmetic, other", () => true],
];
const kindOf = (node) => (node.kind ??= kinds.find(([, , is]) => is(node))[0]);

function bytesText(bytes) {
  if (bytes < 1000) return bytes + " B";
  for (const unit of ["KB", "MB", "GB"]) {
    bytes /= 1000;
    if (bytes < 999.5) return (bytes < 10 ? bytes.toFixed(2) : bytes < 100 ? bytes.toFixed(1) : bytes.toFixed(0)) + " " + unit;
  }
  return bytes.toFixed(1) + " TB";
}

function timeText(seconds) {
  for (const [unit, factor] of [["s", 1], ["ms", 1e3], ["us", 1e6]])
    if (seconds * factor >= 1) return (seconds * factor).toPrecision(3) + " " + unit;
  return (seconds * 1e9).toFixed(0) + " ns";
}

/** Numbers that are not finite are texts in the data: "NaN", "Infinity". */
const realText = (x) => (!Number.isFinite(x) ? "not finite" : x === 0 ? "0" : Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5 ? String(+x.toPrecision(5)) : x.toExponential(3));
const shapeOf = (type) => type.replace(/^Tensor\(\((.*)\), "(.*)"\)$/, "($1) $2");

/** Bytes of the weights of nodes, each weight once. */
function weightBytes(side, fn, nodes) {
  const seen = new Set();
  for (const n of nodes) for (const w of fn.nodes[n].w) seen.add(w);
  return [...seen].reduce((sum, w) => sum + side.weights[w].b, 0);
}

const secondsOf = (fn, nodes) => nodes.reduce((sum, n) => sum + (fn.nodes[n].c ?? 0), 0);

/** From white, or dark, to red. */
function heat(share) {
  const hot = Math.max(0, Math.min(1, share));
  return `color-mix(in oklab, #e5534b ${Math.round(85 * Math.sqrt(hot))}%, var(--input))`;
}

/** Colour modes: names, whether the data has them, and the value of nodes that is compared. */
const modes = [
  { name: "kind", has: () => true },
  { name: "time", has: (side) => side.functions.some((f) => f.nodes.some((n) => n.c)), value: (side, fn, nodes) => secondsOf(fn, nodes), text: timeText },
  { name: "weights", has: (side) => side.weights.length > 0, value: weightBytes, text: bytesText },
  { name: "values", has: () => true, value: (side, fn, nodes) => nodes.reduce((sum, n) => sum + (fn.nodes[n].b ?? 0), 0), text: bytesText },
];

/** Words for what a comparison says of a node. */
const marks = { same: "same", changed: "changed", "only-a": "only in the first", "only-b": "only in the second" };

class Looks {
  constructor(panel) { this.panel = panel; }

  get fn() { return this.panel.fn; }

  /** Finds the largest value of a box that is drawn, which has the full colour. */
  measure() {
    const mode = modes.find((m) => m.name === this.panel.mode), { fn, panel } = this;
    const values = (number) => fn.folds[number].m.flatMap((m) => {
      if (isGroup(m) && panel.open.has(groupOf(m))) return values(groupOf(m));
      return [mode.value(panel.side, fn, isGroup(m) ? nodesIn(fn, groupOf(m)) : [m])];
    });
    this.most = mode?.value ? values(0).reduce((a, b) => Math.max(a, b), 0) : 0;
  }

  of(member) { return isGroup(member) ? this.ofGroup(groupOf(member)) : this.ofNode(member); }

  classesOf(key, nodes) {
    const found = this.panel.found;
    return (this.panel.chosen === key ? " chosen" : "") + (found.size > 0 && nodes.some((n) => found.has(n)) ? " found" : "");
  }

  fillOf(nodes) {
    const mode = modes.find((m) => m.name === this.panel.mode);
    if (!mode?.value) return null;
    return heat(this.most > 0 ? mode.value(this.panel.side, this.fn, nodes) / this.most : 0);
  }

  ofNode(number) {
    const node = this.fn.nodes[number], mark = this.panel.markOf(number);
    const classes = (node.k === "input" || node.k === "output" ? node.k : "") + this.classesOf("n" + number, [number]);
    const isNamed = node.k === "input" || node.k === "output";
    const title = isNamed ? node.n : node.k === "call" ? node.o.slice(node.o.lastIndexOf(".") + 1) : node.o;
    return {
      title, sub: this.subOf(node), kind: this.panel.mode === "changes" && mark ? mark : kindOf(node),
      fill: this.panel.mode === "difference" ? this.differenceFill([number]) : this.fillOf([number]), classes, tip: `${node.n}: ${node.o} ${node.t}`,
    };
  }

  subOf(node) {
    if (this.panel.mode === "time" && node.c) return timeText(node.c);
    return node.s;
  }

  differenceFill(nodes) {
    const d = Math.max(...nodes.map((n) => this.panel.differenceOf(n) ?? 0));
    return d > 0 ? heat((Math.log10(d) + 7) / 7) : "var(--input)";
  }

  ofGroup(number) {
    const fold = this.fn.folds[number], nodes = nodesIn(this.fn, number);
    const bytes = weightBytes(this.panel.side, this.fn, nodes), seconds = secondsOf(this.fn, nodes);
    const words = [`${nodes.length} ops`];
    if (this.panel.mode === "time" && seconds > 0) words.push(timeText(seconds));
    else if (bytes > 0) words.push(bytesText(bytes));
    const changes = nodes.filter((n) => { const m = this.panel.markOf(n); return m && m !== "same"; }).length;
    const kind = this.panel.mode === "changes" ? (changes > 0 ? "changed" : "same") : "group-box";
    return {
      title: fold.n, sub: words.join(" · "), kind, mark: changes > 0,
      fill: this.panel.mode === "difference" ? this.differenceFill(nodes) : this.fillOf(nodes),
      classes: "group" + this.classesOf("g" + number, nodes), tip: `${fold.t || fold.n}: a click opens it`,
    };
  }

  legend() {
    if (this.panel.mode === "changes")
      return Object.entries(marks).map(([kind, words]) => `<span style="background:var(--${kind})">${words}</span>`).join("");
    if (this.panel.mode !== "kind") return `<span style="background:${heat(1)}">much</span><span style="background:${heat(0.1)}">little</span>`;
    const seen = new Set(this.fn.nodes.map(kindOf));
    const variable = { "plain-op": "plain", "input-box": "input" };
    return kinds.filter(([kind]) => seen.has(kind)).map(([kind, words]) => `<span style="background:var(--${variable[kind] ?? kind})">${words}</span>`).join("");
  }
}
