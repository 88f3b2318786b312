// The column beside the picture: what is known of a node, a group, or everything.

const row = (name, value) => (value === "" || value === undefined || value === null ? "" : `<tr><th>${esc(name)}</th><td>${value}</td></tr>`);
const table = (rows) => { const text = rows.join(""); return text ? `<table>${text}</table>` : ""; };
const section = (title, body) => (body ? `<h3>${esc(title)}</h3>${body}` : "");
const nodeLink = (panel, n) => `<a data-side="${panel.index}" data-node="${n}">${esc(panel.fn.nodes[n].n || panel.fn.nodes[n].o)}</a>`;
const kMostListed = 100;

function listed(items, write) {
  const more = items.length > kMostListed ? `<div class="soft">and ${items.length - kMostListed} more</div>` : "";
  return items.slice(0, kMostListed).map(write).join("") + more;
}

function histogram(h) {
  const most = Math.max(...h.bins, 1), width = 100 / h.bins.length;
  const bars = h.bins.map((count, i) => `<rect x="${i * width}" y="${50 - (50 * count) / most}" width="${width * 0.86}" height="${(50 * count) / most}"/>`);
  const rows = [
    row("least, greatest", `${realText(h.least)}, ${realText(h.greatest)}`), row("mean, deviation", `${realText(h.mean)}, ${realText(h.deviation)}`),
    row("zeros", h.zeros > 0 ? `${h.zeros} of ${h.numbers}` : ""), row("NaN, infinite", h.not_finite > 0 ? `<b>${h.not_finite} of ${h.numbers}</b>` : ""),
    row("looked at", h.sampled ? `${h.numbers} evenly spaced elements` : ""),
  ];
  const drawn = `<svg class="bars" viewBox="0 0 100 50" preserveAspectRatio="none" role="img" aria-label="histogram">${bars.join("")}</svg>`;
  return (h.numbers > 1 ? drawn : "") + table(rows);
}

function weightDetails(side, number) {
  const w = side.weights[number];
  return `<h3>weight ${esc(w.n)}</h3>${table([row("type", esc(shapeOf(w.t))), row("bytes", `${w.b} (${bytesText(w.b)})`)])}${w.h ? histogram(w.h) : ""}`;
}

function comparison(panel, n) {
  const pair = panel.pairOf(n);
  if (!pair) return "";
  const other = panel.other, rows = [row("compared", `<span class="chip ${pair.mark}">${marks[pair.mark]}</span>`)];
  if (pair.node !== null) rows.push(row("there", nodeLink(other, pair.node)));
  for (const line of pair.changes ?? []) rows.push(row(line[0], `${esc(line[1])}<br>→ ${esc(line[2])}`));
  const difference = panel.differenceOf(n);
  if (difference !== undefined)
    rows.push(row("numbers", Number.isFinite(difference) ? `largest difference ${realText(difference)} of the largest magnitude` : "not finite on one side"));
  return section("side by side", table(rows));
}

function nodeDetails(panel, n) {
  const { side, fn } = panel, node = fn.nodes[n];
  const users = (fn.users ??= fn.nodes.reduce((out, m, i) => { for (const s of m.i) (out[s] ??= []).push(i); return out; }, {}))[n] ?? [];
  const isFunction = node.k === "call" && side.functions.some((f) => f.name === node.o);
  const general = table([
    row("op", isFunction ? `<a data-side="${panel.index}" data-function="${esc(node.o)}">${esc(node.o)}</a>` : esc(node.o)),
    row("type", esc(shapeOf(node.t))), row("bytes", node.b ? `${node.b} (${bytesText(node.b)})` : ""), row("time of a run", node.c ? timeText(node.c) : ""),
    row("module", esc(node.m ?? "")), row("node in file", esc(node.p ?? "")), row("source", esc(node.l ?? "")),
  ]);
  const attributes = table((node.a ?? []).map(([name, text]) => row(name, `<code>${esc(text)}</code>`)));
  const inputs = listed([...new Set(node.i)], (i) => `<div>${nodeLink(panel, i)} <span class="soft">${esc(fn.nodes[i].s)}</span></div>`);
  const used = listed([...new Set(users)], (i) => `<div>${nodeLink(panel, i)} <span class="soft">${esc(fn.nodes[i].o)}</span></div>`);
  const text = node.x === undefined ? "" : `<pre>${esc(side.texts[node.x].text)}</pre>`;
  return `<h2>${esc(node.n || node.o)}</h2>${general}${comparison(panel, n)}${section("attributes and sizes", attributes)}${section("takes", inputs)}${section("is taken by", used)}` +
    listed(node.w, (w) => weightDetails(side, w)) + section(node.x === undefined ? "" : side.texts[node.x].title, text);
}

function countsOf(fn, nodes) {
  const counts = new Map();
  for (const n of nodes) if (!["input", "output"].includes(fn.nodes[n].k)) counts.set(fn.nodes[n].o, (counts.get(fn.nodes[n].o) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

function opsTable(fn, nodes) {
  return `<table>${listed(countsOf(fn, nodes), ([op, count]) => `<tr><td>${esc(op)}</td><td class="number">${count}</td></tr>`)}</table>`;
}

function slowest(panel, nodes) {
  const timed = nodes.filter((n) => panel.fn.nodes[n].c).sort((a, b) => panel.fn.nodes[b].c - panel.fn.nodes[a].c).slice(0, 15);
  return timed.map((n) => `<tr><td>${nodeLink(panel, n)}</td><td class="number">${timeText(panel.fn.nodes[n].c)}</td></tr>`).join("");
}

function groupDetails(panel, number) {
  const { side, fn } = panel, fold = fn.folds[number], nodes = nodesIn(fn, number);
  const seconds = secondsOf(fn, nodes), weights = new Set(nodes.flatMap((n) => fn.nodes[n].w));
  const rows = [row("ops", nodes.length), row("weights", weights.size > 0 ? `${weights.size}, ${bytesText(weightBytes(side, fn, nodes))}` : ""),
    row("time of a run", seconds > 0 ? timeText(seconds) : ""), row("enter", fold.i.length), row("leave", fold.o.length)];
  const open = panel.open.has(number) ? "fold" : "open";
  return `<h2>${esc(fold.t || fold.n)}</h2><p><a data-side="${panel.index}" data-toggle="${number}">${open} this group</a></p>${table(rows)}` +
    section("slowest", table([slowest(panel, nodes)])) + section("ops", opsTable(fn, nodes));
}

/** A bar for each pair of layers: how much their numbers differ, logarithmically from 1e-7 to 1. */
function layerChart(panel) {
  const values = panel.fn.nodes.map((_, n) => [n, panel.differenceOf(n)]).filter(([, d]) => d !== undefined);
  if (values.length === 0) return "";
  const width = 300 / values.length;
  const bars = values.map(([n, d], i) => {
    const h = Math.max(1, 110 * Math.max(0, Math.min(1, (Math.log10(d || 1e-9) + 7) / 7)));
    return `<rect data-side="${panel.index}" data-node="${n}" x="${i * width}" y="${118 - h}" width="${Math.max(width * 0.9, 0.4)}" height="${h}" style="fill:${heat(h / 110)}"><title>${esc(panel.fn.nodes[n].n)}: ${realText(d)}</title></rect>`;
  });
  return `<svg class="layers" viewBox="0 0 300 120" preserveAspectRatio="none">${bars.join("")}</svg><div class="soft">layers in order; heights from 1e-7 to 1, logarithmic</div>`;
}

function changesList(panels) {
  if (!panels[0].isCompared) return "<p>Not compared: the panels show no common function.</p>";
  const lines = [];
  panels.forEach((panel) => panel.fn.nodes.forEach((node, n) => {
    const pair = panel.pairOf(n);
    if (!pair || pair.mark === "same" || (panel.index === 1 && pair.mark === "changed")) return;
    lines.push(`<div><span class="chip ${pair.mark}">${marks[pair.mark]}</span> ${nodeLink(panel, n)} <span class="soft">${esc(node.o)} ${esc(node.s)}</span></div>`);
  }));
  return lines.length > 0 ? listed(lines, (l) => l) : "<p>Both have the same ops.</p>";
}

function overview(panels) {
  const parts = panels.map((panel) => {
    const { side, fn } = panel;
    if (fn.isMissing) return `<h2>${esc(side.title)}</h2><p>There is no function ${esc(fn.name)} here.</p>`;
    const all = fn.nodes.map((_, i) => i), seconds = secondsOf(fn, all);
    const weights = side.weights.reduce((sum, w) => sum + w.b, 0);
    const rows = [row("stage", esc(side.stage)), row("ops", countsOf(fn, all).reduce((sum, [, c]) => sum + c, 0)), row("groups", fn.folds.length - 1),
      row("weights", side.weights.length > 0 ? `${side.weights.length}, ${bytesText(weights)}` : ""), row("time of a run", seconds > 0 ? timeText(seconds) : "")];
    return `<h2>${esc(side.title)}</h2>${table(rows)}` + section("slowest", table([slowest(panel, all)])) + section("ops", opsTable(fn, all));
  });
  const compared = panels.length > 1 ? section("numbers, layer by layer", layerChart(panels[0])) + section("what changed", changesList(panels)) : "";
  const words = "A click on a group opens it, on its frame folds it; on an op shows it here. The wheel zooms, dragging moves.";
  return compared + parts.join("<hr>") + `<p class="soft">${words} Laid out by ${esc(page.layout)}.</p>`;
}
