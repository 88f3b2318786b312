// The verifier: whether a module is well formed, and fit for a stage of the pipeline. It lists what it finds and
// changes nothing.
#pragma once
#include <optional>
#include <vector>

#include "ir/module.h"
#include "support/diagnostic.h"

namespace sunmao {

/// What a module may contain, stage by stage. Each stage keeps the promises of those before it, Fused aside.
enum class Stage : uint8_t {
  Raw,       // as written: types may be missing, expressions may nest
  Imported,  // everything is typed
  Normal,    // operands are leaves
  Legal,     // calls of ops with a lowering have become call_tir
  VmReady,   // nothing is left but call_tir, views and what the virtual machine runs itself
};
const char* name_of(Stage stage);

/// Up to `limit` findings, in the order of the module.
std::vector<Diagnostic> verify(const Module& module, Stage stage, size_t limit = 20);

/// The strongest stage that the module is fit for; nothing where it is not well formed at all.
std::optional<Stage> find_stage(const Module& module);

/// Throws a UserError with all findings when there are any.
void verify_or_fail(const Module& module, Stage stage);

}  // namespace sunmao
