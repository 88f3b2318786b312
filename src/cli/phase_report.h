// PhaseReport: where the time of `compile` went, for `--timing` and `--json`.
#pragma once
#include <string>
#include <vector>

#include "io/json_writer.h"
#include "passes/runner.h"
#include "support/phase_timer.h"

namespace sunmao::cli {

inline constexpr const char* kReading = "read model";

class PhaseReport {
 public:
  /// Returns a receiver that adds the phases it is told; this object must outlive it.
  OnPhase receiver();
  /// Adds passes, those of one name together.
  void add_passes(const std::vector<PassTiming>& timings);

  /// Returns the table; `total` is the time of everything in milliseconds.
  std::string table(double total) const;
  /// Writes the key `phases`: all that are not passes.
  void write(io::JsonWriter& writer) const;

 private:
  struct Row {
    std::string name;
    double milliseconds = 0;
    int count = 0;
    bool is_changed = false;
  };
  static Row& row_of(std::vector<Row>& rows, const std::string& name);

  std::vector<Row> phases_, passes_;
};

}  // namespace sunmao::cli
