// Where everything is drawn. Each group was laid out beforehand as if all groups inside were folded; an open group
// stretches the plane around it, so that nothing is laid out again and nothing changes its order.

const kTitle = 24, kPad = 10; // pixels: the title of an open group, and the room at its other borders
const kHalfPort = 4;          // pixels from the middle of a port to where edges begin and end
const kMostDrawn = 2000;      // boxes in one picture

const isGroup = (member) => member < 0;
const groupOf = (member) => -member - 1;

/** Returns a function that maps positions such that each interval [begin, end] grows by at least its extra. */
function stretched(intervals) {
  const cuts = [...new Set(intervals.flatMap(([begin, end]) => [begin, end]))].sort((a, b) => a - b);
  const shifts = [0];
  for (let i = 1; i < cuts.length; ++i) {
    const middle = (cuts[i - 1] + cuts[i]) / 2;
    let density = 0;
    for (const [begin, end, extra] of intervals)
      if (begin < middle && middle < end) density = Math.max(density, extra / (end - begin));
    shifts.push(shifts[i - 1] + density * (cuts[i] - cuts[i - 1]));
  }
  return (x) => {
    if (cuts.length === 0 || x <= cuts[0]) return x;
    let low = 0, high = cuts.length - 1;
    if (x >= cuts[high]) return x + shifts[high];
    while (high - low > 1) {
      const half = (low + high) >> 1;
      if (cuts[half] <= x) low = half; else high = half;
    }
    return x + shifts[low] + (shifts[high] - shifts[low]) * (x - cuts[low]) / (cuts[high] - cuts[low]);
  };
}

/** Arranges a group and the open groups inside: sizes, and how positions of its layout are mapped. */
function arrange(fn, number, open) {
  const fold = fn.folds[number], inner = new Map(), horizontal = [], vertical = [];
  fold.m.forEach((member, i) => {
    if (!isGroup(member) || !open.has(groupOf(member))) return;
    const inside = arrange(fn, groupOf(member), open);
    inner.set(i, inside);
    const [x, y] = [fold.c[2 * i], fold.c[2 * i + 1]], [w, h] = [fold.b[2 * i], fold.b[2 * i + 1]];
    horizontal.push([x - w / 2, x + w / 2, Math.max(0, inside.w - w)]);
    vertical.push([y - h / 2, y + h / 2, Math.max(0, inside.h - h)]);
  });
  const fx = stretched(horizontal), fy = stretched(vertical);
  return { number, inner, fx, fy, w: Math.max(fx(fold.w), 8 * fold.n.length + 40) + 2 * kPad, h: fy(fold.h) + kTitle + kPad };
}

/** Returns how many boxes are drawn when these groups are open. */
function countDrawn(fn, open, number = 0) {
  let count = 0;
  for (const member of fn.folds[number].m)
    count += isGroup(member) && open.has(groupOf(member)) ? countDrawn(fn, open, groupOf(member)) : 1;
  return count;
}

/** Returns the groups that a node is in, the innermost first, without the whole function. */
function groupsAround(fn, node) {
  if (!fn.homes) {
    fn.homes = new Map();
    fn.folds.forEach((fold, number) => fold.m.forEach((m) => { if (!isGroup(m)) fn.homes.set(m, number); }));
  }
  const around = [];
  for (let at = fn.homes.get(node); at > 0; at = fn.folds[at].p) around.push(at);
  return around;
}

/** Returns all nodes of a group, at any depth. */
function nodesIn(fn, number) {
  const fold = fn.folds[number];
  if (!fold.all) fold.all = fold.m.flatMap((m) => (isGroup(m) ? nodesIn(fn, groupOf(m)) : [m]));
  return fold.all;
}
