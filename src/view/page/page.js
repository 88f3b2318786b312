// The page: panels side by side, search, and what keys and the mouse do.

let page; // what the file holds: sides, each with functions, weights, texts and parts
const $ = (id) => document.getElementById(id);
let panels = [];
const together = () => panels.length === 2 && $("together").checked;
const showsOnlyAreas = () => panels.every((p) => p.showsAreas);

function say(text) { $("status").textContent = text; }

function counted() {
  say(panels.map((p) => (p.showsAreas ? `${p.side.parts.length} parts` : `${countDrawn(p.fn, p.open)} of ${p.fn.nodes.length} drawn`)).join(" | "));
}

function redraw() {
  for (const panel of panels) panel.draw();
  counted();
}

function showDetails(panel) {
  const chosen = panel?.chosen;
  const areas = panels.filter((p) => p.showsAreas);
  $("details").innerHTML = !chosen && areas.length > 0 ? areas.map((p) => sizeDetails(p.side)).join("<hr>") : !chosen ? overview(panels) : chosen[0] === "n" ? nodeDetails(panel, +chosen.slice(1)) : groupDetails(panel, +chosen.slice(1));
}

/** Redraws with the node or group staying where it is on the screen. */
function redrawAround(panel, key, change) {
  const before = panel.placeOf(key);
  change();
  redraw();
  if (before) panel.center(key, before);
}

const groupAt = (panel, path) => panel.fn.folds.findIndex((fold, i) => i > 0 && fold.t === path);

function toggle(panel, number) {
  const opens = !panel.open.has(number), path = panel.fn.folds[number].t;
  let done = true;
  redrawAround(panel, "g" + number, () => {
    const change = (p, g) => (opens ? p.openGroup(g) : (p.close(g), true));
    done = change(panel, number);
    const there = together() && panel.isCompared && path ? groupAt(panel.other, path) : -1;
    if (done && there > 0) change(panel.other, there);
  });
  if (together()) follow(panel, "g" + number);
  if (!done) say(`not opened: more than ${kMostDrawn} boxes would be drawn; fold something first`);
}

/** Moves the other panel such that what belongs to the chosen node or group lies at the same height. */
function follow(panel, key) {
  if (!panel.isCompared) return;
  const number = +key.slice(1), at = panel.placeOf(key);
  const there = key[0] === "n" ? panel.pairOf(number)?.node : groupAt(panel.other, panel.fn.folds[number].t);
  if (!at || there === null || there === undefined || there < 0) return;
  if (key[0] === "n" && !panel.other.placeOf("n" + there)) panel.other.reveal(there);
  panel.other.chosen = key[0] + there;
  panel.other.view.k = panel.view.k;
  panel.other.draw();
  panel.other.center(key[0] + there, at);
}

function choose(panel, key) {
  for (const p of panels) p.chosen = null;
  panel.chosen = key;
  redraw();
  if (key && together()) follow(panel, key);
  showDetails(panel);
}

function goTo(panel, node) {
  if (panel.showsAreas) toggleBytes();
  if (!panel.reveal(node)) {
    panel.open = new Set();
    panel.reveal(node);
  }
  panel.chosen = "n" + node;
  panel.draw();
  if (panel.view.k < 0.5) panel.view.k = 0.9;
  panel.center("n" + node);
  choose(panel, "n" + node);
}

/** Shows a function on all sides; one that lacks it says so. */
function showFunction(name) {
  for (const p of panels) p.show(name);
  $("function").value = name;
  redraw();
  for (const p of panels) p.fit();
  showDetails(null);
}

// Search: every word has to be in what is known of a node.

const textOf = (side, n) => (n.words ??= [n.n, n.o, n.s, n.m, n.p, n.l, ...n.w.map((w) => side.weights[w].n)].join(" ").toLowerCase());

function search() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const p of panels) {
    const matches = (n) => words.length > 0 && words.every((w) => textOf(p.side, n).includes(w));
    p.found = new Set(p.fn.nodes.map((n, i) => [n, i]).filter(([n]) => matches(n)).map(([, i]) => i));
    p.chosen = null;
  }
  redraw();
  if (words.length === 0) return showDetails(null);
  const hits = panels.flatMap((p) => [...p.found].map((n) => [p, n]));
  const line = ([p, n]) => `<div>${nodeLink(p, n)} <span class="soft">${esc(p.fn.nodes[n].o)} ${esc(p.fn.nodes[n].s)}${p.fn.nodes[n].m ? " in " + esc(p.fn.nodes[n].m) : ""}</span></div>`;
  $("details").innerHTML = `<h2>${hits.length} found</h2>${listed(hits, line)}`;
}

// The mouse, fingers and keys.

function listen(panel) {
  const svg = panel.svg, pointers = new Map();
  let moved = 0;
  const position = (e) => { const r = svg.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
  const moving = () => (together() ? panels : [panel]);
  svg.addEventListener("wheel", (e) => {
    e.preventDefault();
    const [x, y] = position(e), factor = Math.exp(-e.deltaY * (e.ctrlKey ? 0.01 : 0.0016));
    for (const p of moving()) p.zoom(factor, x, y);
  }, { passive: false });
  svg.addEventListener("pointerdown", (e) => { pointers.set(e.pointerId, [e.clientX, e.clientY]); moved = 0; });
  window.addEventListener("pointermove", (e) => {
    const before = pointers.get(e.pointerId);
    if (!before) return;
    const others = [...pointers].filter(([id]) => id !== e.pointerId).map(([, at]) => at);
    const [dx, dy] = [e.clientX - before[0], e.clientY - before[1]];
    moved += Math.abs(dx) + Math.abs(dy);
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
    if (others.length > 0) {
      const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1, r = svg.getBoundingClientRect();
      const factor = distance([e.clientX, e.clientY], others[0]) / distance(before, others[0]);
      for (const p of moving()) p.zoom(factor, others[0][0] - r.left, others[0][1] - r.top);
      return;
    }
    for (const p of moving()) { p.view.x += dx; p.view.y += dy; p.move(); }
  });
  for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, (e) => pointers.delete(e.pointerId));
  svg.addEventListener("click", (e) => {
    const kClick = 6; // pixels that a hand may move while it clicks
    if (moved > kClick) return;
    if (panel.showsAreas) return;
    const at = e.target.closest(".box, .frame");
    if (!at) return choose(panel, null);
    if (at.dataset.n !== undefined) return choose(panel, "n" + at.dataset.n);
    toggle(panel, +at.dataset.g);
    for (const p of panels) p.chosen = null;
    panel.chosen = "g" + at.dataset.g;
    panel.draw();
    showDetails(panel);
  });
}

function unfoldAll(open) {
  let all = true;
  for (const p of panels) {
    if (open) all = p.unfold() && all;
    else p.open = new Set();
  }
  redraw();
  for (const p of panels) p.fit();
  if (!all) say(`as far as ${kMostDrawn} boxes: the rest opens where something else is folded`);
}

function zoomAll(factor) {
  for (const p of panels) { const r = p.svg.getBoundingClientRect(); p.zoom(factor, r.width / 2, r.height / 2); }
}

/** Shows the bytes of artifacts in place of their graphs, or the graphs again. */
function toggleBytes() {
  if (!page.sides.some((s) => s.parts.length > 0)) return;
  const shows = !panels[0].showsBytes;
  for (const p of panels) p.showsBytes = shows;
  $("bytes").textContent = shows ? "graph" : "bytes";
  for (const id of ["function", "colour", "unfold", "fold", "fit", "in", "out"]) $(id).disabled = showsOnlyAreas();
  for (const p of panels) p.chosen = null;
  redraw();
  if (!shows) for (const p of panels) p.fit();
  showDetails(null);
}

const ofGraphs = (act) => () => { if (!showsOnlyAreas()) act(); };
const keys = {
  b: toggleBytes,
  "/": () => $("search").focus(), f: ofGraphs(() => panels.forEach((p) => p.fit())), e: ofGraphs(() => unfoldAll(true)), c: ofGraphs(() => unfoldAll(false)),
  "+": ofGraphs(() => zoomAll(1.25)), "-": ofGraphs(() => zoomAll(0.8)), Escape: () => { $("search").value = ""; search(); },
};

/** The functions that panels show first: the same one where both sides have it; `main`, or the largest one. */
function firstFunctions() {
  const names = page.sides.map((side) => side.functions.map((f) => f.name));
  const common = names[0].filter((name) => names.every((own) => own.includes(name)));
  const nodesOf = (name) => page.sides.reduce((sum, side) => sum + (side.functions.find((f) => f.name === name)?.nodes.length ?? 0), 0);
  const first = (own) => (own.includes("main") ? "main" : own.reduce((a, b) => (nodesOf(b) > nodesOf(a) ? b : a)));
  return names.map((own) => first(common.length > 0 ? common : own));
}

/** The functions of all sides, with the number of nodes that each side has of them. */
function functionMenu() {
  const names = [...new Set(page.sides.flatMap((side) => side.functions.map((f) => f.name)))];
  const counts = (name) => page.sides.map((side) => side.functions.find((f) => f.name === name)?.nodes.length ?? "none").join(" | ");
  return names.map((name) => `<option value="${esc(name)}">${esc(name)} (${counts(name)})</option>`).join("");
}

function makePanels() {
  const first = firstFunctions();
  panels = page.sides.map((side, index) => {
    const element = document.createElement("div");
    element.className = "panel";
    $("panels").append(element);
    return new Panel(index, side, element, first[index]);
  });
  if (panels.length === 2) [panels[0].other, panels[1].other] = [panels[1], panels[0]];
}

/** The data of the page: JSON, compressed, in base64. */
async function load() {
  const bytes = Uint8Array.from(atob($("data").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function start() {
  makePanels();
  $("title").innerHTML = panels.map((p) => esc(p.side.title)).join(" <small>and</small> ");
  $("function").innerHTML = functionMenu();
  $("function").value = panels[0].fn.name;
  $("function").addEventListener("change", (e) => showFunction(e.target.value));
  const names = modes.filter((m) => page.sides.some((s) => m.has(s))).map((m) => m.name);
  if (panels.length === 2) names.push("changes");
  if (panels.some((p) => p.side.functions.some((f) => f.pairs?.some((x) => x.difference !== undefined)))) names.push("difference");
  $("colour").innerHTML = names.map((n) => `<option>${n}</option>`).join("");
  const first = panels.length === 2 ? "changes" : names.includes("time") ? "time" : "kind";
  $("colour").value = first;
  const recolour = () => { for (const p of panels) p.mode = $("colour").value; redraw(); };
  $("colour").addEventListener("change", recolour);
  $("bytes").hidden = !page.sides.some((s) => s.parts.length > 0);
  $("together-label").hidden = panels.length < 2;
  $("search").addEventListener("input", search);
  $("search").addEventListener("keydown", (e) => { if (e.key === "Escape") { keys.Escape(); e.target.blur(); } });
  for (const [id, act] of [["bytes", toggleBytes], ["unfold", keys.e], ["fold", keys.c], ["fit", keys.f], ["in", keys["+"]], ["out", keys["-"]]]) $(id).addEventListener("click", act);
  document.addEventListener("keydown", (e) => {
    if (e.target.closest("input, select") || e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
    e.preventDefault();
    keys[e.key]();
  });
  $("details").addEventListener("click", (e) => {
    const link = e.target.closest("[data-side]");
    if (!link) return;
    const panel = panels[+link.dataset.side], { node, toggle: group, function: called } = link.dataset;
    if (node !== undefined) goTo(panel, +node);
    else if (group !== undefined) { toggle(panel, +group); showDetails(panel); }
    else if (called !== undefined) showFunction(called);
  });
  window.addEventListener("resize", () => panels.forEach((p) => p.fit()));
  panels.forEach(listen);
  recolour();
  panels.forEach((p) => p.fit());
  showDetails(null);
  if (location.hash === "#bytes") toggleBytes();
  document.body.dataset.ready = "1";
}

if (typeof DecompressionStream === "undefined")
  say("this browser is too old: it has no DecompressionStream");
else
  load().then((data) => { page = data; start(); });
