#include "runtime/managed_tensor.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "io/concat.h"
#include "runtime/arena.h"
#include "runtime/element_type.h"

namespace sunmao::runtime {
namespace {

/// What a block begins with; shape and data follow.
struct Head {
  DLManagedTensor tensor;
  OutputBlock block;
  std::weak_ptr<OutputBlocks> home;
};

uint64_t offset_of_data(const ResultLayout& result) {
  return align_up(sizeof(Head) + result.shape.size() * sizeof(int64_t));
}

void release(DLManagedTensor* self) {
  auto* head = static_cast<Head*>(self->manager_ctx);
  const OutputBlock block = head->block;
  const std::shared_ptr<OutputBlocks> home = head->home.lock();
  head->~Head();
  if (home)
    home->give_back(block);
  else
    std::free(block.memory);
}

}  // namespace

uint64_t managed_bytes(const ResultLayout& result) { return align_up(offset_of_data(result) + result.bytes); }

io::Result<DLManagedTensor*> make_managed_tensor(abi::ElementType type, const ResultLayout& result,
                                                 const std::shared_ptr<OutputBlocks>& blocks) {
  SUNMAO_TRY(check_memory(result.bytes));
  const OutputBlock block = blocks->take(managed_bytes(result));
  if (!block.memory)
    return io::Status::error("E0910", io::concat("there is no memory for an output of ", result.bytes, " bytes"),
                             "use smaller dimensions, or a machine with more memory");
  auto* bytes = static_cast<std::byte*>(block.memory);
  auto* head = new (block.memory) Head{{}, block, {}};
  if (OutputBlocks::is_worth_keeping(block.bytes)) head->home = blocks;
  auto* shape = reinterpret_cast<int64_t*>(bytes + sizeof(Head));
  std::copy(result.shape.begin(), result.shape.end(), shape);
  head->tensor.dl_tensor.data = bytes + offset_of_data(result);
  head->tensor.dl_tensor.device = {kDLCPU, 0};
  head->tensor.dl_tensor.ndim = static_cast<int32_t>(result.shape.size());
  head->tensor.dl_tensor.dtype = to_dlpack(type);
  head->tensor.dl_tensor.shape = shape;
  head->tensor.manager_ctx = head;
  head->tensor.deleter = release;
  return &head->tensor;
}

}  // namespace sunmao::runtime
