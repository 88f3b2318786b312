#include "target/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <sstream>
#include <utility>

#include "cpu/features.h"
#include "io/json.h"
#include "support/diagnostic.h"
#include "support/spelling.h"
#include "target/cpu_names.h"

namespace sunmao {
namespace {

constexpr std::string_view kArchitecture = "x86_64";  // of triples
constexpr std::string_view kHelp =
    "targets are `host`, `x86-64-v2`, `x86-64-v3`, `x86-64-v4`, LLVM's names of x86-64 processors such as `znver4`, "
    "`llvm -mcpu=x86-64-v3 [-mattr=+name,…]`, or {\"kind\": \"llvm\", \"mcpu\": \"x86-64-v3\"}";

/// Returns the instruction set of a row, or of a processor, by its name.
std::optional<Isa> find_named(std::string_view name) {
  if (const Isa* row = find_isa(name)) return *row;
  const CpuNames* cpu = find_cpu(name);
  if (!cpu) return std::nullopt;
  Isa isa = *find_isa(cpu->level);
  for (std::string_view feature : cpu->extra) isa = isa.with_feature(feature);
  return isa;
}

std::string help_for(std::string_view name) {
  std::vector<std::string> names;
  for (const Isa* row : isas()) names.push_back(row->name);
  for (const CpuNames& group : cpu_names()) names.insert(names.end(), group.names.begin(), group.names.end());
  const std::string close = did_you_mean(std::string(name), names);
  return close.empty() ? std::string(kHelp) : close;
}

Target of_cpu(std::string_view cpu) {
  if (cpu.empty() || cpu == "host" || cpu == "native") return Target::host();
  if (std::optional<Isa> isa = find_named(cpu)) return {*std::move(isa), {}};
  fail("E1001", {}, fmt::format("target: `{}` is no CPU that code can be generated for", cpu), help_for(cpu));
}

// Parses a list such as "+avx512vnni"; removal is an error, because generated code relies on the level's features.
void add_attributes(Target& target, std::string_view list) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    const std::string_view name = item.substr(std::min<size_t>(item.size(), 1));
    const bool is_known =
        std::ranges::find(extra_features(), name) != extra_features().end() || target.isa.has_feature(name);
    if (!item.starts_with('+') || !is_known)
      fail("E1001", {}, fmt::format("target: `{}` is no feature that can be added to `{}`", item, target.isa.name),
           fmt::format("features beyond the level are {}", fmt::join(extra_features(), ", ")));
    target.isa = target.isa.with_feature(name);
  }
}

// What the options and the keys of JSON say of the machine. `num-cores` is upstream's.
struct MachineOption {
  std::string_view name;
  int64_t least, most;
  int64_t (*get)(const Machine&);
  void (*set)(Machine&, int64_t);
};
constexpr int64_t kLeastCache = 1024, kMostCache = int64_t{1} << 40;
constexpr std::array<MachineOption, 4> kMachineOptions{{
    {"num-cores", 1, 4096, [](const Machine& m) { return int64_t{m.cores}; },
     [](Machine& m, int64_t n) { m.cores = static_cast<int>(n); }},
    {"l1-cache", kLeastCache, kMostCache, [](const Machine& m) { return m.l1_bytes; },
     [](Machine& m, int64_t n) { m.l1_bytes = n; }},
    {"l2-cache", kLeastCache, kMostCache, [](const Machine& m) { return m.l2_bytes; },
     [](Machine& m, int64_t n) { m.l2_bytes = n; }},
    {"l3-cache", kLeastCache, kMostCache, [](const Machine& m) { return m.l3_bytes; },
     [](Machine& m, int64_t n) { m.l3_bytes = n; }},
}};

void set_machine(Machine& machine, const MachineOption& option, std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < option.least || value > option.most)
    fail("E1001", {}, fmt::format("target: `{}` is no value of {}", text, option.name),
         fmt::format("{} takes whole numbers from {} to {}; caches are in bytes", option.name, option.least,
                     option.most));
  option.set(machine, value);
}

/// Returns the option that a word such as "-num-cores=4" sets, and the text behind the equals sign.
std::optional<std::pair<const MachineOption*, std::string_view>> find_machine_option(std::string_view word) {
  for (const MachineOption& option : kMachineOptions)
    if (word.starts_with('-') && word.substr(1).starts_with(option.name) &&
        word.substr(1 + option.name.size()).starts_with('='))
      return std::pair(&option, word.substr(option.name.size() + 2));
  return std::nullopt;
}

Target of_options(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string kind, word, cpu, attributes;
  std::vector<std::string> of_machine;
  words >> kind;
  while (words >> word) {
    if (word.starts_with("-mcpu="))
      cpu = word.substr(6);
    else if (word.starts_with("-mattr="))
      attributes += (attributes.empty() ? "" : ",") + word.substr(7);
    else if (find_machine_option(word))
      of_machine.push_back(word);
    else if (word != "-keys=cpu" && !word.starts_with(fmt::format("-mtriple={}", kArchitecture)))
      fail("E1001", {}, fmt::format("target: option `{}` of `{}` is not known", word, text), std::string(kHelp));
  }
  Target target = of_cpu(cpu);
  add_attributes(target, attributes);
  for (const std::string& option : of_machine) {
    const auto [known, value] = *find_machine_option(option);
    set_machine(target.machine, *known, value);
  }
  return target;
}

[[noreturn]] void fail_key(std::string_view key, std::string_view expected) {
  fail("E1001", {}, fmt::format("target: the value of `{}` is no {}", key, expected), std::string(kHelp));
}

std::string_view text_of(const io::JsonValue& root, std::string_view key) {
  const io::JsonValue value = root[key];
  if (value.exists() && !value.is_string()) fail_key(key, "string");
  return value.as_string().value_or("");
}

/// Fails on keys that are not known, and on what they may not say.
void check_keys(const io::JsonValue& root) {
  static constexpr std::array<std::string_view, 6> kKeys{"kind", "mcpu", "mattr", "mtriple", "keys", "tag"};
  for (const io::JsonMember& member : root.members()) {
    const bool is_known = std::ranges::find(kKeys, member.key) != kKeys.end() ||
                          std::ranges::find(kMachineOptions, member.key, &MachineOption::name) != kMachineOptions.end();
    if (!is_known) fail("E1001", {}, fmt::format("target: key `{}` is not known", member.key), std::string(kHelp));
  }
  if (const std::string_view kind = text_of(root, "kind"); kind != "llvm")
    fail("E1001", {}, fmt::format("target: kind is `{}`, expected `llvm`", kind), std::string(kHelp));
  if (const std::string_view triple = text_of(root, "mtriple"); !triple.empty() && !triple.starts_with(kArchitecture))
    fail("E1001", {}, fmt::format("target: code for `{}` cannot be generated", triple), std::string(kHelp));
}

Target of_json(std::string_view text) {
  io::Result<io::JsonDocument> document = io::JsonDocument::parse(text);
  if (!document.ok() || !document->root().is_object())
    fail("E1001", {}, fmt::format("target: `{}` is no JSON object: {}", text, document.status().message()),
         std::string(kHelp));
  const io::JsonValue root = document->root();
  check_keys(root);
  Target target = of_cpu(text_of(root, "mcpu"));
  if (root["mattr"].exists() && !root["mattr"].is_array()) fail_key("mattr", "list");
  for (const io::JsonValue& attribute : root["mattr"].elements()) {
    if (!attribute.is_string()) fail_key("mattr", "list of strings");
    add_attributes(target, *attribute.as_string());
  }
  for (const MachineOption& option : kMachineOptions) {
    const io::JsonValue value = root[option.name];
    if (value.exists() && !value.as_int()) fail_key(option.name, "whole number");
    if (value.exists()) set_machine(target.machine, option, std::to_string(*value.as_int()));
  }
  return target;
}

}  // namespace

std::vector<Target> best_first(std::vector<Target> targets) {
  std::ranges::stable_sort(targets, std::ranges::greater(), [](const Target& t) { return t.isa.features.size(); });
  return targets;
}

Target Target::host() {
  const Isa* best = isas().front();
  for (const Isa* row : isas())
    if (row->runs_here() && row->features.size() > best->features.size()) best = row;
  Isa isa = *best;
  for (std::string_view extra : extra_features())
    if (cpu::has_feature(extra)) isa = isa.with_feature(extra);
  return {std::move(isa), Machine::host()};
}

std::string Target::text() const {
  const Isa* row = find_isa(isa.name);
  SUNMAO_CHECK(row, "{} is no instruction set", isa.name);
  std::string out, more;
  for (const std::string& f : isa.features)
    if (!row->has_feature(f)) more += (more.empty() ? " -mattr=+" : ",+") + f;
  for (const MachineOption& option : kMachineOptions)
    if (const int64_t value = option.get(machine); value != option.get({}))
      more += fmt::format(" -{}={}", option.name, value);
  return more.empty() ? isa.name : fmt::format("llvm -mcpu={}{}", isa.name, more);
}

Target Target::parse(std::string_view text) {
  if (text == "host" || text == "native") return host();
  if (text.starts_with('{')) return of_json(text);
  if (text == "llvm" || text.starts_with("llvm ")) return of_options(text);
  if (std::optional<Isa> isa = find_named(text)) return {*std::move(isa), {}};
  fail("E1001", {}, fmt::format("target: `{}` is not known", text), help_for(text));
}

}  // namespace sunmao
