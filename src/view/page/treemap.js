// The bytes of an artifact as areas: parts inside of the modules and kinds that they belong to.

/** The parts as a tree: kind, then the path of the module or the code image, then the part itself. */
function partTree(parts) {
  const root = { name: "", bytes: 0, inner: new Map() };
  parts.forEach(([kind, name, path, bytes], number) => {
    const steps = [kind, ...(path ? path.split(kind === "weights" || kind === "duplicates" ? "." : "\n") : [])];
    let at = root;
    at.bytes += bytes;
    for (const step of steps) {
      if (!at.inner.has(step)) at.inner.set(step, { name: step, bytes: 0, inner: new Map() });
      at = at.inner.get(step);
      at.bytes += bytes;
    }
    at.inner.set(number, { name, bytes, inner: new Map() });
  });
  return root;
}

/** Divides a rectangle among items, in rows whose members are about as wide as they are high. */
function squarified(items, x, y, w, h) {
  const out = [], all = items.reduce((sum, item) => sum + item.bytes, 0);
  if (all <= 0 || w <= 0 || h <= 0) return out;
  const scale = (w * h) / all, sorted = items.filter((i) => i.bytes > 0).sort((a, b) => b.bytes - a.bytes);
  const worst = (row, sum, side) => Math.max((side * side * row[0].bytes * scale) / (sum * sum), (sum * sum) / (side * side * row[row.length - 1].bytes * scale));
  for (let begin = 0; begin < sorted.length;) {
    const side = Math.min(w, h), row = [sorted[begin]];
    let sum = sorted[begin].bytes * scale;
    while (begin + row.length < sorted.length) {
      const next = sorted[begin + row.length], more = sum + next.bytes * scale;
      if (worst([...row, next], more, side) > worst(row, sum, side)) break;
      row.push(next);
      sum = more;
    }
    const thick = sum / side;
    let at = 0;
    for (const item of row) {
      const long = (item.bytes * scale) / thick;
      out.push(w >= h ? { item, x, y: y + at, w: thick, h: long } : { item, x: x + at, y, w: long, h: thick });
      at += long;
    }
    if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    begin += row.length;
  }
  return out;
}

const partColours = { weights: "product", duplicates: "only-a", kernels: "kernel", "code images besides": "window", program: "norm", manifest: "activation", alignment: "move", headers: "reduce", "other entries": "control" };

/** Returns SVG text. Areas under a few pixels are drawn as part of what they are in. */
function treemap(parts, width, height) {
  const kLabel = 15, kSmallest = 3, out = [];
  const draw = (node, x, y, w, h, colour, depth) => {
    const title = `<title>${esc(node.name)}: ${node.bytes} bytes (${bytesText(node.bytes)})</title>`;
    out.push(`<g class="area"><rect x="${px(x)}" y="${px(y)}" width="${px(w)}" height="${px(h)}" style="fill:var(--${colour})">${title}</rect>`);
    const fits = w > 34 && h > kLabel;
    if (fits) out.push(`<text class="sub" x="${px(x + 4)}" y="${px(y + 12)}">${esc(short(`${node.name} ${bytesText(node.bytes)}`, w - 6, 5.8))}</text>`);
    out.push("</g>");
    if (node.inner.size === 0) return;
    const top = fits ? kLabel : 1;
    for (const r of squarified([...node.inner.values()], x + 1, y + top, w - 2, h - top - 1))
      if (r.w >= kSmallest && r.h >= kSmallest) draw(r.item, r.x, r.y, r.w, r.h, depth === 0 ? partColours[r.item.name] ?? "plain" : colour, depth + 1);
  };
  const root = partTree(parts);
  root.name = "file";
  draw(root, 0, 0, width, height, "plain", 0);
  return out.join("");
}

/** Tables for the column beside. */
function sizeDetails(side) {
  const kinds = new Map(), all = side.parts.reduce((sum, p) => sum + p[3], 0);
  for (const [kind, , , bytes] of side.parts) kinds.set(kind, (kinds.get(kind) ?? 0) + bytes);
  const line = (name, bytes, note) => `<tr><td>${esc(name)}${note ? ` <span class="soft">${esc(note)}</span>` : ""}</td><td class="number">${bytesText(bytes)}</td><td class="number">${((100 * bytes) / all).toFixed(2)} %</td></tr>`;
  const byKind = [...kinds].sort((a, b) => b[1] - a[1]).map(([kind, bytes]) => line(kind, bytes)).join("");
  const largest = [...side.parts].sort((a, b) => b[3] - a[3]).slice(0, 40).map(([, name, path, bytes]) => line(name, bytes, path)).join("");
  return `<h2>${esc(side.title)}</h2><p>${all} bytes</p>${section("by kind", `<table>${byKind}</table>`)}${section("largest parts", `<table>${largest}</table>`)}`;
}
