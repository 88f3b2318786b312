#include "frontend/shapes.h"

#include <cmath>

#include "frontend/findings.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

constexpr int kMaxScalarNodes = 256;

bool is_minus_one(const Scalar& s) { return find_int(s) && *find_int(s) == -1; }

std::string text(const std::vector<Scalar>& dims) { return describe(ShapeType::make(dims)); }

template <class T>
Expr constant(DType dtype, double value, const Span& span) {
  const T typed = static_cast<T>(value);
  return Constant::make(Array::copy(dtype, {}, std::as_bytes(std::span(&typed, 1))), span);
}

}  // namespace

bool is_short(const Scalar& s) {
  int nodes = 0;
  visit_all(s, [&](const Scalar&) { ++nodes; });
  return nodes <= kMaxScalarNodes;
}

Scalar bounded(Scalar s) {
  if (!is_short(s)) throw UnsupportedUse{"with a dimension that is too long an expression"};
  return s;
}

Scalar product(ModelBuilder& builder, std::span<const Scalar> dims) {
  Scalar p = int_imm(1);
  for (const Scalar& d : dims) p = bounded(builder.simplify(p * d));
  return p;
}

std::vector<Scalar> resolve_shape(ModelBuilder& builder, const std::vector<Scalar>& from, std::vector<Scalar> target,
                                  const char* code, const Span& span) {
  Scalar* open = nullptr;
  std::vector<Scalar> known;
  for (Scalar& d : target) {
    if (find_int(d) && *find_int(d) < -1) fail(code, span, fmt::format("a dimension cannot be {}", *find_int(d)));
    if (!is_minus_one(d))
      known.push_back(d);
    else if (open)
      fail(code, span, fmt::format("the shape {} has more than one -1", text(target)));
    else
      open = &d;
  }
  if (!open) return target;
  Scalar total = product(builder, from), rest = product(builder, known);
  const int64_t *t = find_int(total), *r = find_int(rest);
  if ((r && *r == 0) || (t && r && *t % *r != 0))
    fail(code, span,
         fmt::format("the -1 in {} has no value: the tensor has {} elements, the other dimensions make {}",
                     text(target), describe(total), describe(rest)));
  *open = builder.simplify(floor_div(total, rest));
  return target;
}

Expr reshaped(ModelBuilder& builder, const Expr& x, std::vector<Scalar> dims, const Span& span) {
  if (const std::vector<Scalar>* old = dims_of(x); old && old->size() == dims.size()) {
    bool same = true;
    for (size_t i = 0; same && i < dims.size(); ++i)
      same = builder.can_prove(Binary::make(BinaryOp::Eq, (*old)[i], dims[i]));
    if (same) return x;
  }
  return builder.call("reshape", {x, ShapeExpr::make(std::move(dims), span)}, {}, span);
}

Expr flattened(ModelBuilder& builder, const Expr& x, size_t first, size_t last, const Span& span) {
  const std::vector<Scalar>* dims = dims_of(x);
  if (!dims) throw UnsupportedUse{"of a tensor of unknown shape"};
  std::span<const Scalar> all(*dims);
  std::vector<Scalar> target(dims->begin(), dims->begin() + static_cast<std::ptrdiff_t>(first));
  target.push_back(product(builder, all.subspan(first, last - first + 1)));
  target.insert(target.end(), dims->begin() + static_cast<std::ptrdiff_t>(last) + 1, dims->end());
  return reshaped(builder, x, std::move(target), span);
}

int64_t from_front(int64_t axis, int64_t rank, const char* code, const Span& span) {
  if (axis < -rank || axis >= rank)
    fail(code, span, fmt::format("axis {} is out of range for rank {}", axis, rank),
         fmt::format("axes are in [{}, {}]", -rank, rank - 1));
  return axis < 0 ? axis + rank : axis;
}

Expr scalar_constant(DType dtype, double value, const Span& span) {
  if (dtype == DType::float_(32)) return constant<float>(dtype, value, span);
  if (dtype == DType::float_(64)) return constant<double>(dtype, value, span);
  const bool fits = value == std::floor(value) && std::abs(value) < 0x1p31;
  if (dtype == DType::int_(32) && fits) return constant<int32_t>(dtype, value, span);
  if (dtype == DType::int_(64) && fits) return constant<int64_t>(dtype, value, span);
  throw UnsupportedUse{fmt::format("with the number {} and {}", value, dtype.str())};
}

Expr scaled(ModelBuilder& builder, const Expr& x, double factor, const Span& span) {
  if (factor == 1.0) return x;
  return builder.call("multiply", {x, scalar_constant(dtype_of(x), factor, span)}, {}, span);
}

}  // namespace sunmao
