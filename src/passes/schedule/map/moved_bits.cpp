#include "passes/schedule/map/moved_bits.h"

#include <functional>

#include "loop/builder.h"
#include "passes/schedule/map/transpose.h"

namespace sunmao {
namespace {

/// True when values of the dtype are converted on their way to registers.
bool is_converted(DType dtype) {
  return !dtype.is_packed() && !dtype.is_vector() &&
         (dtype.is_bool() || (!dtype.is_integral() && dtype.code != TypeCode::Handle && dtype.bits < 32));
}

/// Returns the bits of a value that is a load, or a choice of loads; null for other values.
Scalar bits_of(const Scalar& value, const std::function<Ref<Buffer>(const Ref<Buffer>&)>& view) {
  if (const auto* load = find<BufferLoad>(value)) {
    if (load->predicate || !is_plain(*load->buffer) || !load->buffer->data) return nullptr;
    return sunmao::load(view(load->buffer), load->indices);
  }
  const auto* choice = find<ScalarCall>(value);
  if (!choice || choice->name != "if_then_else" || choice->args.size() != 3) return nullptr;
  const Scalar yes = bits_of(choice->args[1], view), no = bits_of(choice->args[2], view);
  return yes && no ? ScalarCall::make(choice->name, yes->dtype, {choice->args[0], yes, no}, choice->span) : Scalar();
}

}  // namespace

StoreNest moved_bits(const StoreNest& nest, BufferViews& views) {
  const DType dtype = nest.buffer->dtype;
  if (!is_converted(dtype) || nest.init || !is_plain(*nest.buffer) || !nest.buffer->data) return nest;
  const auto view = [&](const Ref<Buffer>& b) {
    return views.of(b, b->shape, DType::uint(b->dtype.is_bool() ? 8 : b->dtype.bits));
  };
  bool is_same = true;
  for_each_load(nest.value, [&](const BufferLoad& load) { is_same &= load.buffer->dtype == dtype; });
  const Scalar bits = is_same ? bits_of(nest.value, view) : Scalar();
  if (!bits) return nest;
  StoreNest out = nest;
  out.buffer = view(nest.buffer);
  out.value = bits;
  return out;
}

}  // namespace sunmao
