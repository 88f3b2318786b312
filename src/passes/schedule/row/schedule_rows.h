// The schedules of the kernel family `row`, of which attention is a form.
#pragma once
#include "passes/schedule/family.h"

namespace sunmao {

/// A softmax over sums of products, whose weights are multiplied with values, in blocks of queries and keys.
extern const Family kAttentionFamily;

/// Statements that pass over a row one after the other: threads take rows, and what is computed for a row alone is
/// stored for that row alone.
extern const Family kRowFamily;

}  // namespace sunmao
