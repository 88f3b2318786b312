#include "runtime/profile.h"

#include <algorithm>
#include <ctime>
#include <new>

#include "runtime/instruction.h"

namespace sunmao::runtime {
namespace {

constexpr uint32_t kFree = ~uint32_t{0};
constexpr uint64_t kReserved = 1 << 16;  // events

/// Makes room for more items; false when there is no memory for them. What a profile cannot hold it counts: a run does
/// not fail because it is recorded.
template <class T>
bool has_room(std::vector<T>& items, size_t more) {
  if (items.capacity() - items.size() >= more) return true;
  try {
    items.reserve(std::max(items.size() + more, 2 * items.size()));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

Profile::Profile(const Program& program, uint64_t max_events)
    : program_(program), max_events_(std::min(max_events, kMaxEvents)), table_(2 * kMaxRecords, kFree) {
  const ProgramTables& tables = program.tables();
  for (const abi::KernelRecord& kernel : tables.kernels) names_.emplace_back(tables.text(kernel.name));
  events_.reserve(std::min(max_events_, kReserved));
}

uint64_t Profile::now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

uint32_t Profile::find_record(uint32_t place, uint32_t kernel, std::span<const int64_t> dims) {
  constexpr uint64_t kPrime = 0x9e3779b97f4a7c15;
  uint64_t hash = (place + 1) * kPrime;
  for (const int64_t d : dims) hash = (hash ^ (hash >> 29) ^ static_cast<uint64_t>(d)) * kPrime;
  for (size_t at = hash >> 32;; ++at) {
    uint32_t& index = table_[at % table_.size()];
    if (index == kFree) {
      if (records_.size() == kMaxRecords || !has_room(records_, 1) || !has_room(dims_, dims.size())) return kRun;
      index = static_cast<uint32_t>(records_.size());
      records_.push_back({place, kernel, dims_.size(), dims.size(), 0, 0, ~uint64_t{0}});
      dims_.insert(dims_.end(), dims.begin(), dims.end());
      return index;
    }
    const Record& r = records_[index];
    if (r.place == place && std::equal(dims.begin(), dims.end(), dims_.begin() + static_cast<int64_t>(r.first_dim)))
      return index;
  }
}

void Profile::add(const uint32_t* words, std::span<const int64_t> dims, uint64_t begin, uint64_t end) {
  const auto place = static_cast<uint32_t>(words - program_.tables().words.data());
  const uint32_t index = find_record(place, words[1], dims);
  if (index == kRun) {
    ++totals_.lost_calls;
    return;
  }
  Record& record = records_[index];
  ++record.calls;
  record.nanoseconds += end - begin;
  record.fastest = std::min(record.fastest, end - begin);
  add_event(index, begin, end);
}

void Profile::add_run(uint64_t begin, uint64_t end) {
  ++totals_.runs;
  totals_.nanoseconds += end - begin;
  add_event(kRun, begin, end);
}

void Profile::add_event(uint32_t record, uint64_t begin, uint64_t end) {
  if (max_events_ == 0) return;
  if (events_.size() < max_events_ && has_room(events_, 1))
    events_.push_back({record, begin - start_, end - begin});
  else
    ++totals_.lost_events;
}

Profile::Place Profile::find_place(uint32_t place) const {
  const uint32_t* const all = program_.tables().words.data();
  for (size_t i = 0; i < program_.function_count(); ++i) {
    const std::span<const uint32_t> words = program_.function(i).words;
    const auto first = static_cast<size_t>(words.data() - all);
    if (place < first || place >= first + words.size()) continue;
    size_t call = 0;
    for (size_t at = 0; first + at < place; at += length_of(words[at]))
      call += opcode_of(words[at]) == abi::Opcode::Call;
    return {i, call};
  }
  return {};
}

}  // namespace sunmao::runtime
