// Allocations that fail on request, in the whole program of the runtime's tests: operator new, and what the linker
// hands over (`--wrap`): malloc, aligned_alloc, mmap, realpath and the creation of threads.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "tests/unit/runtime/handles.h"

namespace sunmao::runtime::testing {

/// While it lives, an allocation of this thread fails: the one with this number, from 1 on, alone or with all that
/// follow.
class Fault {
 public:
  enum class Kind : uint8_t { Alone, WithAllThatFollow };
  Fault(uint64_t number, Kind kind);
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;
  ~Fault();

  /// Returns how many have failed.
  static uint64_t count();
};

/// What this thread has allocated and not given back.
struct Held {
  int64_t allocations = 0, mappings = 0;
  bool operator==(const Held&) const = default;
};
Held held();

/// RAII: what a test does in a function that the runtime calls does not fail.
class Unfailing {
 public:
  Unfailing();
  Unfailing(const Unfailing&) = delete;
  Unfailing& operator=(const Unfailing&) = delete;
  ~Unfailing();

 private:
  const bool was_armed_;
};

/// Something that allocates. `begin` and `end`, which releases what `begin` and `call` made, always have memory.
struct Work {
  std::function<void()> begin = [] {};
  std::function<int(sunmao_error&)> call;
  std::function<void()> end = [] {};
  const char* code = "";   // of what `call` fails with when there is memory; empty: it succeeds
  uint64_t at_least = 1;   // allocations that it has
  bool may_go_on = false;  // it may succeed although an allocation failed
};

/// Does the work with each of its allocations failing in turn, alone and with all that follow: the call says so,
/// nothing is lost, and the same call succeeds afterwards.
void fail_each(const Work& work);

class MissingMemory : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const char* name, const std::string& contents) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << contents;
    return path;
  }
  Work loading(const std::function<int(sunmao_error&)>& call) {
    return {.call = call, .end = [this] { sunmao_model_free(std::exchange(loaded_, nullptr)); }};
  }

  /// Work in a session of its own.
  Work in_session(const ModelHandle& model, std::function<int(sunmao_error&)> call) {
    return {.begin = [this, &model] { sunmao_session_create(model.get(), &session_, nullptr); },
            .call = std::move(call),
            .end = [this] { sunmao_session_free(session_); }};
  }
  int run(const char* function, std::span<DLTensor> inputs, std::span<DLTensor> outputs, sunmao_error& error) {
    return sunmao_run(session_, function, inputs.data(), inputs.size(), outputs.data(), outputs.size(), &error);
  }

  // In memory where there is such a folder: files are written hundreds of times, and brought to the disk each time.
  const std::string folder_ = (std::filesystem::exists("/dev/shm") ? "/dev/shm/" : ::testing::TempDir()) +
                              "sunmao_missing_memory_" + std::to_string(::getpid());
  sunmao_model* loaded_ = nullptr;
  sunmao_session* session_ = nullptr;
};

}  // namespace sunmao::runtime::testing
