// The tuner: measures the plans of a model's kernels, and takes those that are faster. All kernels try a plan at a
// time, in the model itself, so that each has the sizes, the data and the caches that it has in a run.
#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/model_profile.h"
#include "compiler/tuning/tuning_database.h"
#include "support/phase_timer.h"
#include "target/target.h"

namespace sunmao {

/// A kernel of a model, as it is before it is scheduled.
struct TunableKernel {
  std::string digest;
  Ref<PrimFunc> form;
  std::vector<std::string> names;  // of kernels with this content
};

/// Returns the kernels with forms for the target, each content once. The module is that after `inline-elementwise`.
std::vector<TunableKernel> find_tunable_kernels(const Module& module, const Target& target);

/// A model that was compiled with some plans, ready to run.
class TimedModel {
 public:
  virtual ~TimedModel() = default;
  /// Runs the model as often as gives a time worth reading, and returns the seconds of one run.
  virtual double run() = 0;
  /// The same, and returns the times of the kernels of all these runs together.
  virtual ModelProfile run_profiled() = 0;
};
using MakeTimedModel = std::function<std::unique_ptr<TimedModel>(const TunedPlans& plans)>;

struct TuneOptions {
  Target target;
  std::string machine;                                     // the name under which times are kept
  double seconds = 300;                                    // for all measurements
  bool again = false;                                      // whether what the database has is measured again
  size_t most_plans = std::numeric_limits<size_t>::max();  // of all kernels, that are measured
  size_t most_plans_of_kernel = std::numeric_limits<size_t>::max();
  /// Only kernels whose names contain one of these words are tuned; empty: all.
  std::vector<std::string> names = {};
  /// Returns the time in seconds.
  std::function<double()> now;
  /// Called with the database whenever it has got more.
  std::function<void(const TuningDatabase& database)> on_measured = {};
  OnProgress on_progress = {};
  /// Polled between runs; Cancelled is thrown when it returns true.
  std::function<bool()> is_cancelled = {};
};

struct TunedKernel {
  std::string name, origin;  // the origin is empty when unknown
  uint64_t calls = 0;        // in a run
  double share = 0;          // of the time of all kernels
  std::vector<std::string> first, plans;
  RatioInterval ratio;    // of these plans
  size_t measured = 0;    // plans
  bool is_known = false;  // the database had all of it
};

struct TuneReport {
  std::vector<TunedKernel> kernels;  // the one that takes longest first
  size_t others = 0;                 // kernels that have no choice or take almost no time
  bool is_complete = true;           // false: the time was over before all plans were measured
  /// The model with all plans that were taken against the model without; absent when no plan was taken.
  std::optional<RatioInterval> model = {};
  double seconds_before = 0, seconds_after = 0;  // of a run
  bool is_used() const { return model && model->is_faster(); }
};

/// Measures until all plans have been measured or the time is over.
TuneReport tune_kernels(const std::vector<TunableKernel>& kernels, const MakeTimedModel& make, TuningDatabase& database,
                        const TuneOptions& options);

}  // namespace sunmao
