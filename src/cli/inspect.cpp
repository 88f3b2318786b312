// The command `sunmao inspect`: shows the signatures, code, weights and entry sizes of an artifact, or what a model
// file holds.
#include <sunmao/runtime.h>

#include "cli/artifact_entries.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/inspect_model.h"
#include "cli/model_options.h"
#include "compiler/arithmetic.h"
#include "compiler/runtime_handles.h"
#include "compiler/tensor_file.h"
#include "compiler/widened_weights.h"
#include "io/json.h"
#include "io/safetensors.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao::cli {
namespace {

struct InspectSettings {
  std::string artifact;
  std::vector<std::string> ops;
  bool bytecode = false;
  bool nodes = false;
  bool json = false;
};

using ModelHandle = std::unique_ptr<sunmao_model, decltype(&sunmao_model_free)>;

// Loads the model without code, so that artifacts for other machines can be inspected.
ModelHandle open_model(const std::string& path) {
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.without_code = 1;
  sunmao_error error;
  sunmao_model* model = nullptr;
  if (sunmao_load(path.c_str(), &options, &model, &error)) fail_with(error);
  return {model, sunmao_model_free};
}

std::string range_text(const sunmao_dim& d) {
  if (d.minimum == d.maximum) return fmt::format("{}={}", d.symbol, d.minimum);
  const std::string high = d.maximum == INT64_MAX ? "" : std::to_string(d.maximum);
  return fmt::format("{}={}..{}", d.symbol, d.minimum, high);
}

using Dims = std::span<const sunmao_dim>;

struct ValueInfo {
  std::string name, dtype;
  Dims dims;
  bool holds_sizes = false;            // it is a shape or a number: `dims` are its elements
  std::optional<uint64_t> bytes = {};  // of a state's first value
};

std::string value_text(const ValueInfo& v, std::vector<std::string>& ranges) {
  std::string dims;
  for (const sunmao_dim& d : v.dims) {
    dims += (dims.empty() ? "" : ", ") + (d.symbol ? std::string(d.symbol) : std::to_string(d.size));
    if (d.symbol && std::ranges::find(ranges, range_text(d)) == ranges.end()) ranges.push_back(range_text(d));
  }
  const std::string kind = v.holds_sizes ? "sizes" : v.dtype;
  return fmt::format("{}: {} ({}{})", v.name, kind, dims, v.dims.size() == 1 ? "," : "");
}

ValueInfo value_of(const sunmao_value_info& info) {
  return {info.name, info.dtype_name, {info.dims, static_cast<size_t>(info.ndim)}};
}

std::vector<ValueInfo> artifact_inputs(const sunmao_model* model, size_t function) {
  std::vector<ValueInfo> out;
  sunmao_value_info info;
  for (size_t i = 0; sunmao_input_info(model, function, i, &info) == 0; ++i) {
    out.push_back(value_of(info));
    const sunmao_dim* sizes = nullptr;
    const size_t count = sunmao_input_sizes(model, function, i, &sizes);
    out.back().holds_sizes = count > 0;
    if (count > 0) out.back().dims = {sizes, count};
  }
  return out;
}

std::vector<ValueInfo> artifact_outputs(const sunmao_model* model, size_t function) {
  std::vector<ValueInfo> out;
  sunmao_value_info info;
  for (size_t i = 0; sunmao_output_info(model, function, i, &info) == 0; ++i) out.push_back(value_of(info));
  return out;
}

std::vector<ValueInfo> artifact_states(const sunmao_model* model) {
  std::vector<ValueInfo> out;
  sunmao_value_info info;
  for (size_t i = 0; sunmao_state_info(model, i, &info) == 0; ++i) {
    const DType dtype{static_cast<TypeCode>(info.dtype.code), info.dtype.bits, info.dtype.lanes};
    const int64_t* first = sunmao_state_first_shape(model, i);
    out.push_back(value_of(info));
    out.back().bytes = shape_bytes({first, first + info.ndim}, dtype);
  }
  return out;
}

std::vector<std::string> host_functions_of(const sunmao_model* model) {
  std::vector<std::string> out;
  for (size_t i = 0; i < sunmao_host_function_count(model); ++i) out.emplace_back(sunmao_host_function_name(model, i));
  return out;
}

constexpr std::string_view kIndent = "         ";  // of continuation lines

// Returns what a function needs for the values between its kernels, at its largest or smallest sizes; nullopt where
// these have no limit.
std::optional<sunmao_memory_info> memory_of(const sunmao_model* model, size_t function,
                                            int64_t sunmao_dim::* bound = &sunmao_dim::maximum) {
  std::vector<int64_t> sizes;
  for (const ValueInfo& v : artifact_inputs(model, function))
    for (const sunmao_dim& d : v.dims) sizes.push_back(d.*bound);
  sunmao_memory_info info;
  if (sunmao_function_memory(model, function, sizes.data(), sizes.size(), &info, nullptr)) return std::nullopt;
  return info;
}

// Returns what a function has in use between kernels as a formula in its symbols; "" where there is no short one.
std::string memory_formula(const sunmao_model* model, size_t function) {
  sunmao_error error;
  char* text = nullptr;
  if (sunmao_function_memory_formula(model, function, &text, &error)) fail_with(error);
  std::string out = text;
  sunmao_string_free(text);
  return out;
}

std::string memory_text(const sunmao_model* model, size_t function, bool has_symbols) {
  const std::optional<sunmao_memory_info> memory = memory_of(model, function);
  const std::string formula = has_symbols ? memory_formula(model, function) : "";
  std::string out;
  if (!formula.empty()) out = fmt::format("{} bytes in use at one time", formula);
  if (has_symbols && formula.empty())
    if (const auto least = memory_of(model, function, &sunmao_dim::minimum))
      out = fmt::format("{} bytes at the smallest sizes", least->arena_bytes);
  if (memory) {
    const double share = memory->live_bytes == 0
                             ? 1
                             : static_cast<double>(memory->arena_bytes) / static_cast<double>(memory->live_bytes);
    out += fmt::format("{}{} bytes{}, {:.3f} of what is in use at one time", out.empty() ? "" : "; ",
                       memory->arena_bytes, has_symbols ? " at the largest sizes" : "", share);
  }
  return out.empty() ? out : wrapped("  memory for values between kernels: " + out, terminal_width(), kIndent) + "\n";
}

// Returns on which numbers the arithmetic of a function is.
std::string arithmetic_line(const sunmao_model* model, const io::JsonValue& manifest, size_t function) {
  const std::string text = arithmetic_text(arithmetic_of(model, manifest, function));
  return text.empty() ? text : wrapped("  arithmetic: " + text, terminal_width(), kIndent) + "\n";
}

std::string signatures_text(const sunmao_model* model, const io::JsonValue& manifest) {
  std::string out;
  for (size_t f = 0; f < sunmao_function_count(model); ++f) {
    std::vector<std::string> ranges, outputs;
    out += fmt::format("{}\n", bold(sunmao_function_name(model, f)));
    for (const ValueInfo& v : artifact_inputs(model, f))
      out += wrapped(fmt::format("  in   {}", value_text(v, ranges)), terminal_width(), kIndent) + "\n";
    for (const ValueInfo& v : artifact_outputs(model, f))
      out += wrapped(fmt::format("  out  {}", value_text(v, outputs)), terminal_width(), kIndent) + "\n";
    if (!ranges.empty())
      out += wrapped(fmt::format("  with {}", fmt::join(ranges, ", ")), terminal_width(), kIndent) + "\n";
    out += arithmetic_line(model, manifest, f) + memory_text(model, f, !ranges.empty());
  }
  if (const std::vector<std::string> hosts = host_functions_of(model); !hosts.empty())
    out += fmt::format("{}\n{}\n", bold("functions of the host that it calls"),
                       wrapped(fmt::format("  {}", fmt::join(hosts, ", ")), terminal_width(), "  "));
  return out;
}

std::string entries_text(const std::vector<ArtifactEntry>& entries, uint64_t file_size, const io::JsonValue& manifest) {
  std::string out = bold("entries") + "\n";
  uint64_t known = 0;
  for (const ArtifactEntry& e : entries) {
    known += e.size;
    std::string needs;
    for (const io::JsonValue code : manifest["code"].elements())
      if (e.name == fmt::format("code/{}", code["isa"].as_string().value_or("")))
        for (const io::JsonValue feature : code["requires"].elements())
          needs += fmt::format(" {}", feature.as_string().value_or(""));
    out += fmt::format("  {:<22} {:>10}  {:4.1f} %{}\n", e.name, e.size,
                       100.0 * static_cast<double>(e.size) / static_cast<double>(file_size),
                       needs.empty() ? "" : dim("  needs" + needs));
  }
  out += fmt::format("  {:<22} {:>10}  {:4.1f} %\n", "directory and padding", file_size - known,
                     100.0 * static_cast<double>(file_size - known) / static_cast<double>(file_size));
  return out + fmt::format("  {:<22} {:>10}\n", "file", file_size);
}

std::vector<io::StoredTensor> stored_weights(const std::vector<ArtifactEntry>& entries) {
  const ArtifactEntry* entry = find_entry(entries, "weights.safetensors");
  if (!entry) return {};
  const io::Result<io::SafetensorsReader> reader = io::SafetensorsReader::open(entry->data);
  if (!reader.ok()) fail(reader.code(), {}, reader.status().message(), reader.status().help());
  return reader->tensors();
}

std::string dtype_text(const io::StoredTensor& t) {
  return DType{static_cast<TypeCode>(t.type.code), t.type.bits, t.type.lanes}.str();
}

std::string weights_text(const std::vector<io::StoredTensor>& weights, const io::JsonValue& manifest) {
  if (weights.empty()) return {};
  std::string told = weight_bytes_text(manifest);
  if (const std::string widened = widened_text(manifest); !widened.empty()) told += "; " + widened;
  const std::string head = bold("weights") + (told.empty() ? "" : ": " + told);
  std::string out = wrapped(head, terminal_width(), "  ") + "\n";
  for (const io::StoredTensor& t : weights)
    out += fmt::format("  {:<22} {:>10}  {} ({})\n", t.name, t.data.size(), dtype_text(t), fmt::join(t.shape, ", "));
  return out;
}

std::string states_text(const sunmao_model* model) {
  const std::vector<ValueInfo> states = artifact_states(model);
  if (states.empty()) return {};
  std::string out = bold("states that sessions keep, and their bytes at first") + "\n";
  for (const ValueInfo& v : states) {
    std::vector<std::string> ranges;
    out += fmt::format("  {:<22} {:>10}  {}", v.name, v.bytes.value_or(0),
                       value_text({"", v.dtype, v.dims}, ranges).substr(2));
    out += ranges.empty() ? "\n" : fmt::format(" with {}\n", fmt::join(ranges, ", "));
  }
  return out;
}

void write_values(io::JsonWriter& w, const char* key, const std::vector<ValueInfo>& values) {
  w.key(key).begin_array();
  for (const ValueInfo& v : values) {
    w.begin_object().key("name").value(v.name).key("dtype").value(v.dtype);
    w.key(v.holds_sizes ? "sizes" : "dims").begin_array();
    for (const sunmao_dim& d : v.dims) {
      if (!d.symbol)
        w.value(d.size);
      else
        w.begin_object()
            .key("symbol")
            .value(d.symbol)
            .key("minimum")
            .value(d.minimum)
            .key("maximum")
            .value(d.maximum)
            .end_object();
    }
    w.end_array();
    if (v.bytes) w.key("bytes").value(*v.bytes);
    w.end_object();
  }
  w.end_array();
}

std::string json_text(const sunmao_model* model, const std::vector<ArtifactEntry>& entries, uint64_t file_size,
                      const io::JsonValue& manifest) {
  io::JsonWriter w({.indent = 2});
  w.begin_object().key("bytes").value(file_size).key("manifest").value(manifest).key("functions").begin_array();
  for (size_t f = 0; f < sunmao_function_count(model); ++f) {
    w.begin_object().key("name").value(sunmao_function_name(model, f));
    write_values(w, "inputs", artifact_inputs(model, f));
    write_values(w, "outputs", artifact_outputs(model, f));
    if (const std::optional<sunmao_memory_info> memory = memory_of(model, f))
      w.key("memory")
          .begin_object()
          .key("arena")
          .value(memory->arena_bytes)
          .key("live")
          .value(memory->live_bytes)
          .end_object();
    if (const std::string formula = memory_formula(model, f); !formula.empty()) w.key("memory_formula").value(formula);
    w.end_object();
  }
  w.end_array();
  write_arithmetic(w, model, manifest);
  write_values(w, "states", artifact_states(model));
  w.key("host_functions").begin_array();
  for (const std::string& name : host_functions_of(model)) w.value(name);
  w.end_array();
  write_entries(w, entries);
  w.key("weights").begin_array();
  for (const io::StoredTensor& t : stored_weights(entries)) {
    w.begin_object().key("name").value(t.name).key("dtype").value(dtype_text(t)).key("shape").begin_array();
    for (int64_t d : t.shape) w.value(d);
    w.end_array().key("bytes").value(t.data.size()).end_object();
  }
  return w.end_array().end_object().take() + "\n";
}

std::string disassembly(const sunmao_model* model) {
  sunmao_error error;
  char* text = nullptr;
  if (sunmao_model_disassemble(model, &text, &error)) fail_with(error);
  const std::string out = text;
  sunmao_string_free(text);
  return out;
}

int inspect_artifact(const InspectSettings& s) {
  if (s.bytecode && s.json)
    fail("E0004", {}, "--bytecode and --json do not go together", "bytecode is printed for people");
  const ModelHandle model = open_model(s.artifact);
  const io::Bytes file = map_or_fail(s.artifact);
  const std::vector<ArtifactEntry> entries = artifact_entries(file);
  const io::Result<io::JsonDocument> manifest =
      io::JsonDocument::parse(std::string_view(sunmao_model_manifest(model.get())));
  if (!manifest.ok()) fail(manifest.code(), {}, manifest.status().message(), manifest.status().help());
  check_artifact(file, manifest->root());
  if (s.json) {
    write_out(json_text(model.get(), entries, file.size(), manifest->root()));
    return kSuccess;
  }
  write_out(signatures_text(model.get(), manifest->root()) + states_text(model.get()) +
            entries_text(entries, file.size(), manifest->root()) +
            weights_text(stored_weights(entries), manifest->root()) +
            fmt::format("made by {}\n", manifest->root()["producer"].as_string().value_or("")));
  if (s.bytecode) write_out("\n" + disassembly(model.get()));
  return kSuccess;
}

int inspect_file(const InspectSettings& s) {
  check_ops(s.ops, s.artifact);
  if (is_artifact(s.artifact)) {
    if (s.nodes)
      fail("E0004", {}, "--nodes is about model files", "an artifact has no nodes: `--bytecode` prints its program");
    return inspect_artifact(s);
  }
  if (s.bytecode) fail("E0004", {}, "--bytecode is about artifacts", "compile the model first");
  return inspect_model(s.artifact, {.nodes = s.nodes, .json = s.json, .ops = s.ops});
}

}  // namespace

Command add_inspect(CLI::App& app) {
  auto s = std::make_shared<InspectSettings>();
  CLI::App* c = app.add_subcommand("inspect", "Show what is in an artifact or a model file");
  c->footer("Examples:\n  sunmao inspect model.sunmao --bytecode\n  sunmao inspect model.onnx --nodes");
  c->add_option("FILE", s->artifact, "a file that `sunmao compile` wrote, or a model")->required();
  add_ops_option(*c, s->ops);
  c->add_flag("--bytecode", s->bytecode, "print the program of an artifact too");
  c->add_flag("--nodes", s->nodes, "say of each node of a model what became of it");
  c->add_flag("--json", s->json, "everything but the program, as JSON");
  return {c, [s] { return inspect_file(*s); }};
}

}  // namespace sunmao::cli
