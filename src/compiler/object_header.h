// What a shared object of a model offers to programs in C, and the header that declares it.
#pragma once
#include <sunmao/runtime.h>

#include <string>
#include <vector>

#include "codegen/shared_object.h"

namespace sunmao {

/// An input or output.
struct ObjectParameter {
  std::string name;        // in the model
  std::string identifier;  // in C, such as `in_x`; `in_0` where C cannot spell the name
  sunmao_value_info info;  // refers to the model
};

struct ObjectEntry {
  ObjectFunction function;
  std::string suffix;                   // of its names: empty, or `_` and the function's name
  std::vector<std::string> sizes;       // the symbols that the plain form takes, in order
  std::vector<std::string> size_names;  // and their names in C
  std::string not_plain;                // why there is no plain form; empty where there is one
  std::vector<ObjectParameter> inputs, outputs;
};

/// Returns the prefix of all names for a file such as `libmlp.so`: `mlp`. Fails (E1009) when it gives none.
std::string object_prefix(const std::string& file_name);
/// Returns text as an identifier of C, or as the end of one: other characters become `_`.
std::string c_name(const std::string& text);
/// Describes the functions of a model. Fails (E1009) on what programs in C cannot give or take.
std::vector<ObjectEntry> object_entries(const sunmao_model* model, const std::string& prefix);
/// Returns the functions that every shared object has, as names for functions of the runtime.
std::vector<ObjectAlias> object_aliases(const std::string& prefix);
std::string object_header(const std::string& file_name, const std::string& prefix,
                          const std::vector<ObjectEntry>& entries);

}  // namespace sunmao
