// WeightPreparer: runs weight transforms piece by piece, so that few weights are in memory at one time.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/artifact/weight_source.h"
#include "compiler/options.h"
#include "compiler/preparation.h"
#include "compiler/runtime_handles.h"
#include "compiler/weight_memory.h"

namespace sunmao {

/// Compiles the steps of a plan and runs them when their results are asked for. A result is held until it is written
/// and the steps that take it are done.
class WeightPreparer final : public WeightSource {
 public:
  /// `raw` has the weights that no step gives.
  WeightPreparer(const Module& module, std::vector<PreparingStep> steps, Weights raw, const CompileOptions& options);

  std::vector<std::string> order(const std::vector<std::string>& weights) override;
  void give(const std::function<void(io::Bytes)>& take) override;

 private:
  struct Result {
    DType dtype;
    std::vector<int64_t> shape;
    size_t bytes = 0;
    size_t uses = 0;  // steps that are still to take it
    std::shared_ptr<std::byte> data;
  };
  static constexpr size_t kMemory = size_t{128} << 20;  // what results take together, but for one that is larger

  static Array array_of(const Result& result);
  void plan(const std::string& weight);
  void run(const PreparingStep& step, const std::function<void(io::Bytes)>& take);

  const CompileOptions& options_;
  const std::vector<PreparingStep> steps_;
  const Weights raw_;
  std::map<std::string, size_t> step_of_;  // a result -> its step
  std::map<std::string, Result> results_;
  std::vector<size_t> schedule_;  // steps in the order in which they run
  std::vector<bool> is_planned_;
  std::set<std::string> wanted_;
  io::Bytes code_;
  ModelHandle model_;
  SessionHandle session_;
  WeightMemory memory_{kMemory};
  size_t held_ = 0;  // bytes of results that steps are still to take
};

}  // namespace sunmao
