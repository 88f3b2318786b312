#include "runtime/managed_tensor.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "io/concat.h"
#include "runtime/arena.h"
#include "runtime/element_type.h"

namespace sunmao::runtime {

io::Result<DLManagedTensor*> make_managed_tensor(abi::ElementType type, const ResultLayout& result) {
  // Layout of the block: DLManagedTensor, shape, then data at the next multiple of 64 bytes.
  const uint64_t shape_bytes = result.shape.size() * sizeof(int64_t);
  const uint64_t data_offset = align_up(sizeof(DLManagedTensor) + shape_bytes);
  SUNMAO_TRY(check_memory(result.bytes));
  void* block = std::aligned_alloc(kStorageAlignment, data_offset + align_up(result.bytes));
  if (!block)
    return io::Status::error("E0910", io::concat("there is no memory for an output of ", result.bytes, " bytes"),
                             "use smaller dimensions, or a machine with more memory");
  auto* shape = reinterpret_cast<int64_t*>(static_cast<std::byte*>(block) + sizeof(DLManagedTensor));
  std::copy(result.shape.begin(), result.shape.end(), shape);
  auto* tensor = new (block) DLManagedTensor{};
  tensor->dl_tensor.data = static_cast<std::byte*>(block) + data_offset;
  tensor->dl_tensor.device = {kDLCPU, 0};
  tensor->dl_tensor.ndim = static_cast<int32_t>(result.shape.size());
  tensor->dl_tensor.dtype = to_dlpack(type);
  tensor->dl_tensor.shape = shape;
  tensor->deleter = [](DLManagedTensor* self) { std::free(self); };
  return tensor;
}

}  // namespace sunmao::runtime
