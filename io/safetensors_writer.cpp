#include <unordered_set>

#include "io/concat.h"
#include "io/json_writer.h"
#include "io/safetensors.h"
#include "io/safetensors_format.h"
#include "io/utf8.h"

namespace sunmao::io {

using namespace safetensors_format;

namespace {

uint64_t padding_after(uint64_t size) { return (kAlignment - size % kAlignment) % kAlignment; }

Status refuse(std::string message) { return Status::error("E0835", "safetensors: " + std::move(message)); }

Status check(const StoredTensor& tensor) {
  const std::string name = quoted(tensor.name);
  if (tensor.name == kMetadataKey || tensor.name.starts_with(kPadPrefix)) {
    return refuse(concat("tensor name ", name, " is taken by the format"));
  }
  if (!is_utf8(tensor.name)) return refuse(concat("tensor name ", name, " is not UTF-8"));
  if (safetensors_dtype(tensor.type) == nullptr) {
    return refuse(concat("tensor ", name, " has an element type that the format does not know (code ", tensor.type.code,
                         ", bits ", tensor.type.bits, ", lanes ", tensor.type.lanes, ")"));
  }
  if (tensor.shape.size() > abi::kMaxRank)
    return refuse(concat("tensor ", name, " has rank ", tensor.shape.size(), "; 64 is the most"));
  return {};
}

Status check_data(const StoredTensor& tensor) {
  if (tensor_size(tensor.type, tensor.shape) == tensor.data.size()) return {};
  return refuse(concat("tensor ", quoted(tensor.name), " has ", tensor.data.size(),
                       " bytes, which its shape and type do not make"));
}

Status check_all(const std::vector<StoredTensor>& tensors, const StringPairs& metadata) {
  std::unordered_set<std::string_view> names, keys;
  for (const StoredTensor& tensor : tensors) {
    SUNMAO_TRY(check(tensor));
    if (!names.insert(tensor.name).second) return refuse(concat("two tensors are named ", quoted(tensor.name)));
  }
  for (const auto& [key, text] : metadata) {
    if (!is_utf8(key) || !is_utf8(text)) return refuse(concat("metadata ", quoted(key), " is not UTF-8"));
    if (!keys.insert(key).second) return refuse(concat("two metadata entries are named ", quoted(key)));
  }
  return {};
}

void write_entry(JsonWriter& json, std::string_view name, const char* dtype, const std::vector<int64_t>& shape,
                 uint64_t begin, uint64_t end) {
  json.key(name).begin_object().key("dtype").value(dtype).key("shape").begin_array();
  for (const int64_t dim : shape) json.value(dim);
  json.end_array().key("data_offsets").begin_array().value(begin).value(end).end_array().end_object();
}

}  // namespace

Result<SafetensorsPlan> plan_safetensors(const std::vector<StoredTensor>& tensors, const StringPairs& metadata) {
  SUNMAO_TRY(check_all(tensors, metadata));
  JsonWriter json;
  json.begin_object();
  if (!metadata.empty()) {
    json.key(kMetadataKey).begin_object();
    for (const auto& [key, text] : metadata) json.key(key).value(text);
    json.end_object();
  }
  SafetensorsPlan plan;
  uint64_t offset = 0;
  int pads = 0;
  for (const StoredTensor& tensor : tensors) {
    if (const uint64_t gap = padding_after(offset); gap > 0) {
      const std::string name = concat(kPadPrefix, pads++);
      write_entry(json, name, "U8", {static_cast<int64_t>(gap)}, offset, offset + gap);
      offset += gap;
    }
    const std::optional<uint64_t> size = tensor_size(tensor.type, tensor.shape);
    if (!size) return refuse(concat("tensor ", quoted(tensor.name), " has a shape that no memory holds"));
    write_entry(json, tensor.name, safetensors_dtype(tensor.type), tensor.shape, offset, offset + *size);
    plan.offsets.push_back(offset);
    offset += *size;
  }
  json.end_object();

  std::string text = json.take();
  text.append(padding_after(kLengthSize + text.size()), ' ');
  if (text.size() > kLongestHeader) return refuse("the header would be longer than 100000000 bytes; readers refuse it");
  for (size_t i = 0; i < kLengthSize; ++i)
    plan.head += static_cast<char>(static_cast<unsigned char>(text.size() >> (8 * i)));
  plan.head += text;
  for (uint64_t& begin : plan.offsets) begin += plan.head.size();
  plan.size = plan.head.size() + offset;
  return plan;
}

Result<Chunks> write_safetensors(const std::vector<StoredTensor>& tensors, const StringPairs& metadata) {
  Result<SafetensorsPlan> plan = plan_safetensors(tensors, metadata);
  if (!plan.ok()) return plan.status();
  for (const StoredTensor& tensor : tensors) SUNMAO_TRY(check_data(tensor));
  Chunks file = {Bytes::from(std::move(plan->head))};
  uint64_t position = file[0].size();
  for (size_t i = 0; i < tensors.size(); ++i) {
    append_zeros(file, plan->offsets[i] - position);
    file.push_back(tensors[i].data);
    position = plan->offsets[i] + tensors[i].data.size();
  }
  return file;
}

}  // namespace sunmao::io
