#include "compiler/stored_weights.h"

#include <algorithm>
#include <cstring>

#include "codegen/artifact/write_artifact.h"
#include "io/zip.h"
#include "ir/walk.h"

namespace sunmao {
namespace {

constexpr size_t kSmall = 64;  // bytes of constants that are not worth looking for

bool has_form(const io::StoredTensor& t, const io::StoredForm& form) {
  return t.type.code == form.type.code && t.type.bits == form.type.bits && t.type.lanes == form.type.lanes &&
         t.shape == form.shape;
}

bool has_bytes(const io::StoredTensor& t, std::span<const std::byte> bytes) {
  return t.data.size() == bytes.size() &&
         (bytes.empty() || std::memcmp(t.data.data(), bytes.data(), bytes.size()) == 0);
}

class ConstantMover final : public Rewriter {
 public:
  explicit ConstantMover(const StoredWeights& stored) : stored_(stored) {}

 private:
  Expr visit_leaf(const Expr& e) override {
    const auto* constant = find<Constant>(e);
    if (!constant || constant->data.size_bytes() <= kSmall) return e;
    const std::optional<Array> found = stored_.equal_to(constant->data);
    return found ? Constant::make(*found, constant->span) : e;
  }

  const StoredWeights& stored_;
};

}  // namespace

StoredWeights::StoredWeights(const io::Bytes& artifact) {
  io::Result<io::ZipReader> zip = io::ZipReader::open(artifact);
  check(zip.ok() ? io::Status() : zip.status());
  if (!zip->has("weights.safetensors")) return;
  const io::Result<io::Bytes> file = zip->read("weights.safetensors");
  check(file.ok() ? io::Status() : file.status());
  const io::Result<io::SafetensorsReader> weights = io::SafetensorsReader::open(*file);
  check(weights.ok() ? io::Status() : weights.status());
  tensors_ = weights->tensors();
}

std::optional<std::string> StoredWeights::name_at(std::span<const std::byte> data) const {
  const auto found = std::ranges::find_if(tensors_, [&](const io::StoredTensor& t) {
    return !data.empty() && t.data.data() == data.data() && t.data.size() == data.size();
  });
  return found == tensors_.end() ? std::nullopt : std::optional(found->name);
}

std::optional<Array> StoredWeights::equal_to(const Array& array) const {
  const DType type = array.dtype();
  const io::StoredForm form =
      io::form_in_safetensors({static_cast<uint8_t>(type.code), type.bits, type.lanes}, array.shape());
  for (const io::StoredTensor& t : tensors_)
    if (has_form(t, form) && has_bytes(t, array.bytes()))
      return Array::wrap(type, array.shape(), t.data.data(), t.data.owner());
  return std::nullopt;
}

Module with_stored_constants(const Module& module, const io::Bytes& artifact) {
  const StoredWeights stored(artifact);
  if (stored.tensors().empty()) return module;
  return map_functions(module, [&](const Ref<Function>& f) { return ConstantMover(stored).rewrite(f); });
}

}  // namespace sunmao
