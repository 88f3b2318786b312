// Functions of a module under other names.
#pragma once
#include <map>

#include "ir/module.h"

namespace sunmao {

/// Every function under the name that `names` gives it, references included; attributes stay as they are. Names that
/// are absent stay. The same module when nothing changes.
Module rename_functions(const Module& m, const std::map<std::string, std::string>& names);

}  // namespace sunmao
