// Branches and loops that a run decides. They become functions of the module, which the function that is read calls.
#pragma once
#include <functional>

#include "frontend/model_builder.h"

namespace sunmao {

using ReadBody = std::function<std::vector<Expr>()>;

/// Returns what `yes` gives where `condition`, a bool tensor of one element, is true, and else what `no` gives. Both
/// are called at once, to read their bodies. `name` is a name for the function.
std::vector<Expr> choice(ModelBuilder& builder, Expr condition, const ReadBody& yes, const ReadBody& no,
                         const std::string& name, const Span& span);

/// Reads what comes from the values that a loop carries.
using ReadStep = std::function<std::vector<Expr>(const std::vector<Expr>& carried)>;

/// The sizes of each value behind a loop whose steps change them; null for one, or none for a value, when unknown.
using SizesAtEnd = std::vector<std::vector<Scalar>>;

/// Returns what `step` has made of `start` when `goes_on`, which gives one bool tensor of one element, is false. Both
/// may be read more than once: sizes that a step turns out to change are symbols in the next reading. Throws
/// UnsupportedUse when a step changes ranks or dtypes.
std::vector<Expr> loop(ModelBuilder& builder, const std::vector<Expr>& start, const ReadStep& goes_on,
                       const ReadStep& step, const std::string& name, const Span& span, const SizesAtEnd& sizes = {});

}  // namespace sunmao
