// What of a model a program in C can call: names, forms and the words that describe them.
#include <algorithm>
#include <set>

#include "abi/shared_object.h"
#include "compiler/object_header.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr const char* kUseArtifact = "write an artifact, which `sunmao compile` does without --emit, and load that";

[[noreturn]] void refuse_object(const std::string& why, const std::string& help = kUseArtifact) {
  fail("E1009", {}, fmt::format("the model cannot become a shared object: {}", why), help);
}

/// Names of one scope in C, as they are in macros: in upper case.
class TakenNames {
 public:
  /// Adds a name, with that of the macro for its number of elements; false where one of them is taken.
  bool add(std::string name) {
    std::ranges::transform(name, name.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
    const std::string elements = name + "_ELEMENTS";
    if (names_.contains(name) || names_.contains(elements)) return false;
    names_.insert({name, elements});
    return true;
  }

 private:
  std::set<std::string> names_;
};

/// False for a name of which C has no letter or digit, or not all letters.
bool is_readable_in_c(const std::string& text) {
  const bool is_ascii = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return is_ascii && c_name(text).find_first_not_of('_') != std::string::npos;
}

/// Returns the text, or the number of what it names where C cannot say the text, as an identifier behind `before` that
/// is not taken yet.
std::string new_name(const std::string& before, const std::string& text, size_t number, TakenNames& taken) {
  const std::string word = is_readable_in_c(text) ? c_name(text) : fmt::to_string(number);
  std::string name = before + word;
  for (int i = 2; !taken.add(name); ++i) name = fmt::format("{}{}_{}", before, word, i);
  return name;
}

using ValueInfo = int (*)(const sunmao_model*, size_t, size_t, sunmao_value_info*);

std::vector<ObjectParameter> parameters_of(const sunmao_model* model, size_t function, ValueInfo describe,
                                           const std::string& before, TakenNames& taken) {
  std::vector<ObjectParameter> out;
  sunmao_value_info info;
  for (size_t i = 0; describe(model, function, i, &info) == 0; ++i) {
    if (info.dtype.code == kDLOpaqueHandle)
      refuse_object(
          fmt::format("`{}` of `{}` is an object of the host", info.name, sunmao_function_name(model, function)));
    out.push_back({info.name, new_name(before, info.name, i, taken), info});
  }
  return out;
}

/// Adds a parameter to the words of a function.
void describe(const ObjectParameter& parameter, const std::vector<std::string>& sizes, ObjectFunction& function) {
  const sunmao_value_info& info = parameter.info;
  function.words.push_back(info.dtype.code | info.dtype.bits << 8 | info.dtype.lanes << 16);
  function.words.push_back(info.ndim);
  for (const sunmao_dim& dim : std::span(info.dims, static_cast<size_t>(info.ndim)))
    function.words.push_back(dim.symbol ? -1 - (std::ranges::find(sizes, dim.symbol) - sizes.begin()) : dim.size);
  function.dims += static_cast<size_t>(info.ndim);
}

ObjectEntry object_entry_of(const sunmao_model* model, size_t index, const std::string& prefix,
                            const std::string& suffix) {
  ObjectEntry entry;
  entry.suffix = suffix;
  TakenNames taken;
  entry.inputs = parameters_of(model, index, sunmao_input_info, "in_", taken);
  entry.outputs = parameters_of(model, index, sunmao_output_info, "out_", taken);
  for (const ObjectParameter& input : entry.inputs)
    for (const sunmao_dim& dim : std::span(input.info.dims, static_cast<size_t>(input.info.ndim)))
      if (dim.symbol && std::ranges::find(entry.sizes, dim.symbol) == entry.sizes.end()) {
        entry.size_names.push_back(new_name("size_", dim.symbol, entry.sizes.size(), taken));
        entry.sizes.emplace_back(dim.symbol);
      }
  for (const ObjectParameter& output : entry.outputs)
    for (const sunmao_dim& dim : std::span(output.info.dims, static_cast<size_t>(output.info.ndim)))
      if (dim.symbol && std::ranges::find(entry.sizes, dim.symbol) == entry.sizes.end())
        entry.not_plain = fmt::format("the size `{}` of `{}` is known after a run only", dim.symbol, output.name);

  ObjectFunction& f = entry.function;
  f.name = sunmao_function_name(model, index);
  f.call = prefix + "_call" + suffix;
  if (entry.not_plain.empty()) f.run = prefix + "_run" + suffix;
  f.tensors = entry.inputs.size() + entry.outputs.size();
  f.sizes = entry.sizes.size();
  f.words = {static_cast<int64_t>(entry.inputs.size()), static_cast<int64_t>(entry.outputs.size()),
             static_cast<int64_t>(f.sizes)};
  for (const ObjectParameter& input : entry.inputs) describe(input, entry.sizes, f);
  for (const ObjectParameter& output : entry.outputs) describe(output, entry.sizes, f);
  return entry;
}

}  // namespace

std::string c_name(const std::string& text) {
  std::string out = text;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::ranges::replace_if(out, [&](char c) { return !is_letter(c); }, '_');
  return out;
}

std::string object_prefix(const std::string& file_name) {
  std::string name = file_name.substr(0, file_name.find('.'));
  if (name.starts_with("lib") && name.size() > 3) name = name.substr(3);
  name = c_name(name);
  const bool is_digit = !name.empty() && name[0] >= '0' && name[0] <= '9';
  if (name.find_first_not_of('_') == std::string::npos || is_digit || name == "sunmao")
    refuse_object(fmt::format("its functions are named after the file, and `{}` gives no name for them", file_name),
                  "name the file by a letter and letters or digits, such as libmodel.so; `sunmao` is the runtime's");
  return name;
}

std::vector<ObjectEntry> object_entries(const sunmao_model* model, const std::string& prefix) {
  if (sunmao_host_function_count(model) > 0)
    refuse_object(
        fmt::format("it calls `{}`, a function of the program that runs it", sunmao_host_function_name(model, 0)));
  const size_t count = sunmao_function_count(model);
  if (count == 0) refuse_object("it has no function");
  std::vector<ObjectEntry> out;
  TakenNames taken;
  for (size_t i = 0; i < count; ++i) {
    const std::string name = sunmao_function_name(model, i);
    const bool is_main = count == 1 || name == "main";
    out.push_back(object_entry_of(model, i, prefix, is_main ? "" : new_name("_", name, i, taken)));
  }
  return out;
}

std::vector<ObjectAlias> object_aliases(const std::string& prefix) {
  return {{prefix + "_load", "sunmao_object_load"},
          {prefix + "_session_copy", "sunmao_session_copy"},
          {prefix + "_session_reset", "sunmao_session_reset"},
          {prefix + "_session_save", "sunmao_session_save"},
          {prefix + "_session_load", "sunmao_session_load"},
          {prefix + "_session_free", "sunmao_session_free"},
          {prefix + "_set_threads", "sunmao_set_threads"}};
}

}  // namespace sunmao
