#include "passes/analysis/matched_scalars.h"

#include <algorithm>

namespace sunmao {

void for_each_matched(const Type& own, const Type& other,
                      FunctionRef<void(const Type&, const Scalar&, const Scalar&)> f) {
  auto match = [&](const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) f(own, a[i], b[i]);
  };
  const auto *a = find<TensorType>(own), *b = find<TensorType>(other);
  if (a && b && a->dims() && b->dims()) match(*a->dims(), *b->dims());
  const auto *c = find<ShapeType>(own), *d = find<ShapeType>(other);
  if (c && d && c->values && d->values) match(*c->values, *d->values);
  const auto *p = find<PrimType>(own), *q = find<PrimType>(other);
  if (p && q && p->value && q->value) f(own, p->value, q->value);
  const auto *t = find<TupleType>(own), *u = find<TupleType>(other);
  for (size_t i = 0; t && u && i < std::min(t->fields.size(), u->fields.size()); ++i)
    for_each_matched(t->fields[i], u->fields[i], f);
}

}  // namespace sunmao
