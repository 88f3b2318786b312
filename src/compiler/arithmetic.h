// Arithmetic: how many operations of a run are on which numbers, as an artifact tells.
#pragma once
#include <sunmao/runtime.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/json.h"
#include "io/json_writer.h"

namespace sunmao {

struct Arithmetic {
  std::map<std::string, int64_t> sizes;    // the symbols that the operations depend on
  std::map<std::string, double> flops_on;  // by the names of numbers (passes/analysis/kernel_work.h)
};

/// Returns the arithmetic of a function at the sizes that a run takes where none are given, 1 or the smallest ones; and
/// at the largest sizes where these have limits. Empty when the manifest does not tell, or there is none.
std::vector<Arithmetic> arithmetic_of(const sunmao_model* model, const io::JsonValue& manifest, size_t function);

/// Returns the shares in one line: "int8 92 %, float32 8 %", with the sizes where there are some.
std::string arithmetic_text(const std::vector<Arithmetic>& arithmetic);

/// Returns the shares of a sum by name, the largest first: "int8 92 %, float32 8 %". Small ones are left out.
std::string shares_text(const std::map<std::string, double>& parts);

/// Writes the key `arithmetic` and the arithmetic of each function, by name.
void write_arithmetic(io::JsonWriter& w, const sunmao_model* model, const io::JsonValue& manifest);

}  // namespace sunmao
