#include "io/unfinished_file.h"

#include <unistd.h>

#include <cstring>
#include <utility>

namespace sunmao::io {
namespace {

constexpr size_t kSlots = 64;
static_assert(std::atomic<char*>::is_always_lock_free, "a handler of a signal must not wait");

// A path belongs to the one that takes it out of its slot: the object that noted it, which frees it, or a handler,
// which puts it back.
std::atomic<char*> slots[kSlots];

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) : path_(new char[path.size() + 1]) {
  memcpy(path_, path.c_str(), path.size() + 1);
  for (std::atomic<char*>& slot : slots) {
    char* unused = nullptr;
    if (!slot.compare_exchange_strong(unused, path_)) continue;
    slot_ = &slot;
    return;
  }
  delete[] std::exchange(path_, nullptr);
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : slot_(std::exchange(other.slot_, nullptr)), path_(std::exchange(other.path_, nullptr)) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(slot_, other.slot_);
  std::swap(path_, other.path_);
  return *this;
}

UnfinishedFile::~UnfinishedFile() {
  char* mine = path_;
  if (slot_ != nullptr && slot_->compare_exchange_strong(mine, nullptr)) delete[] path_;
}

void remove_unfinished_files() noexcept {
  char* paths[kSlots];
  for (size_t i = 0; i < kSlots; ++i) {
    paths[i] = slots[i].exchange(nullptr);
    if (paths[i] != nullptr) unlink(paths[i]);
  }
  for (size_t i = 0; i < kSlots; ++i) {
    if (paths[i] == nullptr) continue;
    rmdir(paths[i]);
    slots[i] = paths[i];  // to be freed by its object, if the program goes on
  }
}

}  // namespace sunmao::io
