// Device placement: infers the virtual device of each tensor of a module from declared types, hints and copies.
#pragma once
#include "ir/walk.h"
#include "passes/devices/device_graph.h"
#include "passes/devices/device_groups.h"
#include "passes/devices/device_types.h"

namespace sunmao {

/// Returns the device in the module's device list that has the kind, number and memory scope of the hint. Fails (E0531)
/// when there is none.
Ref<VDevice> hinted_device(const Call& hint, const Module& module);

/// A call that requires other devices inside a private function than earlier calls. It is redirected to copy number
/// `copy` of the function's group, counted from 1.
struct WantedCopy {
  size_t group;     // index in PrivateGroups
  Ref<Var> result;  // the variable bound to the call
  size_t copy;
};

class DevicePlacement {
 public:
  /// Infers the devices of a module, which must be normal. Fails (E0530) when demands contradict each other and copies
  /// of private functions cannot resolve it. `origins` maps earlier copies to their original functions, whose names
  /// appear in errors.
  explicit DevicePlacement(const Module& module, const std::map<std::string, std::string>& origins = {});

  /// Returns the function copies that must be made before placement is repeated; if there are any, no devices have been
  /// assigned.
  const std::vector<WantedCopy>& wanted_copies() const { return wanted_copies_; }

  /// Returns `type`, the type of `v`, with the assigned devices of its tensors.
  Type placed(const Ref<Var>& v, const Type& type) const;
  /// Returns `type`, the result type of the function, with the assigned devices.
  Type placed_result(const Function& f, const Type& type) const;
  /// Returns the assigned device; null when nothing determines it, or when `tensor` is not a tensor.
  Ref<VDevice> device_of(const Expr& tensor) const;
  /// The assigned device of one tensor, and the facts that determine it.
  struct Reasons {
    Ref<VDevice> device;
    std::vector<PlaceFact> facts;
  };
  std::vector<Reasons> reasons(const Ref<Var>& v) const;

 private:
  friend class PlacementWalk;
  PlaceTree places_of(const Expr& e) const;

  DeviceGraph graph_;
  std::vector<WantedCopy> wanted_copies_;
  std::unordered_map<Ref<Var>, PlaceTree> vars_;
  std::unordered_map<const Function*, PlaceTree> results_;
};

}  // namespace sunmao
