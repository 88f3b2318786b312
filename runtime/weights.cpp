#include "runtime/weights.h"

#include <algorithm>
#include <cstring>

#include "io/concat.h"
#include "io/safetensors.h"
#include "runtime/element_type.h"

namespace sunmao::runtime {
namespace {

using io::concat;
using io::quoted;
using io::Status;

constexpr const char* kHelp = "these are the weights of another model, or of another version of this one";

bool is_aligned(const std::byte* data) { return reinterpret_cast<uintptr_t>(data) % kStorageAlignment == 0; }

Status check(const io::StoredTensor* tensor, const abi::WeightRecord& weight, const ProgramTables& tables) {
  const std::string name = quoted(tables.text(weight.name));
  const std::span<const int64_t> shape = tables.shape(weight);
  const std::string expected = to_string(weight.type) + " " + to_string(shape);
  if (!tensor) return Status::error("E0860", concat("weights: there is no ", name, ", expected ", expected), kHelp);
  if (same_type(tensor->type, io::type_in_safetensors(weight.type)) &&
      std::equal(shape.begin(), shape.end(), tensor->shape.begin(), tensor->shape.end()))
    return {};
  const std::string got = to_string(tensor->type) + " " + to_string(std::span<const int64_t>(tensor->shape));
  return Status::error("E0860", concat("weights: ", name, " is ", got, ", expected ", expected), kHelp);
}

}  // namespace

io::Result<std::shared_ptr<const Weights>> Weights::open(const ProgramTables& tables, io::Bytes file) {
  io::Result<io::SafetensorsReader> reader = io::SafetensorsReader::open(std::move(file));
  if (!reader.ok()) return reader.status();
  auto weights = std::make_shared<Weights>();
  uint64_t copied = 0;
  for (const abi::WeightRecord& record : tables.weights) {
    const io::StoredTensor* tensor = reader->find(tables.text(record.name));
    SUNMAO_TRY(check(tensor, record, tables));
    weights->owners_.push_back(tensor->data);
    if (!is_aligned(tensor->data.data())) copied += align_up(tensor->data.size());
  }
  SUNMAO_TRY(weights->copies_.reserve(copied));
  uint64_t place = 0;
  for (const io::Bytes& data : weights->owners_) {
    Storage storage = cpu_storage(data.data());
    if (!is_aligned(data.data())) {
      storage = weights->copies_.storage().at(place);
      std::memcpy(cpu_address(storage), data.data(), data.size());
      place += align_up(data.size());
    }
    weights->tensors_.push_back({storage, data.size()});
  }
  return std::shared_ptr<const Weights>(std::move(weights));
}

}  // namespace sunmao::runtime
