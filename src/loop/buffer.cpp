#include "loop/buffer.h"

#include "support/diagnostic.h"

namespace sunmao {
namespace {
const char* const kLoadKind = "buffer_load";
}

Ref<Buffer> Buffer::make(std::string name, DType dtype, std::vector<Scalar> shape, Options options) {
  return Ref<Buffer>(new Buffer(std::move(name), dtype, std::move(shape), std::move(options)));
}
Ref<Buffer> Buffer::make(std::string name, DType dtype, std::vector<Scalar> shape) {
  return make(std::move(name), dtype, std::move(shape), Options());
}

bool BufferLoad::matches(const ScalarNode& n) {
  return n.kind == ScalarKind::Extern && static_cast<const ExternScalar&>(n).head_kind() == kLoadKind;
}

Scalar BufferLoad::make(Ref<Buffer> buffer, std::vector<Scalar> indices, Span span) {
  if (indices.size() != buffer->shape.size())
    fail("E0316", span,
         fmt::format("`{}` has {} dimensions, indexed with {}", buffer->name, buffer->shape.size(), indices.size()));
  int lanes = indices.empty() ? 1 : indices.back()->dtype.lanes;
  DType dtype = buffer->dtype.with_lanes(buffer->dtype.lanes * lanes);
  return Scalar(new BufferLoad(std::move(buffer), std::move(indices), dtype, std::move(span)));
}

Scalar BufferLoad::with_operands(std::vector<Scalar> operands) const { return make(buffer, std::move(operands), span); }

bool BufferLoad::same_head(const ExternScalar& other, Equality& equality) const {
  return other.head_kind() == kLoadKind &&
         equality.same(buffer.get(), static_cast<const BufferLoad&>(other).buffer.get());
}

void BufferLoad::hash_head(StructuralHasher& hasher) const { hasher.name(buffer.get(), buffer->name); }

const char* BufferLoad::head_kind() const { return kLoadKind; }

}  // namespace sunmao
