// Binding: functions of a program get the weights that they take, prepared now or when the program is loaded.
#pragma once
#include "codegen/vm/program.h"
#include "compiler/options.h"

namespace sunmao {

/// `module` is what the pipeline made of the model's module; transforms in it become what is run of them. Entries are
/// all public functions but the transforms. Fails with E0520 and E0521 for weights that are missing or do not fit.
ProgramOptions bind_weights(const Model& model, Module& module, const CompileOptions& options);

}  // namespace sunmao
