// Sizes that no function knows before it runs, and what bytecode cannot say of them.
#pragma once
#include "codegen/vm/flat_function.h"

namespace sunmao {

/// Fails with E1020.
[[noreturn]] void unsupported(const Span& span, const std::string& what);

bool is_known(const TensorType& type);
/// True when the sizes of the results, or what makes them, are known to other functions alone.
bool leaves_sizes_to_others(const FlatFunction& f);
/// Fails with E1020 unless what a call delivers at a size that nobody knows before goes to the last step, or is the
/// result.
void check_unknown_sizes(const FlatFunction& f);

}  // namespace sunmao
