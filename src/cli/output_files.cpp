#include "cli/output_files.h"

#include <filesystem>

#include "compiler/read_model_file.h"
#include "io/concat.h"
#include "support/diagnostic.h"

namespace sunmao::cli {
namespace {

namespace fs = std::filesystem;

// Compares device and inode if both files exist, else canonical paths.
bool is_same(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (fs::exists(a, ignored) && fs::exists(b, ignored)) return fs::equivalent(a, b, ignored);
  const fs::path real_a = fs::weakly_canonical(a, ignored), real_b = fs::weakly_canonical(b, ignored);
  return !real_a.empty() && real_a == real_b;
}

}  // namespace

std::vector<std::string> model_files(const std::string& model) {
  if (!is_script(model)) return {model};
  return {model, constants_path(model).string()};
}

std::vector<std::string> script_files(const std::string& path) {
  if (path.empty()) return {};
  return {path, constants_path(path).string()};
}

void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].empty()) continue;
    for (const std::string& input : inputs)
      if (!input.empty() && is_same(outputs[i], input))
        fail("E0807", {}, fmt::format("the output {} is the input {}", io::quoted(outputs[i]), io::quoted(input)),
             "choose another name for the output; nothing has been written");
    for (size_t other = 0; other < i; ++other)
      if (!outputs[other].empty() && is_same(outputs[i], outputs[other]))
        fail("E0807", {},
             fmt::format("two outputs are one file: {} and {}", io::quoted(outputs[other]), io::quoted(outputs[i])),
             "choose another name for one of them; nothing has been written");
  }
}

}  // namespace sunmao::cli
