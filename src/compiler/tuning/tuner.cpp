#include "compiler/tuning/tuner.h"

#include <algorithm>

#include "compiler/options.h"
#include "compiler/tuning/kernel_trial.h"
#include "passes/loop/kernel_forms.h"

namespace sunmao {
namespace {

constexpr size_t kFewestRounds = 8, kMostRounds = 64;              // of a plan; intervals are read when they double
constexpr size_t kFewestModelRounds = 16, kMostModelRounds = 512;  // of the whole model
constexpr size_t kFirstRuns = 5;                                   // untuned, that say how long each kernel takes
constexpr double kShareOfCheck = 0.25;    // of the time, to confirm what was found: half of it is for the whole model
constexpr double kSmallShare = 0.001;     // of the time of all kernels: what takes less is not tuned
constexpr double kWaitedForShare = 0.02;  // what takes less does not prolong the rounds

/// What a kernel has in a run.
struct CallsInRun {
  uint64_t calls = 0;
  double seconds = 0;
  std::string origin;
};

/// True when one of a kernel's names contains one of the words that are asked for.
bool is_asked_for(const TunableKernel& kernel, const std::vector<std::string>& words) {
  return words.empty() || std::ranges::any_of(kernel.names, [&](const std::string& name) {
           return std::ranges::any_of(words, [&](const std::string& word) { return name.find(word) != name.npos; });
         });
}

/// Adds up the kernels of one content in a profile.
CallsInRun calls_in(const ModelProfile& profile, const TunableKernel& kernel) {
  CallsInRun out;
  const auto runs = static_cast<double>(std::max<uint64_t>(1, profile.runs));
  for (const KernelTime& k : profile.kernels) {
    if (std::ranges::find(kernel.names, k.name) == kernel.names.end()) continue;
    out.calls += k.calls / std::max<uint64_t>(1, profile.runs);
    out.seconds += k.seconds / runs;
    for (const KernelPlace& place : k.places)
      if (out.origin.empty())
        out.origin = !place.node.empty() ? place.node : !place.module.empty() ? place.module : place.line;
  }
  return out;
}

/// Returns what a kernel has in a run, with the median of its times.
CallsInRun usual_calls(const std::vector<ModelProfile>& profiles, const TunableKernel& kernel) {
  std::vector<double> seconds;
  for (const ModelProfile& profile : profiles) seconds.push_back(calls_in(profile, kernel).seconds);
  CallsInRun out = calls_in(profiles.front(), kernel);
  out.seconds = median_of(std::move(seconds));
  return out;
}

/// A kernel that is measured, with the plans of the round.
struct Measured {
  KernelTrial* trial;
  std::vector<std::string> plans;
  bool is_waited_for;
  std::vector<double> ratios = {}, seconds = {}, first_seconds = {};
};

class Tuner {
 public:
  Tuner(const std::vector<TunableKernel>& kernels, const MakeTimedModel& make, TuningDatabase& database,
        const TuneOptions& options)
      : make_(make), database_(database), options_(options), end_(options.now() + options.seconds), base_(make({})) {
    base_->run_profiled();  // memory and layouts are there from the second run on
    std::vector<ModelProfile> profiles;
    while (profiles.size() < kFirstRuns) profiles.push_back(base_->run_profiled());
    double all = 0;
    for (const TunableKernel& kernel : kernels) all += usual_calls(profiles, kernel).seconds;
    for (const TunableKernel& kernel : kernels) {
      CallsInRun calls = usual_calls(profiles, kernel);
      if (calls.calls == 0 || calls.seconds < kSmallShare * all || !is_asked_for(kernel, options.names)) continue;
      const TuningEntry* known = database.find(kernel.digest, options.target.text(), options.machine);
      auto trial = std::make_unique<KernelTrial>(kernel, options, known);
      if (trial->has_choice()) tried_.push_back({std::move(trial), std::move(calls), 0});
    }
    for (Tried& t : tried_) t.share = t.calls.seconds / all;
    std::ranges::stable_sort(tried_, std::greater(), &Tried::share);
    others_ = kernels.size() - tried_.size();
  }

  TuneReport run() {
    TuneReport report{.others = others_};
    const double end_of_plans = end_ - kShareOfCheck * options_.seconds;
    size_t number = 0;
    for (std::vector<Measured> round = next_plans(); !round.empty(); round = next_plans()) {
      report.is_complete = options_.now() < end_of_plans;
      if (!report.is_complete) break;
      size_t left = 0;
      for (const Tried& t : tried_) left = std::max(left, t.trial->count_left());
      if (options_.on_progress) options_.on_progress("plans", number, number + left);
      measure(round, options_.now() + (end_of_plans - options_.now()) / static_cast<double>(left));
      ++number;
    }
    confirm_plans();
    check_model(report);
    save();
    add_kernels(report);
    return report;
  }

 private:
  struct Tried {
    std::unique_ptr<KernelTrial> trial;
    CallsInRun calls;
    double share = 0;
  };

  void poll() const {
    if (options_.is_cancelled && options_.is_cancelled()) throw Cancelled();
  }

  /// Returns the next plan of each kernel that has one.
  std::vector<Measured> next_plans() {
    std::vector<Measured> out;
    size_t measured = 0;
    for (const Tried& t : tried_) measured += t.trial->entry().times.size();
    for (const Tried& t : tried_) {
      if (measured + out.size() >= options_.most_plans) break;
      if (t.trial->entry().times.size() >= options_.most_plans_of_kernel) continue;
      if (std::optional<std::vector<std::string>> plans = t.trial->next())
        out.push_back({t.trial.get(), *std::move(plans), t.share >= kWaitedForShare});
    }
    return out;
  }

  /// Measures the plans that are taken once more, all together. What is not faster again is replaced by the next best
  /// plans, which are measured once more too; in the end only plans are taken of which two measurements say so.
  void confirm_plans() {
    constexpr size_t kAttempts = 3;
    for (size_t attempt = 0; attempt < kAttempts; ++attempt) {
      std::vector<Measured> round = unconfirmed_plans();
      if (round.empty()) return;
      if (options_.on_progress) options_.on_progress("confirm", attempt, kAttempts);
      compare(round, end_ - kShareOfCheck / 2 * options_.seconds);
      for (Measured& m : round) {
        PlanTimes times = times_of(m);
        if (times.ratio.is_faster()) confirmed_.emplace_back(m.trial, m.plans);
        m.trial->confirm(std::move(times));
      }
      save();
    }
    for (const Measured& m : unconfirmed_plans()) m.trial->give_up();
  }

  /// Returns the plans that are taken and were not measured once more. An entry that knows of a whole model had been.
  std::vector<Measured> unconfirmed_plans() const {
    std::vector<Measured> out;
    for (const Tried& t : tried_) {
      const TuningEntry& entry = t.trial->entry();
      const std::pair<const KernelTrial*, std::vector<std::string>> plans(t.trial.get(), entry.plans);
      if (entry.is_tuned() && !entry.model && std::ranges::find(confirmed_, plans) == confirmed_.end())
        out.push_back({t.trial.get(), entry.plans, t.share >= kWaitedForShare});
    }
    return out;
  }

  static PlanTimes times_of(const Measured& m) {
    return {.plans = m.plans,
            .seconds = m.seconds.empty() ? 0 : median_of(m.seconds),
            .ratio = ratio_interval(m.ratios).value_or(RatioInterval{}),
            .rounds = static_cast<int64_t>(m.ratios.size())};
  }

  void measure(std::vector<Measured>& round, double end) {
    compare(round, end);
    for (Measured& m : round) m.trial->record(times_of(m), m.first_seconds.empty() ? 0 : median_of(m.first_seconds));
    save();
  }

  /// Runs the model with these plans and without tuning in turn, until all that matters is clear, or until `end`.
  void compare(std::vector<Measured>& round, double end) {
    TunedPlans plans;
    for (const Measured& m : round) plans[m.trial->kernel().digest][options_.target.text()] = m.plans;
    const std::unique_ptr<TimedModel> model = make_(plans);
    model->run_profiled();
    for (size_t n = 0; n < kMostRounds; ++n) {
      poll();
      if (n >= kFewestRounds && (options_.now() > end || (is_power_of_two(n) && is_clear(round)))) break;
      const bool is_turned = n % 2 == 1;
      ModelProfile times[2];
      for (const bool is_new : {is_turned, !is_turned}) times[is_new] = (is_new ? *model : *base_).run_profiled();
      for (Measured& m : round) {
        const CallsInRun before = calls_in(times[0], m.trial->kernel()), after = calls_in(times[1], m.trial->kernel());
        if (before.calls == 0 || after.calls == 0) continue;
        m.ratios.push_back(after.seconds / before.seconds);
        m.first_seconds.push_back(before.seconds / static_cast<double>(before.calls));
        m.seconds.push_back(after.seconds / static_cast<double>(after.calls));
      }
    }
  }

  static bool is_power_of_two(size_t n) { return (n & (n - 1)) == 0; }
  static bool is_clear(const std::vector<Measured>& round) {
    return std::ranges::all_of(round, [](const Measured& m) {
      const std::optional<RatioInterval> ratio = ratio_interval(m.ratios);
      return !m.is_waited_for || (ratio && ratio->is_clear());
    });
  }

  void save() {
    bool is_changed = false;
    for (const Tried& t : tried_) {
      TuningEntry entry = t.trial->entry_to_keep();
      if (entry.times.empty() || (!t.trial->has_measured() && !has_checked_)) continue;
      database_.add(std::move(entry));
      is_changed = true;
    }
    if (is_changed && options_.on_measured) options_.on_measured(database_);
  }

  /// Times the model with all plans that were taken against the model without. Where it is not faster, they are not
  /// used.
  void check_model(TuneReport& report) {
    TunedPlans plans;
    bool is_new = false;
    for (const Tried& t : tried_) {
      const TuningEntry& entry = t.trial->entry();
      if (!entry.is_tuned()) continue;
      plans[entry.kernel][entry.target] = entry.plans;
      is_new = is_new || t.trial->has_measured() || !entry.model;
      report.model = entry.model;
    }
    if (plans.empty() || !is_new) return;
    const std::unique_ptr<TimedModel> model = make_(plans);
    model->run();
    std::vector<double> ratios, before, after;
    for (size_t n = 0; n < kMostModelRounds; ++n) {
      poll();
      if (options_.on_progress) options_.on_progress("whole model", n, kMostModelRounds);
      const bool may_end = n >= kFewestModelRounds && (is_power_of_two(n) || options_.now() > end_);
      const std::optional<RatioInterval> now = may_end ? ratio_interval(ratios) : std::nullopt;
      if (now && (now->is_clear() || options_.now() > end_)) break;
      double seconds[2];
      for (const bool is_tuned : {n % 2 == 1, n % 2 == 0}) seconds[is_tuned] = (is_tuned ? *model : *base_).run();
      before.push_back(seconds[0]);
      after.push_back(seconds[1]);
      ratios.push_back(seconds[1] / seconds[0]);
    }
    report.model = ratio_interval(ratios);
    report.seconds_before = median_of(before);
    report.seconds_after = median_of(after);
    has_checked_ = true;
    for (const Tried& t : tried_)
      if (TuningEntry& entry = t.trial->entry(); entry.is_tuned()) {
        entry.model = report.model;
        entry.is_used = report.is_used();
      }
  }

  void add_kernels(TuneReport& report) const {
    for (const Tried& t : tried_) {
      const TuningEntry& entry = t.trial->entry();
      report.kernels.push_back({.name = entry.name,
                                .origin = t.calls.origin,
                                .calls = t.calls.calls,
                                .share = t.share,
                                .first = entry.first,
                                .plans = entry.plans,
                                .ratio = t.trial->ratio(),
                                .measured = entry.times.size(),
                                .is_known = !t.trial->has_measured()});
    }
  }

  const MakeTimedModel& make_;
  TuningDatabase& database_;
  const TuneOptions& options_;
  const double end_;
  const std::unique_ptr<TimedModel> base_;
  std::vector<Tried> tried_;
  std::vector<std::pair<const KernelTrial*, std::vector<std::string>>> confirmed_;
  size_t others_ = 0;
  bool has_checked_ = false;
};

}  // namespace

std::vector<TunableKernel> find_tunable_kernels(const Module& module, const Target& target) {
  std::vector<TunableKernel> out;
  for (const auto& [name, form] : find_forms(module, target)) {
    const std::string digest = kernel_digest(*form);
    const auto known = std::ranges::find(out, digest, &TunableKernel::digest);
    if (known == out.end())
      out.push_back({digest, form, {name}});
    else
      known->names.push_back(name);
  }
  return out;
}

TuneReport tune_kernels(const std::vector<TunableKernel>& kernels, const MakeTimedModel& make, TuningDatabase& database,
                        const TuneOptions& options) {
  return Tuner(kernels, make, database, options).run();
}

}  // namespace sunmao
