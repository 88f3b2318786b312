// Modules written down in tests of passes.
#pragma once
#include <string>

#include "ops/ops.h"
#include "script/parse.h"

namespace sunmao {

inline Module parse(const std::string& text) { return parse_module(Source::make("test", text), builtin_ops()); }

}  // namespace sunmao
