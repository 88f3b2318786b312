#include "passes/schedule/row/rows.h"

#include "passes/loop/chunked_loop.h"

namespace sunmao {

Scalar count_of_rows(const RowGroup& group) {
  Scalar count = int_imm(1);
  for (const Scalar& extent : group.extents) count = product(count, as_index(extent));
  return count;
}

Substitution place_of_row(const RowGroup& group, const Scalar& number) {
  Substitution at;
  split_number(number, group.rows, group.extents, at);
  return at;
}

}  // namespace sunmao
