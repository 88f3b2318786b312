#include "runtime/weights.h"

#include <cstring>

#include "runtime/element_type.h"

namespace sunmao::runtime {
io::Status Weights::use(const FoundWeight& found) {
  const io::Bytes& data = found.data;
  Storage storage = cpu_storage(data.data());
  if (reinterpret_cast<uintptr_t>(data.data()) % found.alignment != 0) {
    auto copy = std::make_unique<Arena>();
    SUNMAO_TRY(copy->reserve(data.size()));
    storage = copy->storage();
    std::memcpy(cpu_address(storage), data.data(), data.size());
    copies_[found.weight] = std::move(copy);
  } else {
    owners_[found.weight] = data;
  }
  tensors_[found.weight] = {storage, data.size()};
  is_there_[found.weight] = true;
  return {};
}

void Weights::drop(uint32_t weight) {
  tensors_[weight] = {};
  is_there_[weight] = false;
  owners_[weight] = {};
  copies_[weight] = nullptr;
}

io::Status Weights::reserve(const ProgramTables& tables, const std::vector<uint32_t>& weights) {
  std::vector<uint64_t> sizes;
  uint64_t total = 0;
  for (const uint32_t weight : weights) {
    sizes.push_back(*byte_size(tables.weights[weight].type, tables.shape(tables.weights[weight])));
    SUNMAO_TRY(check_memory(sizes.back()));
    total += align_up(sizes.back());
  }
  auto arena = std::make_unique<Arena>();
  SUNMAO_TRY(arena->reserve(total));
  uint64_t place = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    tensors_[weights[i]] = {arena->storage().at(place), sizes[i]};
    is_there_[weights[i]] = true;
    place += align_up(sizes[i]);
  }
  made_.push_back(std::move(arena));
  return {};
}

}  // namespace sunmao::runtime
