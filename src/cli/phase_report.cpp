#include "cli/phase_report.h"

#include <algorithm>

#include "cli/console.h"

namespace sunmao::cli {
namespace {

std::string line(const std::string& name, int count, double milliseconds, double total) {
  const double share = total > 0 ? 100 * milliseconds / total : 0;
  return fmt::format("  {:<28} {:>5} {:>11.3f} ms {:>5.1f} %", name, count > 0 ? std::to_string(count) : "",
                     milliseconds, share);
}

}  // namespace

PhaseReport::Row& PhaseReport::row_of(std::vector<Row>& rows, const std::string& name) {
  const auto known = std::ranges::find(rows, name, &Row::name);
  return known == rows.end() ? rows.emplace_back(Row{.name = name}) : *known;
}

OnPhase PhaseReport::receiver() {
  return [this](const char* name, double milliseconds) {
    Row& row = row_of(phases_, name);
    row.milliseconds += milliseconds;
    ++row.count;
  };
}

void PhaseReport::add_passes(const std::vector<PassTiming>& timings) {
  for (const PassTiming& t : timings) {
    Row& row = row_of(passes_, t.name);
    row.milliseconds += t.milliseconds;
    row.is_changed |= t.changed;
    ++row.count;
  }
}

std::string PhaseReport::table(double total) const {
  std::string out = fmt::format("  {:<28} {:>5} {:>14} {:>7}\n", "phase", "times", "time", "share");
  double known = 0, in_passes = 0;
  int runs = 0;
  for (const Row& pass : passes_) {
    in_passes += pass.milliseconds;
    runs += pass.count;
  }
  for (const Row& phase : phases_) known += phase.milliseconds;
  const auto add = [&](const std::string& text) { out += text + "\n"; };
  const auto is_reading = [](const Row& phase) { return phase.name == kReading; };
  for (const Row& phase : phases_)
    if (is_reading(phase)) add(line(phase.name, phase.count, phase.milliseconds, total));
  for (const Row& pass : passes_)
    add(line(pass.name, pass.count, pass.milliseconds, total) + (pass.is_changed ? "  changed" : ""));
  add(line("all passes", runs, in_passes, total));
  for (const Row& phase : phases_)
    if (!is_reading(phase)) add(line(phase.name, phase.count, phase.milliseconds, total));
  add(line("checks and the rest", 0, std::max(total - known - in_passes, 0.0), total));
  add(line("everything", 0, total, total));
  return out;
}

void PhaseReport::write(io::JsonWriter& writer) const {
  writer.key("phases").begin_array();
  for (const Row& phase : phases_)
    writer.begin_object().key("name").value(phase.name).key("milliseconds").value(phase.milliseconds).end_object();
  writer.end_array();
}

}  // namespace sunmao::cli
