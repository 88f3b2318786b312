// Calls of the module's functions inside loop-level functions, which name the function by its text.
#pragma once
#include <map>

#include "loop/prim_func.h"

namespace sunmao {

/// The functions that `f` calls, in order, each as often as it is called.
std::vector<std::string> called_functions(const PrimFunc& f);
/// The function with calls of other names where `names` has one; this function when none changes.
Ref<PrimFunc> rename_called_functions(const Ref<PrimFunc>& f, const std::map<std::string, std::string>& names);

/// `T.checked_index(place, size, given, what)` is `place` where that is in [0, size); elsewhere the function fails
/// (E0919) and tells the number `given` that `what`, an op, was handed.
struct IndexCheck {
  Scalar place, size, given;
  std::string what;
};
bool is_index_check(const ScalarCall& call);
IndexCheck index_check(const ScalarCall& call);
Scalar checked_index(IndexCheck check);

}  // namespace sunmao
