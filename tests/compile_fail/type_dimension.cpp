// expect: discards qualifiers
// The dimensions of a tensor type are read-only.
#include "ir/type.h"

using namespace sunmao;

Scalar first_dim(const TensorType& type) { return type.dims()->at(0); }
int rank(const Ref<TensorType>& type) { return type->rank; }

#ifdef SUNMAO_MUST_NOT_COMPILE
void grow(const Ref<TensorType>& type, Scalar dim) {
  auto* dims = type->dims();
  dims->push_back(std::move(dim));
}
#endif
