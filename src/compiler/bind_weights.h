// Binding of weights: provides the weights that functions take, prepared during compilation or when the artifact is
// loaded.
#pragma once
#include <memory>

#include "codegen/artifact/weight_source.h"
#include "codegen/vm/program.h"
#include "compiler/growth.h"
#include "compiler/options.h"

namespace sunmao {

struct BoundWeights {
  ProgramOptions program;
  Growth growth;
  std::unique_ptr<WeightSource> prepared;  // null when no weight is prepared while the artifact is written
};

/// Binds the weights of `model` to its functions `weighted`, which take weights. `module` is the result of the
/// pipeline. The program's entries are the public functions except weight transforms; with `prepare_at_load`, the
/// transforms in `module` are replaced by the parts of them that must run at load time, which become entries as well.
/// Fails (E0520, E0521) for missing weights and weights that do not fit, and (E0533) for weights that grow more than
/// the options allow.
BoundWeights bind_weights(const Model& model, const std::vector<std::string>& weighted, Module& module,
                          const CompileOptions& options);

/// Returns the target whose code prepares weights while compiling: of `targets` the best that this machine can run,
/// else the machine itself.
Target preparing_target(const std::vector<Target>& targets);

}  // namespace sunmao
