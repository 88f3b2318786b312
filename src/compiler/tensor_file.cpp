#include "compiler/tensor_file.h"

#include <algorithm>
#include <bit>

#include "io/concat.h"
#include "io/mapped_file.h"
#include "io/safetensors.h"
#include "io/write_file.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

void throw_if_bad(const io::Status& status) {
  if (!status.ok()) fail(status.code(), {}, status.message(), status.help());
}

// Files written by other tools may align tensors to less than their element size.
bool is_aligned(const io::Bytes& data, DType dtype) {
  return std::bit_cast<uintptr_t>(data.data()) % static_cast<uintptr_t>(std::max<int64_t>(dtype.bytes(), 1)) == 0;
}

Array array_of(const io::StoredTensor& t) {
  const DType dtype{static_cast<TypeCode>(t.type.code), t.type.bits, t.type.lanes};
  const bool in_place = !t.data.empty() && is_aligned(t.data, dtype);
  return in_place ? Array::wrap(dtype, t.shape, t.data.data(), t.data.owner())
                  : Array::copy(dtype, t.shape, t.data.span());
}

}  // namespace

io::Bytes map_or_fail(const std::filesystem::path& path) {
  io::Result<io::Bytes> file = io::map_file(path.string());
  throw_if_bad(file.status());
  return file.take();
}

void write_or_fail(const std::filesystem::path& path, const io::Chunks& chunks) {
  throw_if_bad(io::write_file_atomically(path.string(), chunks));
}

void write_together_or_fail(const std::vector<io::FileContents>& files) {
  throw_if_bad(io::write_files_atomically(files));
}

Weights read_tensors(const std::filesystem::path& path) { return tensors_of(map_or_fail(path), path.string()); }

Weights tensors_of(const io::Bytes& file, const std::string& name) {
  const io::Result<io::SafetensorsReader> reader = io::SafetensorsReader::open(file);
  if (!reader.ok()) throw_if_bad(reader.status().with_prefix(io::concat(io::quoted(name), ": ")));
  Weights out;
  for (const io::StoredTensor& t : reader->tensors()) out.emplace(t.name, array_of(t));
  return out;
}

io::Chunks tensor_chunks(const Weights& tensors) {
  std::vector<io::StoredTensor> stored;
  for (const auto& [name, array] : tensors) {
    const DType t = array.dtype();
    io::StoredForm form = io::form_in_safetensors({static_cast<uint8_t>(t.code), t.bits, t.lanes}, array.shape());
    stored.push_back({name, form.type, std::move(form.shape), io::Bytes(array.bytes(), array.owner())});
  }
  io::Result<io::Chunks> chunks = io::write_safetensors(stored);
  throw_if_bad(chunks.status());
  return chunks.take();
}

void write_tensors(const std::filesystem::path& path, const Weights& tensors) {
  write_or_fail(path, tensor_chunks(tensors));
}

}  // namespace sunmao
