// Printer for buffer declarations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "script/printer.h"
#include "script/spelling.h"

namespace sunmao::script {

std::string Printer::buffer_args(const Buffer& b, bool says_dtype, bool in_signature) {
  std::vector<std::string> shape;
  for (const Scalar& s : b.shape) shape.push_back(scalar(s));
  std::string out = tuple(shape);
  if (says_dtype || in_signature || b.dtype != DType::float_(32)) out += ", " + quote(b.dtype.str());
  if (b.data && !in_signature) {
    if (const std::string* memory = names_.find(b.data.get())) out += ", data=" + *memory;
  }
  if (!b.strides.empty()) {
    std::vector<std::string> strides;
    for (const Scalar& s : b.strides) strides.push_back(scalar(s));
    out += ", strides=" + tuple(strides);
  }
  if (b.elem_offset && !owns_offset(b)) out += ", elem_offset=" + scalar(b.elem_offset);
  if (b.scope != "global") out += ", scope=" + quote(b.scope);
  if (b.align != 64) out += fmt::format(", align={}", b.align);
  int64_t factor = owns_offset(b) ? std::max<int64_t>(1, b.offset_factor) : b.offset_factor;
  if (factor != 0) out += fmt::format(", offset_factor={}", factor);
  if (!b.axis_separators.empty()) out += fmt::format(", axis_separators=[{}]", fmt::join(b.axis_separators, ", "));
  return out;
}

// True when the offset is a symbol of the dtype of indices that has no name yet; it is then printed as
// `A.elem_offset`.
bool Printer::owns_offset(const Buffer& b) const {
  DType index = b.shape.empty() ? DType::int_(32) : b.shape[0]->dtype;
  return find<SymVar>(b.elem_offset) && b.elem_offset->dtype == index && !names_.find(b.elem_offset.get());
}

std::string Printer::range(const Range& r) {
  const int64_t *low = find_int(r.min), *count = find_int(r.extent);
  int64_t sum = 0;
  bool known = low && count && r.min->dtype == r.extent->dtype && !__builtin_add_overflow(*low, *count, &sum);
  std::string stop = low && *low == 0 ? scalar(r.extent)
                     : known          ? scalar(IntImm::make(r.min->dtype, sum))
                                      : scalar(Binary::make(BinaryOp::Add, r.min, r.extent));
  return fmt::format("Range({}, {})", scalar(r.min), stop);
}

}  // namespace sunmao::script
