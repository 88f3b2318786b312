// Private functions of a module in groups that a copy takes whole: those which refer to each other in a circle.
#pragma once
#include <map>
#include <optional>

#include "ir/module.h"

namespace sunmao {

class PrivateGroups {
 public:
  explicit PrivateGroups(const Module& module);

  /// The number of the function's group; nullopt for one that may be called from outside, and for a kernel.
  std::optional<size_t> find(const std::string& name) const;
  /// In the order of the module.
  const std::vector<std::string>& members(size_t group) const { return groups_[group]; }

 private:
  std::vector<std::vector<std::string>> groups_;
  std::map<std::string, size_t> group_of_;
};

}  // namespace sunmao
