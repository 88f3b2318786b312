#include "runtime/state_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "io/concat.h"
#include "io/mapped_file.h"
#include "io/safetensors.h"
#include "io/sha256.h"
#include "io/write_file.h"
#include "runtime/element_type.h"

namespace sunmao::runtime {
namespace {

using io::concat;
using io::quoted;
using io::Status;

constexpr std::string_view kStateDigest = "sunmao.sha256", kStateShapes = "sunmao.shape.";

/// Returns the digest of the tensors, and of the shapes that the metadata state, in whatever order they are.
std::string digest_of_states(const std::vector<io::StoredTensor>& tensors, const io::StringPairs& metadata) {
  std::vector<const io::StoredTensor*> by_name;
  for (const io::StoredTensor& tensor : tensors) by_name.push_back(&tensor);
  std::ranges::sort(by_name, {}, &io::StoredTensor::name);
  io::StringPairs shapes = metadata;
  std::erase_if(shapes, [](const auto& entry) { return !entry.first.starts_with(kStateShapes); });
  std::ranges::sort(shapes);
  io::Sha256 sha;
  const auto add = [&](const std::string& text) { sha.update(std::as_bytes(std::span(text))); };
  for (const auto& [key, value] : shapes) add(concat(key, '=', value, ';'));
  for (const io::StoredTensor* tensor : by_name) {
    add(concat(tensor->name, to_string(tensor->shape), ';'));
    sha.update(tensor->data.span());
  }
  return io::to_hex(sha.finish());
}

/// Reads the values of a model's states out of a file.
class StateReader {
 public:
  StateReader(const Model& model, const io::SafetensorsReader& file, const std::string& path)
      : model_(model), file_(file), path_(path) {}

  Status read(States& states) const {
    SUNMAO_TRY(check_digest());
    SUNMAO_TRY(check_names());
    States::Change change(states);
    for (uint32_t s = 0; s < states.count(); ++s) {
      const SignatureValue& state = model_.states()[s];
      const io::StoredTensor& tensor = *file_.find(state.name);
      std::vector<int64_t> shape;
      SUNMAO_TRY(find_shape(s, tensor, shape));
      const io::Result<void*> memory = change.make(s, shape);
      if (!memory.ok()) return memory.status();
      const std::span<const std::byte> data = tensor.data.span();
      if (data.empty()) continue;
      auto* bytes = static_cast<std::byte*>(*memory);
      std::memcpy(bytes, data.data(), data.size());
      bytes[data.size() - 1] &= static_cast<std::byte>(~unused_bits(state.type, shape));
    }
    change.accept();
    return {};
  }

 private:
  Status fail(const std::string& problem) const {
    return Status::error("E0926", concat(quoted(path_), ": ", problem),
                         "load a file that was saved by a session of this model");
  }

  Status check_digest() const {
    for (const auto& [key, value] : file_.metadata())
      if (key == kStateDigest && value != digest_of_states(file_.tensors(), file_.metadata()))
        return fail("its SHA-256 is not that of its tensors: the file was changed or damaged");
    return {};
  }

  Status check_names() const {
    for (const SignatureValue& state : model_.states())
      if (!file_.find(state.name)) return fail(concat("it has no tensor for the state ", quoted(state.name)));
    for (const io::StoredTensor& tensor : file_.tensors()) {
      const auto has_name = [&](const SignatureValue& state) { return state.name == tensor.name; };
      if (std::ranges::none_of(model_.states(), has_name))
        return fail(concat("the model has no state for its tensor ", quoted(tensor.name)));
    }
    return {};
  }

  /// Returns the shape that the metadata state for a type which has no name in safetensors, else that of the tensor.
  Status find_shape(uint32_t s, const io::StoredTensor& tensor, std::vector<int64_t>& shape) const {
    const SignatureValue& state = model_.states()[s];
    shape = tensor.shape;
    for (const auto& [key, value] : file_.metadata())
      if (key == concat(kStateShapes, state.name) && !read_shape(value, shape))
        return fail(concat("the shape of ", quoted(state.name), " is ", quoted(value), ", which is none"));
    if (shape.size() != state.dims.size())
      return fail(
          concat(quoted(state.name), " has the shape ", to_string(shape), ", expected rank ", state.dims.size()));
    if (!byte_size(state.type, shape))
      return fail(concat(quoted(state.name), " has the shape ", to_string(shape), ", which is none"));
    const io::StoredForm form = io::form_in_safetensors(state.type, shape);
    if (!same_type(form.type, tensor.type) || form.shape != tensor.shape)
      return fail(concat(quoted(state.name), " is ", to_string(tensor.type), " ", to_string(tensor.shape), " there, ",
                         state.dtype_name, " ", to_string(shape), " in the model"));
    const Status fits = check_state_shape(model_, s, shape);
    return fits.ok() ? Status() : fail(std::string(fits.message()));
  }

  /// Reads sizes with commas between them.
  static bool read_shape(std::string_view text, std::vector<int64_t>& shape) {
    shape.clear();
    while (!text.empty()) {
      int64_t size = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (error != std::errc() || size < 0) return false;
      shape.push_back(size);
      text.remove_prefix(static_cast<size_t>(end - text.data()));
      if (text.empty()) return true;
      if (text[0] != ',' || text.size() == 1) return false;
      text.remove_prefix(1);
    }
    return true;
  }

  const Model& model_;
  const io::SafetensorsReader& file_;
  const std::string& path_;
};

}  // namespace

Status write_states(const Model& model, States& states, const std::string& path) {
  std::vector<io::StoredTensor> tensors;
  io::StringPairs metadata;
  for (size_t s = 0; s < states.count(); ++s) {
    SUNMAO_TRY(states.prepare(s));
    const SignatureValue& state = model.states()[s];
    const std::span<const int64_t> shape = states.shape(s);
    io::StoredForm form = io::form_in_safetensors(state.type, shape);
    if (!std::ranges::equal(form.shape, shape)) {
      std::string text;
      for (const int64_t size : shape) text += concat(text.empty() ? "" : ",", size);
      metadata.emplace_back(concat(kStateShapes, state.name), text);
    }
    const auto* data = static_cast<const std::byte*>(cpu_address(states.tensor(s).storage));
    tensors.push_back(
        {state.name, form.type, std::move(form.shape), io::Bytes::borrowed({data, states.tensor(s).bytes})});
  }
  metadata.emplace_back(kStateDigest, digest_of_states(tensors, metadata));
  io::Result<io::Chunks> file = io::write_safetensors(tensors, metadata);
  if (!file.ok()) return file.status();
  return io::write_file_atomically(path, *file);
}

Status read_states(const Model& model, States& states, const std::string& path) {
  io::Result<io::Bytes> bytes = io::map_file(path);
  if (!bytes.ok()) return bytes.status();
  const io::Result<io::SafetensorsReader> file = io::SafetensorsReader::open(bytes.take());
  if (!file.ok()) return file.status().with_prefix(quoted(path) + ": ");
  return StateReader(model, *file, path).read(states);
}

}  // namespace sunmao::runtime
