// What a compilation did, in a few lines: inputs, what became of the graph, weights, arithmetic, memory, code.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "io/json_writer.h"
#include "ir/module.h"

namespace sunmao::cli {

/// Follows a compilation by the modules that its passes are given.
class CompileSummary {
 public:
  /// Counts the ops of the model as it was read.
  explicit CompileSummary(const Module& model);
  /// To be told of each pass before it runs.
  void on_begin(const PipelineStep& step, const Module& input);
  /// Returns the lines about an artifact that was written to `path`.
  std::string text(const std::string& path, const Compiled& compiled) const;
  /// Writes the keys `ops`, how many the model has, are on weights alone, and run; and `dtypes` of the last.
  void write(io::JsonWriter& writer) const;

 private:
  size_t read_ = 0;         // ops of the model
  size_t run_ = 0;          // ops left in the functions that run, before they become kernels
  size_t on_weights_ = 0;   // ops on weights alone, moved out of these
  std::map<std::string, size_t> dtypes_;  // of the results of ops that run
};

}  // namespace sunmao::cli
