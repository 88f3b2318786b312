// Copies of private functions that their callers ask for different devices, one for each.
#pragma once
#include "passes/devices/device_placement.h"

namespace sunmao {

class DeviceCopies {
 public:
  /// The module with the copies that calls want, each call on its own. A copy of `f` is called `f_1`, `f_2`, …, the
  /// next one that is free; what refers to itself in a circle is copied as a whole.
  [[nodiscard]] Module make(const Module& module, const std::vector<WantedCopy>& wanted);
  /// The module without the copies that came out as an earlier one did in `placed`; their callers call that one. Copies
  /// get their names anew. The same module where each differs.
  [[nodiscard]] Module merge(const Module& module, const Module& placed);

  /// Of which function each copy is one.
  const std::map<std::string, std::string>& origins() const { return origins_; }

 private:
  using Group = std::vector<std::string>;  // names of functions, in the order of the module
  Group origin_of(const Group& group) const;
  Group name_copy(const Group& origin, const Module& module, std::set<std::string>& taken);
  Module numbered(const Module& module);

  std::map<Group, std::vector<Group>> copies_;  // of each group of the module that came in
  std::map<std::string, std::string> origins_;
};

}  // namespace sunmao
