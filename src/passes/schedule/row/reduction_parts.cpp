#include "passes/schedule/row/reduction_parts.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"

namespace sunmao {
namespace {

constexpr int64_t kWorthParts = 1 << 18;  // elements; below, a thread takes as long as it takes to wake another
// Parts are the same on every machine, since their number decides how the sum is rounded.
constexpr int64_t kMostParts = 16;
constexpr int64_t kFewResults = 4;    // tasks, one for each iteration outside of vectors
constexpr int64_t kFewColumns = 256;  // results that vectors hold, which are a few tasks

/// Returns the product of the extents of loops; 0 when one is no constant, or it is beyond all that is found in models.
int64_t size_of(const StoreNest& nest, std::span<const size_t> loops) {
  int64_t size = 1;
  for (size_t i : loops) {
    const int64_t* extent = find_int(nest.extents[i]);
    size *= extent && *extent < kWorthParts << 16 && size < kWorthParts << 16 ? *extent : 0;
  }
  return size;
}

/// True when vectors hold results: the last spatial loop is the last index of what is read.
bool is_across(const Reduction& r) {
  if (r.spatial.empty()) return false;
  bool found = false;
  for_each_load(r.element, [&](const BufferLoad& l) {
    found = found || (!l.indices.empty() && l.indices.back().get() == r.nest.loops[r.spatial.back()].get());
  });
  return found;
}

bool has_few_results(const Reduction& r) {
  if (!is_across(r)) return size_of(r.nest, r.spatial) < kFewResults;
  const std::span<const size_t> outside(r.spatial.begin(), r.spatial.end() - 1);
  const int64_t columns = size_of(r.nest, std::span(&r.spatial.back(), 1));
  return size_of(r.nest, outside) < kFewResults && columns <= kFewColumns;
}

/// Returns the greatest number of equal parts of a loop, of up to kMostParts.
int64_t parts_of_loop(int64_t extent) {
  for (int64_t parts = std::min(kMostParts, extent); parts > 1; --parts)
    if (extent % parts == 0) return parts;
  return 1;
}

Reduction partial_of(const Reduction& r, size_t split, int64_t parts) {
  Reduction out = r;
  const Ref<SymVar> whole = r.nest.loops[split], part = SymVar::make("part", whole->dtype),
                    inner = SymVar::make(whole->name, whole->dtype);
  const int64_t size = *find_int(r.nest.extents[split]) / parts;
  out.nest.init = r.neutral();
  out.nest.loops[split] = inner;
  out.nest.extents[split] = IntImm::make(whole->dtype, size);
  std::vector<Scalar> shape{int_imm(parts)};
  out.nest.indices = {part};
  for (size_t i : r.spatial) {
    shape.push_back(as_index(r.nest.extents[i]));
    out.nest.indices.push_back(r.nest.loops[i]);
  }
  out.nest.buffer = Buffer::make(r.nest.buffer->name + "_parts", r.nest.buffer->dtype, shape);
  out.element = substitute(r.element, {{whole, part * IntImm::make(whole->dtype, size) + inner}});
  out.nest.value = r.combined(load(out.nest.buffer, out.nest.indices), out.element);
  out.nest.loops.insert(out.nest.loops.begin(), part);
  out.nest.extents.insert(out.nest.extents.begin(), IntImm::make(whole->dtype, parts));
  out.nest.kinds.insert(out.nest.kinds.begin(), IterKind::Spatial);
  return *read_reduction(out.nest);
}

Reduction combined_of(const Reduction& r, const Ref<Buffer>& parts) {
  StoreNest nest = r.nest;
  nest.loops.clear();
  nest.extents.clear();
  nest.kinds.clear();
  const Ref<SymVar> part = SymVar::make("part");
  std::vector<Scalar> at{part};
  Substitution own;
  for (size_t i : r.spatial) {
    const Ref<SymVar>& loop = r.nest.loops[i];
    nest.loops.push_back(SymVar::make(loop->name, loop->dtype));
    nest.extents.push_back(r.nest.extents[i]);
    nest.kinds.push_back(IterKind::Spatial);
    own[loop] = nest.loops.back();
    at.push_back(nest.loops.back());
  }
  nest.loops.push_back(part);
  nest.extents.push_back(parts->shape[0]);
  nest.kinds.push_back(IterKind::Reduce);
  for (Scalar& index : nest.indices) index = substitute(index, own);
  nest.init = substitute(nest.init, own);
  nest.value = r.combined(load(nest.buffer, nest.indices), load(parts, at));
  return *read_reduction(nest);
}

}  // namespace

std::optional<ReductionParts> parts_of(const Reduction& r) {
  const int64_t results = size_of(r.nest, r.spatial), steps = size_of(r.nest, r.reduced);
  if (r.nest.buffer->dtype.bits < 32 || results == 0 || steps == 0 || steps < kWorthParts / results ||
      !has_few_results(r))
    return std::nullopt;
  size_t split = 0;
  int64_t most = 1;
  for (size_t i : r.reduced)
    if (const int64_t parts = parts_of_loop(*find_int(r.nest.extents[i])); parts > most) {
      split = i;
      most = parts;
    }
  if (most == 1) return std::nullopt;
  Reduction partial = partial_of(r, split, most);
  Reduction combined = combined_of(r, partial.nest.buffer);
  return ReductionParts{std::move(partial), std::move(combined)};
}

}  // namespace sunmao
