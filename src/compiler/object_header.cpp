#include "compiler/object_header.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "support/version.h"

namespace sunmao {
namespace {

// `{0}` is the prefix of all names, `{1}` that of macros, `{2}` the most dimensions, `{3}` the file, `{4}` the version.
constexpr const char* kHeaderBegin = R"(/* The model in {3}, by sunmao {4}. C99 and C++; link {3}, or load it by dlopen.
 *
 * A function that returns int returns 0 on success; else it describes the failure in *error, which may be NULL.
 * A session runs one call at a time; threads of a program have a session each, by {0}_session_copy. */
#ifndef {1}_MODEL_H_
#define {1}_MODEL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* A loaded model, with memory for its runs and its state. */
typedef struct {0}_session {0}_session;

typedef struct {0}_error {{
  char code[8];       /* such as "E0905": `sunmao explain E0905` */
  char message[1016]; /* what is wrong */
  char help[512];     /* what to do about it; may be empty */
}} {0}_error;

/* A dimension: a size, or -1 and a symbol; with the range that a run accepts. */
typedef struct {0}_dim {{
  int64_t size;
  const char* symbol;
  int64_t minimum;
  int64_t maximum;
}} {0}_dim;

/* What is known of an input or output. */
typedef struct {0}_value {{
  const char* name;
  const char* dtype;
  int32_t rank;
  {0}_dim dims[{2}];
}} {0}_value;

/* Contiguous elements in row-major order, of the dtype of the input or output, and its sizes. */
typedef struct {0}_tensor {{
  void* data;
  const int64_t* shape;
}} {0}_tensor;

/* Loads the model, with its state at its first values. */
int {0}_load({0}_session** session, {0}_error* error);
/* Makes another session of the same loaded model, which goes on where `session` is. */
int {0}_session_copy({0}_session* session, {0}_session** copy, {0}_error* error);
/* Gives the state its first values. */
int {0}_session_reset({0}_session* session, {0}_error* error);
/* Writes the state to a safetensors file, and reads it. */
int {0}_session_save({0}_session* session, const char* path, {0}_error* error);
int {0}_session_load({0}_session* session, const char* path, {0}_error* error);
/* Releases a session, and with the last one the model. NULL is allowed. */
void {0}_session_free({0}_session* session);
/* Sets the most threads of a run of this model; 0: as many as the process may use. */
void {0}_set_threads(uint32_t count);
)";

constexpr const char* kHeaderEnd = R"(
#ifdef __cplusplus
}}
#endif
#endif /* {1}_MODEL_H_ */
)";

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  return text;
}

/// Returns text for a comment of C.
std::string comment_text(std::string text) {
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  for (size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text.insert(at + 1, " ");
  return text;
}

/// Returns a literal of C.
std::string c_literal(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte >= 127 || c == '"' || c == '\\' || c == '?')
      out += fmt::format("\\{:03o}", byte);
    else
      out += c;
  }
  return out + "\"";
}

std::span<const sunmao_dim> dims_of_value(const sunmao_value_info& info) {
  return {info.dims, static_cast<size_t>(info.ndim)};
}

/// Returns the type of C that the elements of a tensor have, or their bytes where there is none.
std::string c_type(DLDataType type) {
  if (type.code == kDLFloat && type.bits == 32) return "float";
  if (type.code == kDLFloat && type.bits == 64) return "double";
  if (type.bits < 8) return "uint8_t";  // packed
  return fmt::format("{}int{}_t", type.code == kDLInt ? "" : "u", int{type.bits});
}

std::string shape_text(const sunmao_value_info& info) {
  std::vector<std::string> sizes;
  for (const sunmao_dim& dim : dims_of_value(info)) sizes.push_back(dim.symbol ? dim.symbol : fmt::to_string(dim.size));
  return fmt::format("{} ({}{})", info.dtype_name, fmt::join(sizes, ", "), sizes.size() == 1 ? "," : "");
}

std::optional<int64_t> elements_of(const sunmao_value_info& info) {
  int64_t product = 1;
  for (const sunmao_dim& dim : dims_of_value(info))
    if (dim.symbol || __builtin_mul_overflow(product, dim.size, &product)) return std::nullopt;
  return product;
}

std::string limit_text(int64_t limit) { return limit == INT64_MAX ? "INT64_MAX" : fmt::format("{}", limit); }

/// Constants and a table of values.
std::string table_text(const std::vector<ObjectParameter>& values, const char* kind, const std::string& prefix,
                       const std::string& suffix) {
  const std::string macros = upper_case(prefix + suffix);
  std::string out = fmt::format("#define {}_{}_COUNT {}\n", macros, upper_case(kind), values.size()), rows;
  for (size_t i = 0; i < values.size(); ++i) {
    const ObjectParameter& value = values[i];
    const std::string macro = macros + "_" + upper_case(value.identifier);
    out += fmt::format("#define {} {} /* {}: {} */\n", macro, i, comment_text(value.name),
                       comment_text(shape_text(value.info)));
    if (const std::optional<int64_t> count = elements_of(value.info))
      out += fmt::format("#define {}_ELEMENTS {}\n", macro, *count);
    std::string dims;
    for (const sunmao_dim& d : dims_of_value(value.info))
      dims += fmt::format("{}{{{}, {}, {}, {}}}", dims.empty() ? "" : ", ", d.size,
                          d.symbol ? c_literal(d.symbol) : "NULL", limit_text(d.minimum), limit_text(d.maximum));
    if (dims.empty()) dims = "{0, NULL, 0, 0}";
    rows += fmt::format("    {{{}, \"{}\", {}, {{{}}}}},\n", c_literal(value.name), value.info.dtype_name,
                        value.info.ndim, dims);
  }
  if (!rows.empty())
    out += fmt::format("static const {0}_value {0}_{1}s{2}[] = {{\n{3}}};\n", prefix, kind, suffix, rows);
  return out;
}

std::string parameter_text(const ObjectParameter& value, bool is_input) {
  return fmt::format("{}{}* {}, ", is_input ? "const " : "", c_type(value.info.dtype), value.identifier);
}

/// Declares the two forms of a function.
std::string forms_text(const ObjectEntry& entry, const std::string& prefix) {
  const ObjectFunction& f = entry.function;
  std::string out;
  if (f.run.empty()) {
    out += fmt::format("/* There is no {}_run{}: {}. */\n", prefix, entry.suffix, comment_text(entry.not_plain));
  } else {
    std::string parameters;
    for (const std::string& size : entry.size_names) parameters += fmt::format("int64_t {}, ", size);
    for (const ObjectParameter& input : entry.inputs) parameters += parameter_text(input, true);
    for (const ObjectParameter& output : entry.outputs) parameters += parameter_text(output, false);
    out +=
        fmt::format("/* Runs `{3}` on memory of the caller. */\nint {0}({1}_session* session, {2}{1}_error* error);\n",
                    f.run, prefix, parameters, comment_text(f.name));
  }
  return out + fmt::format(
                   "/* Runs `{2}` on tensors, in the order of the tables above. An output whose `data` is NULL becomes "
                   "memory of the session,\n * valid until its next run. */\n"
                   "int {0}({1}_session* session, const {1}_tensor* inputs, {1}_tensor* outputs, {1}_error* error);\n",
                   f.call, prefix, comment_text(f.name));
}

}  // namespace

std::string object_header(const std::string& file_name, const std::string& prefix,
                          const std::vector<ObjectEntry>& entries) {
  int32_t rank = 1;
  for (const ObjectEntry& entry : entries)
    for (const auto* values : {&entry.inputs, &entry.outputs})
      for (const ObjectParameter& value : *values) rank = std::max(rank, value.info.ndim);
  const std::string macros = upper_case(prefix), file = comment_text(file_name);
  std::string out = fmt::format(kHeaderBegin, prefix, macros, rank, file, kVersion);
  for (const ObjectEntry& entry : entries) {
    out += fmt::format("\n/* The function `{}`. */\n", comment_text(entry.function.name));
    out += table_text(entry.inputs, "input", prefix, entry.suffix);
    out += table_text(entry.outputs, "output", prefix, entry.suffix);
    out += forms_text(entry, prefix);
  }
  return out + fmt::format(kHeaderEnd, prefix, macros);
}

}  // namespace sunmao
