#include "passes/graph/erase_symbols.h"

#include <algorithm>

namespace sunmao {

Type erase_symbols(const Type& type, const std::unordered_set<Ref<SymVar>>& symbols) {
  const std::vector<Ref<SymVar>> used = free_symbols(type);
  if (std::ranges::none_of(used, [&](const Ref<SymVar>& s) { return symbols.contains(s); })) return type;
  if (const auto* t = find<TensorType>(type)) return TensorType::make_unknown(t->dtype, t->rank, t->vdevice, t->span);
  if (const auto* t = find<ShapeType>(type)) return ShapeType::make_unknown(t->rank, t->span);
  if (const auto* t = find<PrimType>(type)) return PrimType::make(t->dtype, t->span);
  const auto* tuple = find<TupleType>(type);
  if (!tuple) return type;
  std::vector<Type> fields;
  for (const Type& f : tuple->fields) fields.push_back(erase_symbols(f, symbols));
  return TupleType::make(std::move(fields), type->span);
}

}  // namespace sunmao
