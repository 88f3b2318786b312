#include "passes/loop/chunked_loop.h"

#include <algorithm>

#include "loop/walk.h"

namespace sunmao {

Scalar as_index(const Scalar& s) {
  if (const int64_t* value = find_int(s)) return int_imm(*value);
  return s->dtype == DType::int_(64) ? s : Cast::make(DType::int_(64), s);
}

Scalar as_type_of(const Ref<SymVar>& var, const Scalar& index) {
  return var->dtype == index->dtype ? index : Cast::make(var->dtype, index);
}

void split_number(const Scalar& number, std::span<const Ref<SymVar>> loops, std::span<const Scalar> extents,
                  Substitution& at) {
  Scalar rest = number;
  for (size_t d = loops.size(); d-- > 0;) {
    const Scalar extent = as_index(extents[d]);
    at[loops[d]] = as_type_of(loops[d], d == 0 ? rest : compare(BinaryOp::FloorMod, rest, extent));
    rest = compare(BinaryOp::FloorDiv, rest, extent);
  }
}

Stmt chunked_loop(const Ref<SymVar>& var, const Scalar& extent, const Scalar& step_size, const Stmt& body) {
  const Scalar steps = as_index(extent), size = as_index(step_size);
  const int64_t* known = find_int(size);
  const int64_t chunk = known ? std::max<int64_t>(1, kChunk / std::max<int64_t>(1, *known)) : 1;
  const Scalar worth_it = compare(BinaryOp::Ge, product(steps, size), int_imm(kWorthThreads));
  return parallel_loop("chunk", ceil_div(steps, chunk), worth_it, [&](const Scalar& c) {
    const Scalar first = product(c, int_imm(chunk));
    const Scalar count = chunk == 1 ? int_imm(1) : min(int_imm(chunk), steps - first);
    return serial_loop(var->name, count,
                       [&](const Scalar& i) { return substitute(body, {{var, as_type_of(var, sum(first, i))}}); });
  });
}

}  // namespace sunmao
