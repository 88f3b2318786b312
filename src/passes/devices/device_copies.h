// Device placement: copies of private functions whose callers require different devices.
#pragma once
#include "passes/devices/device_placement.h"

namespace sunmao {

class DeviceCopies {
 public:
  /// Returns the module with the wanted copies; each wanted call calls its copy. Copies of `f` are named `f_1`, `f_2`,
  /// …, skipping names in use; mutually recursive functions are copied together.
  [[nodiscard]] Module make(const Module& module, const std::vector<WantedCopy>& wanted);
  /// Returns `module` without the copies that equal the original or an earlier copy in `placed`, their calls redirected
  /// to it, and the remaining copies renumbered. Returns the same module when all copies differ.
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
