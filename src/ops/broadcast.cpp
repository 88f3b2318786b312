#include "ops/broadcast.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/type_relation.h"
#include "ops/params.h"

namespace sunmao {

std::optional<std::vector<Scalar>> broadcast_shape(const InferInput& in, const std::vector<Scalar>& a,
                                                   const std::vector<Scalar>& b) {
  const std::vector<Scalar>&longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  size_t lead = longer.size() - shorter.size();
  std::vector<Scalar> out(longer.begin(), longer.begin() + static_cast<std::ptrdiff_t>(lead));
  bool is_known = true;
  for (size_t i = 0; i < shorter.size(); ++i) {
    const Scalar &x = longer[lead + i], &y = shorter[i];
    if (is_one(x))
      out.push_back(y);
    else if (is_one(y) || in.analyzer().can_prove_equal(x, y))
      out.push_back(x);
    else if (!in.can_agree(x, y) && find_int(x) && find_int(y))
      in.error(
          "E0303",
          fmt::format("shapes do not broadcast: {} against {} at dimension {}", describe(x), describe(y), lead + i),
          "sizes must be equal, or one of them 1");
    else
      is_known = false;
  }
  if (!is_known) return std::nullopt;
  return out;
}

Indices broadcast_indices(const std::vector<Scalar>& from, const Indices& indices) {
  Indices out;
  size_t lead = indices.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t* size = find_int(from[i]);
    out.push_back(size && *size == 1 ? IntImm::make(indices[lead + i]->dtype, 0) : indices[lead + i]);
  }
  return out;
}

Indices repeated_indices(const std::vector<Scalar>& from, const std::vector<Scalar>& to, const Indices& indices) {
  Analyzer analyzer;
  Indices out = broadcast_indices(from, indices);
  const size_t lead = indices.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (find_int(from[i]) || analyzer.can_prove_equal(from[i], to[lead + i])) continue;
    const Scalar is_whole = Binary::make(BinaryOp::Eq, from[i], to[lead + i]);
    out[i] = Select::make(is_whole, out[i], IntImm::make(out[i]->dtype, 0));
  }
  return out;
}

DType common_dtype(const InferInput& in, const TensorType& a, const TensorType& b) {
  if (a.dtype.is_void() || b.dtype.is_void()) return DType::void_();
  if (a.dtype != b.dtype)
    in.error("E0304", fmt::format("operands differ in dtype: {} and {}", a.dtype.str(), b.dtype.str()),
             "use astype on one of them");
  return a.dtype;
}

Ref<VDevice> common_vdevice(const InferInput& in, const TensorType& a, const TensorType& b) {
  if (!a.vdevice || !b.vdevice) return a.vdevice ? a.vdevice : b.vdevice;
  if (!same_device(*a.vdevice, *b.vdevice))
    in.error("E0305",
             fmt::format("operands sit on different devices: {}:{} and {}:{}", a.vdevice->target_kind(), a.vdevice->id,
                         b.vdevice->target_kind(), b.vdevice->id),
             "move one of them with to_vdevice");
  return a.vdevice;
}

}  // namespace sunmao
