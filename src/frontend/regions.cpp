#include "frontend/regions.h"

#include "frontend/findings.h"
#include "frontend/shapes.h"

namespace sunmao {

Expr moved_by_half(ModelBuilder& builder, const Expr& regions, double scale, size_t numbers, const Span& span) {
  if (scale == 0) throw UnsupportedUse{"with a `spatial_scale` of 0"};
  // A coordinate of 16 bits that is far from 0 has no room for a half.
  const DType given = dtype_of(regions), dtype = given.bits == 16 ? DType::float_(32) : given;
  ArrayBuilder move(DType::float_(64), {static_cast<int64_t>(numbers)});
  for (size_t i = 0; i < numbers; ++i) move.as<double>()[i] = numbers == 5 && i == 0 ? 0 : -0.5 / scale;
  const Expr by = converted(builder, Constant::make(std::move(move).finish(), span), dtype, span);
  return builder.call("add", {converted(builder, regions, dtype, span), by}, {}, span);
}

}  // namespace sunmao
