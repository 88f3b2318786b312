#include "runtime/arena.h"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <cstddef>

#include "io/concat.h"

namespace sunmao::runtime {
namespace {

constexpr uint64_t kGranule = 1 << 16;  // bytes; a multiple of the page size
constexpr uint64_t kMuchLess = 4;       // times less than before
constexpr uint32_t kSmallInARow = 32;
constexpr uint64_t kWorthGivingBack = 1 << 24;  // bytes

uint64_t in_granules(uint64_t bytes) { return (bytes + kGranule - 1) / kGranule * kGranule; }

io::Status no_memory(uint64_t bytes, const char* why) {
  return io::Status::error("E0910", io::concat("this run needs ", bytes, " bytes of memory, ", why),
                           "use smaller dimensions, or a machine with more memory");
}

}  // namespace

Arena::~Arena() { release(); }

void Arena::release() {
  if (base_) ::munmap(base_, capacity_);
  base_ = nullptr;
  capacity_ = 0;
}

void Arena::give_back_unused(uint64_t bytes) {
  if (bytes > used_ / kMuchLess || used_ < kWorthGivingBack) {
    used_ = std::max(used_, bytes);
    small_in_a_row_ = 0;
    return;
  }
  if (++small_in_a_row_ < kSmallInARow) return;
  const uint64_t kept = in_granules(bytes);
  ::madvise(static_cast<std::byte*>(base_) + kept, capacity_ - kept, MADV_DONTNEED);
  used_ = bytes;
  small_in_a_row_ = 0;
}

io::Status Arena::reserve(uint64_t bytes) {
  if (bytes <= capacity_) {
    give_back_unused(bytes);
    return {};
  }
  SUNMAO_TRY(check_memory(bytes));
  // Growth by half bounds the number of reallocations; it costs address space only.
  const uint64_t wanted = std::max(bytes, check_memory(capacity_ / 2 * 3).ok() ? capacity_ / 2 * 3 : 0);
  const uint64_t size = in_granules(wanted);
  release();
  void* base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return no_memory(bytes, "and the system does not give them");
  base_ = base;
  capacity_ = size;
  used_ = bytes;
  small_in_a_row_ = 0;
  return {};
}

io::Status check_memory(uint64_t bytes) {
  struct sysinfo info = {};
  if (::sysinfo(&info) != 0) return {};
  const uint64_t most = (uint64_t{info.totalram} + info.totalswap) * info.mem_unit;
  return bytes <= most ? io::Status() : no_memory(bytes, io::concat("this machine has ", most).c_str());
}

}  // namespace sunmao::runtime
