// Drawing of an arrangement as SVG text.

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const esc = (text) => String(text).replace(/[&<>"']/g, (c) => escapes[c]);
const short = (text, width, pixels) => {
  const most = Math.max(3, Math.floor(width / pixels));
  return text.length <= most ? text : text.slice(0, most - 1) + "…";
};
const px = (x) => Math.round(x * 10) / 10;

class Drawing {
  /** `look(member)` returns {title, sub, kind, fill, classes, mark} of a node or a group. */
  constructor(fn, open, look) {
    this.fn = fn;
    this.open = open;
    this.look = look;
    this.edges = [];
    this.boxes = [];
    this.places = new Map(); // key of a node or group -> {x, y, w, h} of its box or frame
    this.root = arrange(fn, 0, open);
    this.drawInside(this.root, -kPad, -kTitle);
    this.w = this.root.w;
    this.h = this.root.h;
  }

  get svg() { return this.frames().join("") + this.edges.join("") + this.boxes.join(""); }
  frames() { return this.framed ?? []; }

  /** Draws the members of an open group whose frame begins at (x0, y0); returns where its ports are. */
  drawInside(a, x0, y0) {
    const fold = this.fn.folds[a.number], left = x0 + kPad, top = y0 + kTitle;
    const at = (x, y) => [left + a.fx(x), top + a.fy(y)];
    const ends = fold.m.map((member, i) => this.drawMember(a, member, i, left, top));
    const count = fold.m.length;
    const entering = fold.i.map((node, i) => {
      const [x, y] = at(fold.c[2 * (count + i)], fold.c[2 * (count + i) + 1] + kHalfPort);
      if (a.number > 0) this.edges.push(this.line(x, y0, x, y, node));
      return { x, y, outside: y0, node };
    });
    const leaving = fold.o.map((node, i) => {
      const k = count + fold.i.length + i, [x, y] = at(fold.c[2 * k], fold.c[2 * k + 1] - kHalfPort);
      if (a.number > 0) this.edges.push(this.line(x, y, x, y0 + a.h, node));
      return { x, y, outside: y0 + a.h, node };
    });
    fold.e.forEach(([from, to], e) => this.drawEdge(fold, from, to, fold.k[e], at, ends, entering, leaving));
    return { entering, leaving };
  }

  line(x1, y1, x2, y2, node) {
    return `<path class="edge plain" data-v="${node}" d="M${px(x1)} ${px(y1)}L${px(x2)} ${px(y2)}"/>` +
      `<circle class="port" cx="${px(x1)}" cy="${px(y1)}" r="2"/>`;
  }

  drawMember(a, member, i, left, top) {
    const fold = this.fn.folds[a.number], x = fold.c[2 * i], y = fold.c[2 * i + 1];
    const w = fold.b[2 * i], h = fold.b[2 * i + 1];
    const middleX = left + (a.fx(x - w / 2) + a.fx(x + w / 2)) / 2, middleY = top + (a.fy(y - h / 2) + a.fy(y + h / 2)) / 2;
    const inner = a.inner.get(i);
    if (!inner) {
      this.drawBox(member, middleX, middleY, w, h);
      return { x: middleX, y: middleY, w, h, shift: middleX - x };
    }
    const frame = { x: middleX, y: middleY, w: inner.w, h: inner.h };
    this.drawFrame(groupOf(member), frame);
    return { ...frame, ports: this.drawInside(inner, middleX - inner.w / 2, middleY - inner.h / 2) };
  }

  drawFrame(number, { x, y, w, h }) {
    const fold = this.fn.folds[number], look = this.look(-number - 1);
    this.places.set("g" + number, { x, y, w, h });
    (this.framed ??= []).push(
      `<g class="frame ${look.classes}" data-g="${number}"><rect x="${px(x - w / 2)}" y="${px(y - h / 2)}" width="${px(w)}" height="${px(h)}">` +
      `<title>${esc(fold.t || fold.n)}: a click folds it</title></rect>` +
      `<text x="${px(x - w / 2 + 8)}" y="${px(y - h / 2 + 16)}">${esc(short(fold.n, w - 16, 7))}</text></g>`);
  }

  drawBox(member, x, y, w, h) {
    const look = this.look(member), key = isGroup(member) ? "g" + groupOf(member) : "n" + member;
    this.places.set(key, { x, y, w, h });
    const attribute = isGroup(member) ? `data-g="${groupOf(member)}"` : `data-n="${member}"`;
    const style = look.fill ? ` style="fill:${look.fill}"` : "";
    const mark = look.mark ? `<circle class="mark" cx="${px(x + w / 2 - 7)}" cy="${px(y - h / 2 + 7)}" r="3.5"/>` : "";
    const titleY = look.sub ? y - 2 : y + 4;
    this.boxes.push(
      `<g class="box ${look.fill ? "filled " : ""}${look.classes}" ${attribute}><rect class="${look.kind}"${style} x="${px(x - w / 2)}" y="${px(y - h / 2)}" width="${w}" height="${h}">` +
      `<title>${esc(look.tip)}</title></rect><text class="middle" x="${px(x)}" y="${px(titleY)}">${esc(short(look.title, w - 8, 6.6))}</text>` +
      (look.sub ? `<text class="sub middle" x="${px(x)}" y="${px(y + 12)}">${esc(short(look.sub, w - 8, 5.8))}</text>` : "") + mark + "</g>");
  }

  /** The values that go from one member to another. */
  values(fold, from, to) {
    const made = isGroup(fold.m[from]) ? this.fn.folds[groupOf(fold.m[from])].o : [fold.m[from]];
    const taken = new Set(isGroup(fold.m[to]) ? this.fn.folds[groupOf(fold.m[to])].i : this.fn.nodes[fold.m[to]].i);
    return made.filter((v) => taken.has(v));
  }

  drawEdge(fold, from, to, curve, at, ends, entering, leaving) {
    const count = fold.m.length, inputs = entering.length;
    const source = from < count ? ends[from] : null, target = to < count ? ends[to] : null;
    const node = from >= count ? entering[from - count].node : to >= count ? leaving[to - count - inputs].node : null;
    const values = node !== null ? [node] : this.values(fold, from, to);
    const points = [];
    for (let i = 0; i < curve.length; i += 2) points.push(at(curve[i], curve[i + 1]));
    const begins = this.ends(source, values, points[0], curve[0], "leaving", 1);
    const stops = this.ends(target, values, points[points.length - 1], curve[curve.length - 2], "entering", -1);
    const isPlain = to >= count ? " plain" : "";
    const reader = to < count && !isGroup(fold.m[to]) ? ` data-t="${fold.m[to]}"` : "";
    const pairs = Math.max(begins.length, stops.length);
    for (let k = 0; k < pairs; ++k) {
      const begin = begins[Math.min(k, begins.length - 1)], stop = stops[Math.min(k, stops.length - 1)];
      this.edges.push(`<path class="edge${isPlain}" data-v="${values.join(" ")}"${reader} d="${this.path(begin, points, stop)}"/>`);
    }
  }

  /** Where an edge begins or ends at a member: at its border, or at the ports of an open group. */
  ends(member, values, point, x, side, sign) {
    if (!member) return [point];
    if (!member.ports) {
      const near = Math.max(-member.w / 2 + 6, Math.min(member.w / 2 - 6, x + member.shift - member.x));
      return [[member.x + near, member.y + (sign * member.h) / 2]];
    }
    const wanted = new Set(values);
    const ports = member.ports[side].filter((p) => wanted.has(p.node)).map((p) => [p.x, p.outside]);
    return ports.length > 0 ? ports : [[member.x, member.y + (sign * member.h) / 2]];
  }

  path(begin, points, stop) {
    const text = ([x, y]) => `${px(x)} ${px(y)}`;
    const join = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) < 0.5 ? "" :
      `C${text([a[0], (a[1] + b[1]) / 2])} ${text([b[0], (a[1] + b[1]) / 2])} ${text(b)}`;
    points = [...points];
    const last = points.length - 1;
    // The ends of a curve lie below and above their boxes, wherever the plane around these was stretched to.
    points[1] = [points[1][0] + begin[0] - points[0][0], points[1][1]];
    points[0] = [begin[0], points[0][1]];
    points[last - 1] = [points[last - 1][0] + stop[0] - points[last][0], points[last - 1][1]];
    points[last] = [stop[0], points[last][1]];
    // Where a curve leaves a box at its side, the plane beside the box was stretched with it: it stays between its ends.
    if (begin[1] < stop[1]) points = points.map(([x, y]) => [x, Math.max(begin[1], Math.min(stop[1], y))]);
    let out = "M" + text(begin) + join(begin, points[0]);
    for (let i = 1; i + 2 < points.length; i += 3) out += `C${text(points[i])} ${text(points[i + 1])} ${text(points[i + 2])}`;
    return out + join(points[last], stop);
  }
}
