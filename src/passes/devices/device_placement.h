// Where each tensor of a module lies, found from its types, hints and copies.
#pragma once
#include "ir/walk.h"
#include "passes/devices/device_graph.h"
#include "passes/devices/device_groups.h"
#include "passes/devices/device_types.h"

namespace sunmao {

/// The device of the module's list that a hint means: of its kind, number and memory scope. Fails (E0531) when there is
/// none.
Ref<VDevice> hinted_device(const Call& hint, const Module& module);

/// A call that asks a private function for other devices than earlier calls do: it wants copy number `copy` of its
/// group, from 1 on.
struct WantedCopy {
  size_t group;     // of PrivateGroups
  Ref<Var> result;  // holds what the call gives
  size_t copy;
};

class DevicePlacement {
 public:
  /// The module is normal. Fails (E0530) when two of its demands contradict each other, and would in copies of private
  /// functions too. `origins` says of which functions some are copies already, for what the error says.
  explicit DevicePlacement(const Module& module, const std::map<std::string, std::string>& origins = {});

  /// Where there are any, nothing is placed before the copies are made.
  const std::vector<WantedCopy>& wanted_copies() const { return wanted_copies_; }

  /// The type with the devices of the variable's tensors.
  Type placed(const Ref<Var>& v, const Type& type) const;
  /// The same for a result of a function, of the module or local.
  Type placed_result(const Function& f, const Type& type) const;
  /// Null when nothing says where the tensor lies, or it is no tensor.
  Ref<VDevice> device_of(const Expr& tensor) const;
  /// For each tensor of a variable that lies somewhere, its device and the facts that put it there.
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
