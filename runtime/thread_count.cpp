// The number of threads that a loop may use.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "io/concat.h"
#include "runtime/cpu_quota.h"
#include "runtime/thread_pool.h"

namespace sunmao::runtime {
namespace {

constexpr const char* kVariable = "SUNMAO_NUM_THREADS";

std::atomic<uint32_t> g_chosen{0};  // 0: the default

/// Returns the value of the environment variable, or 0 unless it is a valid number of threads.
uint32_t from_environment() {
  const char* text = std::getenv(kVariable);
  if (!text) return 0;
  uint32_t count = 0;
  const char* end = text + std::strlen(text);
  const std::from_chars_result parsed = std::from_chars(text, end, count);
  return parsed.ec == std::errc() && parsed.ptr == end && count <= kMaxThreads ? count : 0;
}

uint32_t processors_of_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // The call fails on machines with more processors than cpu_set_t holds.
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) return kMaxThreads;
  return static_cast<uint32_t>(CPU_COUNT(&set));
}

uint32_t default_count() {
  const uint32_t wanted = from_environment();
  return wanted ? wanted : usable_processors();
}

}  // namespace

uint32_t usable_processors() {
  static const uint32_t count =
      std::clamp(std::min(processors_of_affinity(),
                          processors_of_quota("/proc/self/cgroup", "/sys/fs/cgroup").value_or(kMaxThreads)),
                 1u, kMaxThreads);
  return count;
}

uint32_t thread_count() {
  if (const uint32_t chosen = g_chosen.load(std::memory_order_relaxed)) return chosen;
  static const uint32_t count = default_count();
  return count;
}

io::Status check_thread_count() {
  const char* text = std::getenv(kVariable);
  if (g_chosen.load(std::memory_order_relaxed) || !text || !*text || from_environment()) return {};
  return io::Status::error(
      "E0920", io::concat(kVariable, " is ", io::quoted(text), ", expected a number from 1 to ", kMaxThreads),
      "set it to the number of threads that a run may use, or unset it");
}

void set_thread_count(uint32_t count) { g_chosen.store(std::min(count, kMaxThreads), std::memory_order_relaxed); }

}  // namespace sunmao::runtime
