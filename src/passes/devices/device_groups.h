// Groups of private functions that are copied together for device placement: the strongly connected components of the
// call graph.
#pragma once
#include <map>
#include <optional>

#include "ir/module.h"

namespace sunmao {

class PrivateGroups {
 public:
  explicit PrivateGroups(const Module& module);

  /// Returns the number of the function's group; nullopt for kernels, and for functions that may be called from outside
  /// of the module.
  std::optional<size_t> find(const std::string& name) const;
  /// Returns the names of the group's functions, in module order.
  const std::vector<std::string>& members(size_t group) const { return groups_[group]; }

 private:
  std::vector<std::vector<std::string>> groups_;
  std::map<std::string, size_t> group_of_;
};

}  // namespace sunmao
