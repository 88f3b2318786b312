// The verifier: checks that a module is well formed and meets the requirements of a stage. It does not change the
// module.
#pragma once
#include <optional>
#include <vector>

#include "ir/module.h"
#include "support/diagnostic.h"

namespace sunmao {

/// Pipeline stages, by what a module may contain. Each stage includes the requirements of the previous ones.
enum class Stage : uint8_t {
  Raw,       // types may be missing, expressions may be nested
  Imported,  // all expressions are typed
  Normal,    // operands are leaves
  Legal,     // calls of ops with a lowering have become call_tir
  VmReady,   // only call_tir, views and virtual machine instructions remain
};
const char* name_of(Stage stage);

/// Returns at most `limit` violations, in module order.
std::vector<Diagnostic> verify(const Module& module, Stage stage, size_t limit = 20);

/// Returns the highest stage that the module satisfies; nullopt when it is not well formed.
std::optional<Stage> find_stage(const Module& module);

/// Throws a UserError with the violations (at most 20), if there are any.
void verify_or_fail(const Module& module, Stage stage);

}  // namespace sunmao
