#include "passes/schedule/kernel_family.h"

#include <algorithm>

#include "passes/schedule/contraction/contraction.h"
#include "passes/schedule/row/attention.h"
#include "passes/schedule/window/plane.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

enum class PartKind : uint8_t { Map, Row, Window, Other, Contraction };

// True when an index of a load moves with a reduced and with a spatial loop.
bool reads_windows(const StoreNest& nest) {
  const auto uses_loop_of = [&](const Scalar& index, bool reduced) {
    for (size_t i = 0; i < nest.loops.size(); ++i)
      if ((nest.kinds[i] == IterKind::Reduce) == reduced && uses(index, *nest.loops[i])) return true;
    return false;
  };
  bool found = false;
  for_each_load(nest.value, [&](const BufferLoad& load) {
    found |= std::ranges::any_of(
        load.indices, [&](const Scalar& index) { return uses_loop_of(index, true) && uses_loop_of(index, false); });
  });
  return found;
}

PartKind kind_of(const Stmt& s, const Stmt& before) {
  const std::optional<StoreNest> nest = read_store_nest(s);
  if (!nest) return PartKind::Other;
  if (nest->is_spatial()) return PartKind::Map;
  const std::optional<Contraction> c = read_contraction(s, before);
  if (c && find_plane(*c)) return PartKind::Window;
  if (c && (!c->is_left_vector || c->groups)) return PartKind::Contraction;
  return reads_windows(*nest) ? PartKind::Window : PartKind::Row;
}

}  // namespace

const char* kernel_family(const PrimFunc& func) {
  if (const bool* scan = func.attrs.find<bool>("scan"); scan && *scan) return "scan";
  const std::optional<RootBody> root = read_root(func);
  PartKind kind = root ? PartKind::Map : PartKind::Other;
  for (size_t i = 0; root && i < root->stmts.size(); ++i) {
    if (const std::optional<Attention> attention = read_attention(func, *root, i)) {
      kind = std::max(kind, PartKind::Row);
      i += attention->count - 1;
      continue;
    }
    kind = std::max(kind, kind_of(root->stmts[i], i > 0 ? root->stmts[i - 1] : Stmt()));
  }
  switch (kind) {
    case PartKind::Map: return "map";
    case PartKind::Row: return "row";
    case PartKind::Window: return "window";
    case PartKind::Contraction: return "contraction";
    case PartKind::Other: return "other";
  }
  return "other";
}

}  // namespace sunmao
