// Profile: what a session records about the kernel calls of its runs: times by place and sizes and, on request, single
// events. Its memory is bounded.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/program.h"

namespace sunmao::runtime {

class Profile {
 public:
  /// The most records and events that are kept; what is beyond them is only counted.
  static constexpr size_t kMaxRecords = size_t{1} << 14;
  static constexpr uint64_t kMaxEvents = uint64_t{1} << 24;
  static constexpr uint32_t kRun = ~uint32_t{0};  // the record of an event that is a whole run

  /// The calls from one place of the program with the same sizes.
  struct Record {
    uint32_t place;  // index of the instruction in the program's words
    uint32_t kernel;
    size_t first_dim, dim_count;  // in `dims()`
    uint64_t calls, nanoseconds, fastest;
  };
  struct Event {
    uint32_t record;
    uint64_t begin, nanoseconds;  // `begin` counts from the start of the profile
  };
  struct Totals {
    uint64_t runs, nanoseconds;        // whole runs
    uint64_t lost_calls, lost_events;  // not kept
  };

  Profile(const Program& program, uint64_t max_events);

  /// Records a kernel call. `words` is the instruction, `dims` are its sizes.
  void add(const uint32_t* words, std::span<const int64_t> dims, uint64_t begin, uint64_t end);
  void add_run(uint64_t begin, uint64_t end);

  const std::vector<Record>& records() const { return records_; }
  const std::vector<Event>& events() const { return events_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  const Totals& totals() const { return totals_; }
  /// The name of a kernel, and the function and the number of the call in it that stand at a place.
  const std::string& kernel_name(uint32_t kernel) const { return names_[kernel]; }
  struct Place {
    size_t function, call;
  };
  Place find_place(uint32_t place) const;

  /// Returns the time of a monotonic clock in nanoseconds.
  static uint64_t now();

 private:
  /// Returns the record of these calls, which may be new; kRun when there is no room for it.
  uint32_t find_record(uint32_t place, uint32_t kernel, std::span<const int64_t> dims);
  void add_event(uint32_t record, uint64_t begin, uint64_t end);

  const Program& program_;
  const uint64_t start_ = now();
  const uint64_t max_events_;
  std::vector<std::string> names_;
  std::vector<uint32_t> table_;  // hashes to indices of records
  std::vector<Record> records_;
  std::vector<int64_t> dims_;
  std::vector<Event> events_;
  Totals totals_{};
};

/// Records a run from its construction to its end; `profile` may be null.
class ProfiledRun {
 public:
  explicit ProfiledRun(Profile* profile) : profile_(profile), begin_(profile ? Profile::now() : 0) {}
  ~ProfiledRun() {
    if (profile_) [[unlikely]]
      profile_->add_run(begin_, Profile::now());
  }
  ProfiledRun(const ProfiledRun&) = delete;
  ProfiledRun& operator=(const ProfiledRun&) = delete;

 private:
  Profile* const profile_;
  const uint64_t begin_;
};

}  // namespace sunmao::runtime
