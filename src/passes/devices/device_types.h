// Device placement: reads and replaces the virtual devices in types.
#pragma once
#include "ir/module.h"
#include "ir/type_relation.h"
#include "support/function_ref.h"

namespace sunmao {

/// Returns text such as "cuda:0", followed by the memory scope unless it is "global".
std::string describe(const VDevice& device);

/// Returns the virtual devices in the global info of the module.
std::vector<Ref<VDevice>> listed_devices(const Module& module);

/// Replaces the device `d` of each tensor type (null if it has none) by `device(d)`. Returns the same pointer when
/// nothing changes.
Type map_devices(const Type& type, FunctionRef<Ref<VDevice>(const Ref<VDevice>&)> device);

/// The places (nodes of the device graph) of the tensors of a value, nested like the tuples of its type. A value of
/// unknown type has a single place.
struct PlaceTree {
  int place = -1;
  std::vector<PlaceTree> fields = {};
};
PlaceTree make_places(const Type& type, FunctionRef<int()> next);
/// Calls `f` for every place of the tree, with the device that `type` has at this position, or null.
void for_each_place(const PlaceTree& tree, const Type& type, FunctionRef<void(int, const Ref<VDevice>&)> f);
/// Sets the device of each place in the type; tensors whose place has no device are unchanged.
Type with_devices(const Type& type, const PlaceTree& tree, FunctionRef<Ref<VDevice>(int)> device);

}  // namespace sunmao
