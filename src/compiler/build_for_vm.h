// Building of a module for upstream's virtual machine, and the decision which engine runs it: bytecode, or the
// interpreter of register programs (upstream_vm/program.h). Nothing else decides this.
#pragma once
#include <string>
#include <variant>

#include "compiler/compile.h"
#include "support/diagnostic.h"

namespace sunmao {

/// Why a module runs as a register program.
struct NeedsUpstreamVm {
  std::string notice;  // one line for the user: the function, and what in it
  Diagnostic refusal;  // E1020, for callers that take bytecode alone
};

/// Compiles a module to bytecode, or says why it must run as a register program: a function of the host changes a
/// tensor that it is given, for which bytecode would pass a copy, or bytecode cannot express the module (E1020). Other
/// errors are thrown.
std::variant<Compiled, NeedsUpstreamVm> build_for_vm(const Model& model, const CompileOptions& options);

}  // namespace sunmao
