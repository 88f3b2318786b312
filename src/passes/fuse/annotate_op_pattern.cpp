// The pass `annotate-op-pattern`: states the pattern of each loop-level function that does not state one.
#include "passes/analysis/op_pattern.h"
#include "passes/passes.h"

namespace sunmao {

Module annotate_op_pattern(const Module& m, const PassContext&) {
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    const auto* f = find<PrimFunc>(Expr(e.func));
    if (!f) continue;
    const AttrValue pattern = static_cast<int>(find_op_pattern(*f));
    const AttrValue* said = f->attrs.find(kOpPattern);
    if (said && (said->same_plain(pattern) || !said->same_plain(AttrValue(0)))) continue;
    changed.push_back({e.var, f->with_attrs(f->attrs.with(kOpPattern, pattern))});
  }
  return changed.empty() ? m : m.with_functions(std::move(changed));
}

}  // namespace sunmao
