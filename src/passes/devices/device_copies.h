// Device placement: makes copies of private functions whose callers require different devices.
#pragma once
#include "passes/devices/device_placement.h"

namespace sunmao {

class DeviceCopies {
 public:
  /// Returns the module with the wanted copies added and the calls redirected to them. Copies of `f` are named `f_1`,
  /// `f_2`, …, skipping names in use; mutually recursive functions are copied together.
  [[nodiscard]] Module make(const Module& module, const std::vector<WantedCopy>& wanted);
  /// Removes each copy that equals the original function or an earlier copy in `placed`, redirects its calls, and
  /// renumbers the remaining copies. Returns the same module when all copies differ.
  [[nodiscard]] Module merge(const Module& module, const Module& placed);

  /// Maps the name of each copy to the function it is a copy of.
  const std::map<std::string, std::string>& origins() const { return origins_; }

 private:
  using Group = std::vector<std::string>;  // names of functions, in the order of the module
  Group origin_of(const Group& group) const;
  Group name_copy(const Group& origin, const Module& module, std::set<std::string>& taken);
  Module numbered(const Module& module);

  std::map<Group, std::vector<Group>> copies_;  // the copies of each group of the original module
  std::map<std::string, std::string> origins_;
};

}  // namespace sunmao
