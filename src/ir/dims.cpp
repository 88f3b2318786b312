#include "ir/dims.h"

#include <algorithm>

#include "ir/type.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

const char* const kHelp = "sizes are at least 0, their product times the bytes of an element is below 2**63";

std::string text_of(const std::vector<Scalar>& dims) {
  std::string out;
  for (const Scalar& d : dims) out += (out.empty() ? "" : ", ") + describe(d);
  return "(" + out + ")";
}

}  // namespace

Scalar byte_size(const std::vector<Scalar>& dims, DType dtype) {
  Scalar size = int_imm(dtype.is_packed() ? dtype.stored_bits() : dtype.bytes());
  for (const Scalar& d : dims) size = size * d;
  return dtype.is_packed() ? Binary::make(BinaryOp::FloorDiv, size + int_imm(7), int_imm(8)) : size;
}

void check_rank(size_t rank, const Span& span) {
  if (rank > kMaxRank)
    fail("E0317", span, fmt::format("{} dimensions are too many: a tensor has {} at most", rank, kMaxRank));
}

void check_dims(const std::vector<Scalar>& dims, DType dtype, const Span& span) {
  check_rank(dims.size(), span);
  int64_t known[kMaxRank];
  size_t count = 0;
  for (const Scalar& d : dims)
    if (const int64_t* size = find_int(d)) known[count++] = *size;
  const std::string problem = shape_problem({known, count}, dtype);
  if (!problem.empty())
    fail("E0317", span, fmt::format("no tensor has the shape {}: {}", text_of(dims), problem), kHelp);
}

}  // namespace sunmao
