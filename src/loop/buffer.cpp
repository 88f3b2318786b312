#include "loop/buffer.h"

#include "ir/dims.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {
const char* const kLoadKind = "buffer_load";
}

Ref<Buffer> Buffer::make(std::string name, DType dtype, std::vector<Scalar> shape, Options options) {
  check_dims(shape, dtype, options.span);
  if (options.align < 1 || options.offset_factor < 0)
    fail("E0116", options.span,
         fmt::format("buffer `{}`: the alignment {} and the offset's factor {} cannot be", name, options.align,
                     options.offset_factor),
         "an alignment is 1 at least, a factor 0 at least");
  return Ref<Buffer>(new Buffer(std::move(name), dtype, std::move(shape), std::move(options)));
}
Ref<Buffer> Buffer::make(std::string name, DType dtype, std::vector<Scalar> shape) {
  return make(std::move(name), dtype, std::move(shape), Options());
}

bool BufferLoad::matches(const ScalarNode& n) {
  return n.kind == ScalarKind::Extern && static_cast<const ExternScalar&>(n).head_kind() == kLoadKind;
}

Scalar BufferLoad::make_masked(Ref<Buffer> buffer, std::vector<Scalar> indices, Scalar predicate, Span span) {
  check_indices(*buffer, indices, span);
  if (predicate) check_mask(*buffer, indices, predicate, span);
  Lanes at = indices.empty() ? Lanes(1) : indices.back()->dtype.all_lanes();
  DType dtype = buffer->dtype.with_lanes({buffer->dtype.lanes * at.count, at.is_scalable || buffer->dtype.is_scalable});
  std::vector<Scalar> masked;
  if (predicate) {
    masked = indices;
    masked.push_back(predicate);
  }
  return Scalar(new BufferLoad(std::move(buffer), std::move(indices), std::move(predicate), std::move(masked), dtype,
                               std::move(span)));
}
Scalar BufferLoad::make(Ref<Buffer> buffer, std::vector<Scalar> indices, Span span) {
  return make_masked(std::move(buffer), std::move(indices), nullptr, std::move(span));
}

Scalar BufferLoad::with_place(Ref<Buffer> new_buffer, std::vector<Scalar> new_indices) const {
  return make_masked(std::move(new_buffer), std::move(new_indices), predicate, span);
}

Scalar BufferLoad::with_operands(std::vector<Scalar> operands) const {
  Scalar mask;
  if (predicate) {
    mask = operands.back();
    operands.pop_back();
  }
  return make_masked(buffer, std::move(operands), std::move(mask), span);
}

void check_indices(const Buffer& buffer, const std::vector<Scalar>& indices, const Span& span) {
  if (indices.size() != buffer.shape.size())
    fail("E0316", span,
         fmt::format("`{}` has {} dimensions, indexed with {}", buffer.name, buffer.shape.size(), indices.size()));
  for (const Scalar& i : indices)
    if (!i->dtype.is_integral())
      fail("E0316", span, fmt::format("`{}` is indexed with a {}", buffer.name, i->dtype.str()),
           "an index is an integer");
}

void check_mask(const Buffer& buffer, const std::vector<Scalar>& indices, const Scalar& predicate, const Span& span) {
  Lanes at = indices.empty() ? Lanes(1) : indices.back()->dtype.all_lanes();
  const DType type = predicate->dtype;
  const bool is_bits = type.is_bool() || (type.is_integral() && type.bits == 1);
  if (!is_bits || !type.is_vector() || type.lanes != at.count || type.is_scalable != at.is_scalable)
    fail("E0316", span,
         fmt::format("the mask of `{}` is of type {}, its index has {} lanes", buffer.name, type.str(), at.count),
         "a mask holds one boolean for each lane of a vector");
}

bool BufferLoad::same_head(const ExternScalar& other, Equality& equality) const {
  return other.head_kind() == kLoadKind && !predicate == !static_cast<const BufferLoad&>(other).predicate &&
         equality.same(buffer.get(), static_cast<const BufferLoad&>(other).buffer.get());
}

void BufferLoad::hash_head(StructuralHasher& hasher) const { hasher.name(buffer.get(), buffer->name); }

const char* BufferLoad::head_kind() const { return kLoadKind; }

}  // namespace sunmao
