// Calls replaced by the bodies of what they call.
#pragma once
#include <map>

#include "ir/module.h"

namespace sunmao {

/// `function` with each call of a name in `functions` replaced by that function's body, and so on in the body. Where
/// a plain body lands in a dataflow block, the block is split around it. Fails (E0517) when one of them calls itself,
/// directly or through others.
Ref<Function> inline_functions(const Ref<Function>& function, const std::map<std::string, Ref<Function>>& functions);

}  // namespace sunmao
