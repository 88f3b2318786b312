// Renaming of module functions.
#pragma once
#include <map>

#include "ir/module.h"

namespace sunmao {

/// Renames functions by the map `names` (old to new) together with all references; attributes are unchanged. Returns
/// the same module when no name changes.
Module rename_functions(const Module& m, const std::map<std::string, std::string>& names);

}  // namespace sunmao
