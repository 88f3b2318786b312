// Virtual devices in types: one place for each tensor of a value.
#pragma once
#include "ir/module.h"
#include "ir/type_relation.h"
#include "support/function_ref.h"

namespace sunmao {

/// "cuda:0", with the memory scope where it is not the global one.
std::string describe(const VDevice& device);

/// The virtual devices that a module lists.
std::vector<Ref<VDevice>> listed_devices(const Module& module);

/// The type with `device(d)` in place of the device `d`, which may be null, of each tensor in it; the same pointer when
/// nothing changes.
Type map_devices(const Type& type, FunctionRef<Ref<VDevice>(const Ref<VDevice>&)> device);

/// The places of the tensors of a value, nested as its type is; the value of a type that does not say is one place.
struct PlaceTree {
  int place = -1;
  std::vector<PlaceTree> fields = {};
};
PlaceTree make_places(const Type& type, FunctionRef<int()> next);
/// Calls `f` on every place with the device that the type states there, null where it states none.
void for_each_place(const PlaceTree& tree, const Type& type, FunctionRef<void(int, const Ref<VDevice>&)> f);
/// The type with the device of each place; places without one leave their tensors as they are.
Type with_devices(const Type& type, const PlaceTree& tree, FunctionRef<Ref<VDevice>(int)> device);

}  // namespace sunmao
