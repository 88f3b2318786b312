#include "cli/tune_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"

namespace sunmao::cli {
namespace {

// How much longer something takes, in percent: negative is faster.
double percent_more(double ratio) { return 100 * (ratio - 1); }

std::string change_text(const RatioInterval& ratio) {
  return fmt::format("{:+.1f} % [{:+.1f}, {:+.1f}]", percent_more(ratio.median), percent_more(ratio.low),
                     percent_more(ratio.high));
}

std::string kernel_row(const TunedKernel& k, size_t name_columns) {
  const bool is_tuned = k.plans != k.first;
  const std::string plans = is_tuned ? fmt::format("{} -> {}", fmt::join(k.first, ", "), fmt::join(k.plans, ", "))
                                     : fmt::format("{}", fmt::join(k.first, ", "));
  std::string measured = is_tuned ? change_text(k.ratio) : k.measured == 0 ? "not measured" : "none is faster";
  if (k.is_known && k.measured > 0) measured += ", known";
  std::string row = fmt::format("{:>6.1f} % {:>6}  {:<{}}  {:<31}  {}", 100 * k.share, k.calls, k.name, name_columns,
                                measured, plans);
  if (!k.origin.empty()) row += dim(fmt::format("  from {}", k.origin));
  return row + "\n";
}

std::string model_text(const TuneReport& report) {
  if (!report.model) return "whole model   as before: no plan is faster\n";
  const std::string change = change_text(*report.model);
  std::string out = "whole model   ";
  if (report.seconds_before > 0)
    out += fmt::format("{} before, {} after: ", duration(report.seconds_before), duration(report.seconds_after));
  out += report.is_used() ? green(change) : change;
  if (!report.is_used())
    out += "\nwithout gain  the plans are kept as measured, and `compile --tuning` does not use them";
  return out + "\n";
}

}  // namespace

std::string tune_text(const TuneReport& report, const std::string& path) {
  size_t columns = 6;
  for (const TunedKernel& k : report.kernels) columns = std::max(columns, k.name.size());
  std::string out;
  if (!report.kernels.empty())
    out += bold(fmt::format("{:>8} {:>6}  {:<{}}  {:<31}  {}", "share", "calls", "kernel", columns, "time", "plan")) +
           "\n";
  for (const TunedKernel& k : report.kernels) out += kernel_row(k, columns);
  if (report.others > 0) out += dim(fmt::format("{} kernels have no choice or take almost no time\n", report.others));
  if (!report.is_complete) out += "the time was over before all plans were measured: `sunmao tune` again goes on\n";
  return out + model_text(report) + fmt::format("tuning        {}\n", path);
}

}  // namespace sunmao::cli
