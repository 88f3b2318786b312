// A panel: one graph, what of it is open, and from where it is looked at.

/** What a side shows in place of a function that it lacks. */
const noFunction = (name) => ({ name, isMissing: true, nodes: [], folds: [{ n: "", p: 0, m: [], i: [], o: [], e: [], b: [], c: [], k: [], w: 0, h: 0 }] });

class Panel {
  constructor(index, side, element, name) {
    this.index = index;
    this.side = side;
    this.element = element;
    this.mode = "kind";
    this.chosen = null;
    this.found = new Set();
    this.looks = new Looks(this);
    this.other = null;
    element.innerHTML = `<svg role="img" aria-label="graph"><defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">` +
      `<path d="M0 1L7 4L0 7z" fill="var(--edge)"/></marker></defs><g></g></svg><h2></h2><div class="legend"></div>`;
    this.svg = element.querySelector("svg");
    this.layer = this.svg.querySelector(":scope > g");
    this.view = { x: 0, y: 0, k: 1 };
    this.show(name);
  }

  show(name) {
    this.fn = this.side.functions.find((f) => f.name === name) ?? noFunction(name);
    this.open = new Set();
    this.chosen = null;
    this.found = new Set();
    const kFewNodes = 60;
    const most = Math.max(...page.sides.map((s) => (s.functions.find((f) => f.name === this.fn.name) ?? this.fn).nodes.length));
    if (most <= kFewNodes) this.unfold();
    else if (this.fn.folds[0].m.filter(isGroup).length === 1) this.open.add(groupOf(this.fn.folds[0].m.find(isGroup)));
  }

  /** Whether both panels show the same function. */
  get isCompared() { return this.other?.fn.name === this.fn.name && !this.fn.isMissing && !this.other.fn.isMissing; }
  pairOf(n) { return (this.isCompared && this.fn.pairs?.[n]) || null; }
  markOf(n) { return this.pairOf(n)?.mark ?? null; }

  /** The difference of the numbers of a pair: infinite where one side is not finite, undefined where none is known. */
  differenceOf(n) {
    const difference = this.pairOf(n)?.difference;
    return difference === undefined ? undefined : Number(difference);
  }


  /** Opens a group, unless too much would be drawn; returns whether it did. */
  openGroup(number) {
    const open = new Set(this.open).add(number);
    if (countDrawn(this.fn, open) > kMostDrawn) return false;
    this.open = open;
    return true;
  }

  close(number) {
    this.open.delete(number);
    for (const m of this.fn.folds[number].m) if (isGroup(m)) this.close(groupOf(m));
  }

  unfold() {
    for (let number = 1; number < this.fn.folds.length; ++number) if (!this.openGroup(number)) return false;
    return true;
  }

  /** Whether bytes are drawn in place of the graph: a side without bytes keeps its graph. */
  get showsAreas() { return this.showsBytes && this.side.parts.length > 0; }

  /** Draws the bytes of the artifact in place of the graph. */
  drawBytes() {
    const room = this.svg.getBoundingClientRect(), kMargin = 36;
    this.layer.innerHTML = treemap(this.side.parts, room.width - 2 * kMargin, room.height - 2 * kMargin);
    this.layer.setAttribute("transform", `translate(${kMargin} ${kMargin})`);
    this.element.querySelector(".legend").innerHTML = "";
  }

  get caption() {
    if (this.fn.isMissing) return `${this.side.stage}: there is no function ${this.fn.name} here`;
    return this.other && this.other.fn.name !== this.fn.name ? `${this.side.stage}: ${this.fn.name}` : this.side.stage;
  }

  draw() {
    this.element.querySelector("h2").innerHTML = `${esc(this.side.title)} <small>${esc(this.caption)}</small>`;
    if (this.showsAreas) return this.drawBytes();
    this.looks.measure();
    this.drawing = new Drawing(this.fn, this.open, (m) => this.looks.of(m));
    this.layer.innerHTML = this.drawing.svg;
    this.element.querySelector(".legend").innerHTML = this.looks.legend();
    this.mark();
    this.move();
  }

  mark() {
    if (!this.chosen?.startsWith("n")) return;
    const node = this.chosen.slice(1);
    for (const edge of this.layer.querySelectorAll(".edge"))
      if (edge.dataset.t === node || edge.dataset.v.split(" ").includes(node)) edge.classList.add("near");
  }

  move() {
    if (this.showsAreas) return;
    const { x, y, k } = this.view;
    this.layer.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
  }

  fit() {
    if (!this.drawing || this.showsAreas) return this.draw();
    const room = this.svg.getBoundingClientRect(), kMargin = 36;
    const k = Math.min(1.4, (room.width - 2 * kMargin) / this.drawing.w, (room.height - 2 * kMargin) / this.drawing.h);
    const kSmallest = 0.35; // below, words cannot be read: show the beginning instead
    this.view.k = Math.max(k, Math.min(kSmallest, (room.width - 2 * kMargin) / this.drawing.w), 0.02);
    this.view.x = (room.width - this.drawing.w * this.view.k) / 2;
    this.view.y = k < this.view.k ? kMargin : (room.height - this.drawing.h * this.view.k) / 2;
    this.move();
  }

  zoom(factor, x, y) {
    const k = Math.max(0.01, Math.min(8, this.view.k * factor)), scale = k / this.view.k;
    this.view = { x: x - (x - this.view.x) * scale, y: y - (y - this.view.y) * scale, k };
    this.move();
  }

  /** Where a node or a group is on the panel; undefined when it is inside of a folded group. */
  placeOf(key) {
    const place = this.drawing.places.get(key);
    return place && { x: place.x * this.view.k + this.view.x, y: place.y * this.view.k + this.view.y };
  }

  /** Moves such that a node or group is at a position of the panel, by default its middle. */
  center(key, at) {
    const place = this.placeOf(key), room = this.svg.getBoundingClientRect();
    if (!place) return;
    const [x, y] = at ? [at.x, at.y] : [room.width / 2, room.height / 2];
    this.view.x += x - place.x;
    this.view.y += y - place.y;
    this.move();
  }

  /** Opens the groups around a node. */
  reveal(n) { return groupsAround(this.fn, n).reverse().every((g) => this.open.has(g) || this.openGroup(g)); }
}
