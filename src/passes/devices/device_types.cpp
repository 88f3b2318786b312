#include "passes/devices/device_types.h"

#include <fmt/format.h>

namespace sunmao {
namespace {

Type on_device(const TensorType& t, const Ref<VDevice>& device) {
  return t.shape ? TensorType::make_with_shape(t.shape, t.dtype, device, t.span)
                 : TensorType::make_unknown(t.dtype, t.rank, device, t.span);
}

// Applies `f` to each type of a list; nullopt when no type changes.
template <class F>
std::optional<std::vector<Type>> map_types(const std::vector<Type>& types, F f) {
  std::vector<Type> out;
  for (const Type& t : types) out.push_back(f(t));
  if (out == types) return std::nullopt;
  return out;
}

}  // namespace

std::string describe(const VDevice& device) {
  const std::string name = fmt::format("{}:{}", device.target_kind(), device.id);
  return device.memory_scope == "global" ? name : name + ":" + device.memory_scope;
}

std::vector<Ref<VDevice>> listed_devices(const Module& module) {
  std::vector<Ref<VDevice>> out;
  auto infos = module.global_infos().find("vdevice");
  if (infos == module.global_infos().end()) return out;
  for (const Ref<GlobalInfo>& info : infos->second)
    if (Ref<VDevice> device = find_ref<VDevice>(info)) out.push_back(device);
  return out;
}

Type map_devices(const Type& type, FunctionRef<Ref<VDevice>(const Ref<VDevice>&)> device) {
  if (!type) return type;
  auto mapped = [&](const Type& t) { return map_devices(t, device); };
  if (const auto* t = find<TensorType>(type)) {
    const Ref<VDevice> now = device(t->vdevice);
    return now == t->vdevice ? type : on_device(*t, now);
  }
  if (const auto* t = find<TupleType>(type)) {
    auto fields = map_types(t->fields, mapped);
    return fields ? TupleType::make(std::move(*fields), t->span) : type;
  }
  const auto* t = find<CallableType>(type);
  if (!t || !t->params) return type;
  auto params = map_types(*t->params, mapped);
  const Type result = mapped(t->result);
  if (!params && result == t->result) return type;
  return CallableType::make(params ? *params : *t->params, result, t->is_pure, t->span);
}

PlaceTree make_places(const Type& type, FunctionRef<int()> next) {
  PlaceTree tree;
  if (const auto* tuple = find<TupleType>(type)) {
    for (const Type& f : tuple->fields) tree.fields.push_back(make_places(f, next));
    return tree;
  }
  if (!type || find<TensorType>(type) || find<AnyType>(type)) tree.place = next();
  return tree;
}

void for_each_place(const PlaceTree& tree, const Type& type, FunctionRef<void(int, const Ref<VDevice>&)> f) {
  const auto* tuple = find<TupleType>(type);
  for (size_t i = 0; i < tree.fields.size(); ++i)
    for_each_place(tree.fields[i], tuple && i < tuple->fields.size() ? tuple->fields[i] : Type(), f);
  const auto* tensor = find<TensorType>(type);
  if (tree.place >= 0) f(tree.place, tensor ? tensor->vdevice : nullptr);
}

Type with_devices(const Type& type, const PlaceTree& tree, FunctionRef<Ref<VDevice>(int)> device) {
  if (const auto* t = find<TensorType>(type)) {
    const Ref<VDevice> now = tree.place < 0 ? nullptr : device(tree.place);
    return !now || (t->vdevice && same_device(*t->vdevice, *now)) ? type : on_device(*t, now);
  }
  const auto* t = find<TupleType>(type);
  if (!t || t->fields.size() != tree.fields.size()) return type;
  std::vector<Type> fields;
  for (size_t i = 0; i < t->fields.size(); ++i) fields.push_back(with_devices(t->fields[i], tree.fields[i], device));
  return fields == t->fields ? type : TupleType::make(std::move(fields), t->span);
}

}  // namespace sunmao
