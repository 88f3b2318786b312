#include "frontend/torch/origin.h"

#include <fmt/format.h>

#include "io/concat.h"

namespace sunmao::torch {
namespace {

/// Returns the path of the innermost module in `key,path,type;key,path,type`.
std::string_view module_path(std::string_view stack) {
  stack = stack.substr(stack.rfind(';') + 1);
  const size_t begin = stack.find(',');
  if (begin == std::string_view::npos) return {};
  stack.remove_prefix(begin + 1);
  return stack.substr(0, stack.find(','));
}

bool is_of_torch(std::string_view file) {
  return file.starts_with("torch/") || file.find("-packages/torch/") != std::string_view::npos;
}

/// Returns text such as "file.py:31" for the innermost frame outside PyTorch.
std::string python_line(std::string_view trace) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ";
  std::string found;
  for (size_t at = trace.find(kFile); at != std::string_view::npos; at = trace.find(kFile, at + 1)) {
    const std::string_view rest = trace.substr(at + kFile.size());
    const size_t end = rest.find(kLine);
    if (end == std::string_view::npos) break;
    const std::string_view file = rest.substr(0, end), tail = rest.substr(end + kLine.size());
    if (!is_of_torch(file)) found = fmt::format("{}:{}", file, tail.substr(0, tail.find_first_not_of("0123456789")));
  }
  return found;
}

}  // namespace

std::string describe_origin(io::JsonValue node) {
  std::optional<std::string_view> name = node["name"].as_string();
  if (!name) name = node["outputs"][0]["as_tensor"]["name"].as_string();
  std::string label = fmt::format("node {}", io::quoted(name.value_or("?")));
  io::JsonValue metadata = node["metadata"];
  const std::string_view path = module_path(metadata["nn_module_stack"].as_string().value_or(""));
  if (!path.empty()) label += fmt::format(" in {}", io::quoted(path));
  const std::string line = python_line(metadata["stack_trace"].as_string().value_or(""));
  if (!line.empty()) label += fmt::format(" ({})", io::quoted(line));
  return label;
}

}  // namespace sunmao::torch
