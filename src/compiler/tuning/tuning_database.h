// TuningDatabase: what was measured of the plans of kernels. Its file is text, a JSON object a line for each kernel, so
// that files are joined by `cat`: of lines on the same kernel, target and machine the last one counts.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/tuning/ratio_interval.h"
#include "passes/schedule/tuning.h"

namespace sunmao {

/// What was measured of a plan against the first one.
struct PlanTimes {
  std::vector<std::string> plans;
  double seconds = 0;  // of a call, the median
  RatioInterval ratio;
  int64_t rounds = 0;
};

struct TuningEntry {
  std::string kernel, target, machine;  // the digest of the kernel, `Target::text`, and where it was measured
  std::string name;                     // of the kernel in the model, for people
  std::vector<std::string> first;       // the plans without tuning
  std::vector<std::string> plans;       // those that are faster, or the first ones
  bool is_used = true;                  // false: models with this kernel were not faster with the plans
  double seconds = 0;                   // of a call with the first plans
  std::vector<PlanTimes> times;
  std::optional<RatioInterval> model = {};  // of the whole model with all of its plans

  bool is_tuned() const { return plans != first; }
};

class TuningDatabase {
 public:
  /// Reads the text of a file; `name` is for messages. Fails (E0548) on a line that is no entry. A last line without an
  /// end that is no entry was being written when the program ended, and is left out.
  static TuningDatabase parse(std::string_view text, const std::string& name);
  /// Reads a file; fails as reading files does when there is none.
  static TuningDatabase read(const std::filesystem::path& path);
  /// The same; empty when there is no file.
  static TuningDatabase read_if_there(const std::filesystem::path& path);
  /// Replaces a file: what stood there is there until all is written.
  void write(const std::filesystem::path& path) const;

  const std::vector<TuningEntry>& entries() const { return entries_; }
  /// Returns null when there is no entry.
  const TuningEntry* find(const std::string& kernel, const std::string& target, const std::string& machine) const;
  /// Adds an entry at the end, in place of the one on the same kernel, target and machine.
  void add(TuningEntry entry);
  /// Returns the plans that differ from the first ones. Of entries of several machines on a kernel and target, the last
  /// one counts.
  TunedPlans plans() const;
  std::string text() const;

 private:
  std::vector<TuningEntry> entries_;
};

}  // namespace sunmao
