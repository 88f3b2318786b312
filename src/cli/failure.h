// Failures of commands: what makes two of them the same one.
#pragma once
#include <string>

#include "cli/child_process.h"

namespace sunmao::cli {

/// Returns how a child failed, for people; equal texts are the same failure. Empty when it succeeded. It consists of
/// the time limit, the signal, or the exit status, then the code of the first error, the first line of an internal
/// error without numbers and names, or the class of a Python exception.
std::string failure_of(const ChildResult& result, double seconds);

}  // namespace sunmao::cli
