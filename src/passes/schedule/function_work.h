// Analysis: how much the kernels that a graph-level function calls do in a run.
#pragma once
#include <map>
#include <string>

#include "ir/module.h"
#include "passes/analysis/kernel_work.h"

namespace sunmao {

/// Operations on elements, as expressions over the function's symbols.
struct FunctionWork {
  Ref<Function> function;
  size_t calls = 0;                        // of kernels
  bool is_whole = true;                    // false where not each of these runs once, or other functions are called
  std::map<std::string, Scalar> flops_of;  // by the kernels' families
  std::map<Numbers, Scalar> flops_on;
};

/// Counts the kernel calls of a function of `module` whose kernels are not scheduled, or have their forms beside them.
FunctionWork count_work(const Module& module, const Ref<Function>& function);

}  // namespace sunmao
