#include "ir/argument_symbols.h"

#include <algorithm>

namespace sunmao {

void ArgumentSymbols::match(const Type& param, const Type& arg) {
  if (!param || !arg || param->kind != arg->kind) return;
  if (const auto* tensor = find<TensorType>(param)) {
    match(tensor->dims(), find<TensorType>(arg)->dims());
  } else if (const auto* shape = find<ShapeType>(param)) {
    const auto& values = find<ShapeType>(arg)->values;
    match(shape->values ? &*shape->values : nullptr, values ? &*values : nullptr);
  } else if (const auto* prim = find<PrimType>(param)) {
    match(prim->value, find<PrimType>(arg)->value);
  } else if (const auto* tuple = find<TupleType>(param)) {
    const std::vector<Type>& fields = find<TupleType>(arg)->fields;
    for (size_t i = 0; i < std::min(tuple->fields.size(), fields.size()); ++i) match(tuple->fields[i], fields[i]);
  }
}

void ArgumentSymbols::match(const std::vector<Scalar>* param, const std::vector<Scalar>* arg) {
  if (!param || !arg) return;
  for (size_t i = 0; i < std::min(param->size(), arg->size()); ++i) match((*param)[i], (*arg)[i]);
}

void ArgumentSymbols::match(const Scalar& param, const Scalar& arg) {
  const Ref<SymVar> symbol = find_ref<SymVar>(param);
  if (symbol && arg && known_.insert(symbol).second) copy_.map(symbol, arg);
}

}  // namespace sunmao
