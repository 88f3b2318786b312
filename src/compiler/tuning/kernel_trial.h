// KernelTrial: which plans of a kernel are measured, one after the other, and which is the best so far.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/tuning/tuner.h"
#include "passes/schedule/schedule.h"

namespace sunmao {

/// The plans of a kernel's groups are tried group by group: each plan of a group with the best ones of the groups
/// before. All are compared with the kernel as it is without tuning.
class KernelTrial {
 public:
  /// `known` is what the database has of the kernel, or null. With `again` all of it is measured anew.
  KernelTrial(const TunableKernel& kernel, const TuneOptions& options, const TuningEntry* known);

  const TunableKernel& kernel() const { return kernel_; }
  /// The entry of the database, with what has been measured so far.
  const TuningEntry& entry() const { return entry_; }
  TuningEntry& entry() { return entry_; }
  /// The same for the database: while plans are measured again, with what is known of the others.
  TuningEntry entry_to_keep() const;
  bool has_choice() const { return !entry_.first.empty(); }
  /// True when `record` was called.
  bool has_measured() const { return has_measured_; }
  /// The ratio of the plans that are taken.
  RatioInterval ratio() const;

  /// Returns the plans to measure next; nullopt when all have been measured.
  std::optional<std::vector<std::string>> next();
  /// Returns how many plans are left in the groups as they are known now.
  size_t count_left() const;
  /// Takes what was measured of the plans that `next` returned.
  void record(PlanTimes times, double first_seconds);
  /// Takes what was measured of the plans that are taken, once more: the fastest of many is also the one that was
  /// lucky. Where they are not faster, the next best ones are taken, or the first.
  void confirm(PlanTimes times);
  /// Takes the first plans.
  void give_up() { entry_.plans = entry_.first; }

 private:
  /// Chooses the best plans so far for the groups before.
  void choose_best();
  void compare(const PlanTimes& times);

  const TunableKernel& kernel_;
  const Target target_;
  TuningEntry entry_;
  std::optional<TuningEntry> older_;  // until all has been measured again
  std::vector<std::string> chosen_;   // of the groups before; of the others the first ones
  std::vector<GroupPlans> groups_;
  size_t group_ = 0, plan_ = 1;
  double best_ = 1;  // the ratio of the plans that are taken
  bool has_measured_ = false;
};

}  // namespace sunmao
