#include "ops/named_sizes.h"

#include "ops/ops.h"

namespace sunmao {

Expr call_of(const char* name, std::vector<Expr> args, const Call& original, AttrMap attrs) {
  return Call::make(builtin_ops().get(name), std::move(args), Attrs(std::move(attrs)), {}, original.span);
}

std::vector<Scalar> named_sizes(const Expr& sizes, size_t count, BlockBuilder& builder) {
  std::vector<Scalar> symbols;
  for (size_t i = 0; i < count; ++i) symbols.push_back(SymVar::make(builder.unique_name("n"), DType::int_(64)));
  const Expr shape =
      builder.emit(Call::make(builtin_ops().get("tensor_to_shape"), {sizes}, {}, {}, sizes->span), "shape");
  builder.match_cast(shape, ShapeType::make(symbols), "sizes");
  return symbols;
}

}  // namespace sunmao
