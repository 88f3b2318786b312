// Rows of a few vectors: what statements compute of such a row stays in registers, and the row is read once.
#pragma once
#include "passes/schedule/row/rows.h"
#include "target/target.h"

namespace sunmao {

/// Returns the statements of a group in one loop over its rows, unrolled by some rows and fully along a row; null where
/// a row is not known to fit registers, or a statement has another form than one loop along it. `at_once` is by how
/// many rows, 0 for as many as fit registers.
Stmt rows_in_registers(const RowGroup& group, const Target& target, int64_t at_once = 0);
/// Returns how many rows that is; 0 where there is no such loop.
int64_t rows_that_fit_registers(const RowGroup& group, const Target& target);

}  // namespace sunmao
