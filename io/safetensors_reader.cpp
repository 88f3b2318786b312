#include <algorithm>
#include <numeric>
#include <tuple>

#include "io/concat.h"
#include "io/json.h"
#include "io/safetensors.h"
#include "io/safetensors_format.h"

namespace sunmao::io {

using namespace safetensors_format;

namespace {

struct Placed {
  StoredTensor tensor;
  uint64_t begin;
  uint64_t end;
};

Status bad_header(std::string message) {
  return Status::error("E0831", "safetensors header: " + std::move(message),
                       "the file is damaged, or was not written as safetensors");
}

/// Returns the JSON header, which follows the length.
Result<Bytes> header_of(const Bytes& file) {
  const auto damaged = [](std::string message) {
    return Status::error("E0830", "safetensors: " + std::move(message),
                         "the file is no safetensors file, or was cut short");
  };
  if (file.size() < kLengthSize)
    return damaged(concat("the file has ", file.size(), " bytes; a length of 8 comes first"));
  uint64_t length = 0;
  for (size_t i = kLengthSize; i > 0; --i) length = length << 8 | static_cast<uint64_t>(file.span()[i - 1]);
  if (length > kLongestHeader) return damaged(concat("header of ", length, " bytes; 100000000 is the most"));
  if (!file.contains(kLengthSize, length)) {
    return damaged(concat("header of ", length, " bytes in a file of ", file.size(), " bytes"));
  }
  const Bytes header = file.slice(kLengthSize, length);
  if (!header.text().starts_with('{')) return damaged("the header does not begin with `{`");
  return header;
}

Status read_metadata(JsonValue value, StringPairs& metadata) {
  if (!value.is_object()) return bad_header("`__metadata__` is not an object");
  for (const JsonMember member : value.members()) {
    const auto text = member.value.as_string();
    if (!text) return bad_header(concat("metadata ", quoted(member.key), " is not a string"));
    metadata.emplace_back(member.key, *text);
  }
  return {};
}

Status read_shape(JsonValue value, const std::string& name, std::vector<int64_t>& shape) {
  if (!value.is_array()) return bad_header(concat("tensor ", quoted(name), " has no `shape`"));
  if (value.size() > abi::kMaxRank) {
    return bad_header(concat("tensor ", quoted(name), " has rank ", value.size(), "; 64 is the most"));
  }
  for (const JsonValue dim : value.elements()) {
    const auto size = dim.as_int();
    if (!size || *size < 0) return bad_header(concat("tensor ", quoted(name), " has a dimension that is no size"));
    shape.push_back(*size);
  }
  return {};
}

Result<Placed> read_tensor(const JsonMember& member, const Bytes& data) {
  Placed placed{{std::string(member.key), {}, {}, {}}, 0, 0};
  StoredTensor& tensor = placed.tensor;
  const std::string name = quoted(tensor.name);
  const auto dtype = member.value["dtype"].as_string();
  if (!dtype) return bad_header(concat("tensor ", name, " has no `dtype`"));
  const auto type = find_type(*dtype);
  if (!type) {
    return Status::error(
        "E0832", concat("safetensors: tensor ", name, " has dtype ", quoted(*dtype)),
        "supported: F64 F32 F16 BF16 F8_E4M3 F8_E5M2 F8_E8M0 F6_E2M3 F6_E3M2 F4 I64 I32 I16 I8 U64 U32 U16 U8 BOOL");
  }
  tensor.type = *type;
  SUNMAO_TRY(read_shape(member.value["shape"], tensor.name, tensor.shape));

  const JsonValue offsets = member.value["data_offsets"];
  const auto begin = offsets[size_t{0}].as_int(), end = offsets[size_t{1}].as_int();
  if (offsets.size() != 2 || !offsets.is_array() || !begin || !end || *begin < 0 || *end < *begin) {
    return bad_header(concat("tensor ", name, " has no `data_offsets` of two sizes in order"));
  }
  placed.begin = static_cast<uint64_t>(*begin);
  placed.end = static_cast<uint64_t>(*end);
  const uint64_t size = placed.end - placed.begin;
  if (!data.contains(placed.begin, size)) {
    return Status::error(
        "E0830",
        concat("safetensors: tensor ", name, " ends at byte ", placed.end, " of the data, which has ", data.size()),
        "the file was cut short");
  }
  const auto wanted = tensor_size(tensor.type, tensor.shape);
  if (!wanted || *wanted != size) {
    return Status::error("E0833",
                         concat("safetensors: tensor ", name, " has ", size, " bytes, its shape and dtype want ",
                                wanted ? concat(*wanted) : std::string("more than there can be")));
  }
  tensor.data = data.slice(placed.begin, size);
  return placed;
}

Status check_cover(const std::vector<Placed>& placed, uint64_t size) {
  uint64_t end = 0;
  for (const Placed& p : placed) {
    if (p.begin != end) {
      return Status::error("E0834", concat("safetensors: tensor ", quoted(p.tensor.name), " begins at byte ", p.begin,
                                           " of the data, expected ", end, ": tensors must touch and not overlap"));
    }
    end = p.end;
  }
  if (end == size) return {};
  return Status::error("E0834", concat("safetensors: the tensors end at byte ", end, " of the data, which has ", size));
}

}  // namespace

Result<SafetensorsReader> SafetensorsReader::open(Bytes file) {
  const Result<Bytes> header = header_of(file);
  if (!header.ok()) return header.status();
  const Result<JsonDocument> document = JsonDocument::parse(*header);
  if (!document.ok()) return document.status().with_prefix("safetensors header: ");
  const size_t data_at = kLengthSize + header->size();
  const Bytes data = file.slice(data_at, file.size() - data_at);

  SafetensorsReader reader;
  std::vector<Placed> placed;
  for (const JsonMember member : document->root().members()) {
    if (member.key == kMetadataKey) {
      SUNMAO_TRY(read_metadata(member.value, reader.metadata_));
      continue;
    }
    Result<Placed> tensor = read_tensor(member, data);
    if (!tensor.ok()) return tensor.status();
    placed.push_back(tensor.take());
  }
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::tie(a.begin, a.end, a.tensor.name) < std::tie(b.begin, b.end, b.tensor.name);
  });
  SUNMAO_TRY(check_cover(placed, data.size()));
  for (Placed& p : placed) {
    if (!p.tensor.name.starts_with(kPadPrefix)) reader.tensors_.push_back(std::move(p.tensor));
  }
  reader.sort_names();
  return reader;
}

void SafetensorsReader::sort_names() {
  by_name_.resize(tensors_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0u);
  std::sort(by_name_.begin(), by_name_.end(),
            [&](uint32_t a, uint32_t b) { return tensors_[a].name < tensors_[b].name; });
}

const StoredTensor* SafetensorsReader::find(std::string_view name) const {
  const auto found = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                      [&](uint32_t i, std::string_view wanted) { return tensors_[i].name < wanted; });
  if (found == by_name_.end() || tensors_[*found].name != name) return nullptr;
  return &tensors_[*found];
}

}  // namespace sunmao::io
