#include "cli/inspect_model.h"

#include <array>
#include <filesystem>
#include <map>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/model_options.h"
#include "compiler/read_model_file.h"
#include "io/json_writer.h"
#include "ir/type.h"
#include "support/diagnostic.h"

namespace sunmao::cli {
namespace {

constexpr Fate kFates[] = {Fate::Mapped, Fate::Folded, Fate::Dropped, Fate::Inlined};

struct ModelFacts {
  Model model;
  std::vector<NodeAccount> nodes;
  std::vector<std::string> notes;
  uint64_t file_bytes = 0;
};

uint64_t bytes_of(const Weights& weights) {
  uint64_t bytes = 0;
  for (const auto& [name, data] : weights) bytes += data.size_bytes();
  return bytes;
}

Ref<Function> main_of(const Model& model) { return model.module.find_as<Function>("main"); }

size_t inputs_of(const Function& f) {
  const int64_t* count = f.attr<int64_t>("num_input");
  return count ? static_cast<size_t>(*count) : f.params.size();
}

std::string signature_text(const ModelFacts& facts) {
  const Ref<Function> main = main_of(facts.model);
  if (!main) return {};
  std::string out = bold("main") + "\n";
  for (size_t i = 0; i < inputs_of(*main); ++i)
    out += fmt::format("  in   {}: {}\n", main->params[i]->name, describe(main->params[i]->type));
  return out + fmt::format("  out  {}\n", describe(main->body->type));
}

std::string size_text(const ModelFacts& facts) {
  std::string out = fmt::format("{}\n  {:<22} {:>12}\n  {:<22} {:>12}  ({} {})\n", bold("bytes"), "file",
                                facts.file_bytes, "weights", bytes_of(facts.model.weights), facts.model.weights.size(),
                                facts.model.weights.size() == 1 ? "tensor" : "tensors");
  if (!facts.model.states.empty())
    out += fmt::format("  {:<22} {:>12}  ({} tensors)\n", "state", bytes_of(facts.model.states),
                       facts.model.states.size());
  return out;
}

std::array<size_t, std::size(kFates)> counts_of(const std::vector<NodeAccount>& nodes) {
  std::array<size_t, std::size(kFates)> counts{};
  for (const NodeAccount& n : nodes) ++counts[static_cast<size_t>(n.fate)];
  return counts;
}

std::string summary_text(const std::vector<NodeAccount>& nodes) {
  std::string out = fmt::format("{}\n", bold("nodes"));
  const auto counts = counts_of(nodes);
  for (Fate fate : kFates) out += fmt::format("  {:<22} {:>12}\n", word_of(fate), counts[static_cast<size_t>(fate)]);
  return out + fmt::format("  {:<22} {:>12}\n", "all", nodes.size());
}

std::string nodes_text(const std::vector<NodeAccount>& nodes) {
  std::string out;
  for (const NodeAccount& n : nodes)
    out += fmt::format("  {:<8} {:<28} {}{}\n", word_of(n.fate), n.op, n.label,
                       n.fate == Fate::Mapped ? fmt::format(": {} {}", n.bindings, n.bindings == 1 ? "op" : "ops")
                                              : dim(": " + n.reason));
  return out;
}

std::string facts_json(const ModelFacts& facts) {
  io::JsonWriter w({.indent = 2});
  w.begin_object().key("file_bytes").value(facts.file_bytes);
  w.key("weight_bytes").value(bytes_of(facts.model.weights)).key("weights").value(facts.model.weights.size());
  w.key("state_bytes").value(bytes_of(facts.model.states)).key("counts").begin_object();
  const auto counts = counts_of(facts.nodes);
  for (Fate fate : kFates) w.key(word_of(fate)).value(counts[static_cast<size_t>(fate)]);
  w.end_object().key("nodes").begin_array();
  for (const NodeAccount& n : facts.nodes)
    w.begin_object()
        .key("node")
        .value(n.label)
        .key("op")
        .value(n.op)
        .key("fate")
        .value(word_of(n.fate))
        .key("reason")
        .value(n.reason)
        .key("ops")
        .value(n.bindings)
        .end_object();
  return w.end_array().end_object().take() + "\n";
}

}  // namespace

int inspect_model(const std::string& path, const InspectModelSettings& settings) {
  ModelFacts facts;
  std::vector<std::string> files;
  facts.model = read_model_file(
      path,
      {.notes = &facts.notes, .files = &files, .nodes = &facts.nodes, .custom_ops = read_op_modules(settings.ops)});
  files.push_back(path);
  for (const std::string& file : files) facts.file_bytes += std::filesystem::file_size(file);
  for (const std::string& note : facts.notes) write_note(note);
  if (settings.json) {
    write_out(facts_json(facts));
    return kSuccess;
  }
  write_out(signature_text(facts) + size_text(facts) + (facts.nodes.empty() ? "" : summary_text(facts.nodes)));
  if (settings.nodes) write_out(nodes_text(facts.nodes));
  return kSuccess;
}

}  // namespace sunmao::cli
