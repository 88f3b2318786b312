#include "support/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <sstream>

#include "io/json.h"
#include "support/cpu_features.h"
#include "support/cpu_names.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao {
namespace {

constexpr std::string_view kHelp =
    "targets are `host`, `x86-64-v2`, `x86-64-v3`, `x86-64-v4`, LLVM's names of x86-64 processors such as `znver4`, "
    "`llvm -mcpu=x86-64-v3 [-mattr=+name,…]`, or {\"kind\": \"llvm\", \"mcpu\": \"x86-64-v3\"}";

const CpuLevel* find_level(std::string_view name) {
  for (const CpuLevel& level : cpu_levels())
    if (level.name == name) return &level;
  return nullptr;
}

Target of_level(const CpuLevel& level) {
  Target t;
  t.isa = t.cpu = std::string(level.name);
  t.features = features_of(level);
  t.vector_bits = level.vector_bits;
  t.vector_registers = level.vector_registers;
  return t;
}

void add_feature(Target& target, std::string name) {
  if (target.has(name)) return;
  target.features.push_back(std::move(name));
  std::ranges::sort(target.features);
}

/// Returns the target of a level, or of a processor, by its name.
std::optional<Target> find_named(std::string_view name) {
  if (const CpuLevel* level = find_level(name)) return of_level(*level);
  const CpuNames* cpu = find_cpu(name);
  if (!cpu) return std::nullopt;
  Target target = of_level(*find_level(cpu->level));
  for (std::string_view feature : cpu->extra) add_feature(target, std::string(feature));
  return target;
}

std::string help_for(std::string_view name) {
  std::vector<std::string> names;
  for (const CpuLevel& level : cpu_levels()) names.emplace_back(level.name);
  for (const CpuNames& group : cpu_names()) names.insert(names.end(), group.names.begin(), group.names.end());
  const std::string close = did_you_mean(std::string(name), names);
  return close.empty() ? std::string(kHelp) : close;
}

Target of_cpu(std::string_view cpu) {
  if (cpu.empty() || cpu == "host" || cpu == "native") return Target::host();
  if (std::optional<Target> target = find_named(cpu)) return *std::move(target);
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
        std::ranges::find(extra_cpu_features(), name) != extra_cpu_features().end() || target.has(name);
    if (!item.starts_with('+') || !is_known)
      fail("E1001", {}, fmt::format("target: `{}` is no feature that can be added to `{}`", item, target.isa),
           fmt::format("features beyond the level are {}", fmt::join(extra_cpu_features(), ", ")));
    add_feature(target, std::string(name));
  }
}

constexpr std::string_view kL1Option = "-l1-cache=", kL2Option = "-l2-cache=";

int64_t parse_bytes(std::string_view option, std::string_view name) {
  const std::string_view digits = option.substr(name.size());
  int64_t bytes = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  if (error != std::errc() || end != digits.data() + digits.size() || bytes < 1024 || bytes > (int64_t{1} << 40))
    fail("E1001", {}, fmt::format("target: `{}` is no size of a cache in bytes", option), "1024 and more");
  return bytes;
}

Target of_options(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string kind, word, cpu, attributes;
  std::optional<int64_t> l1, l2;
  words >> kind;
  while (words >> word) {
    if (word.starts_with("-mcpu="))
      cpu = word.substr(6);
    else if (word.starts_with("-mattr="))
      attributes = word.substr(7);
    else if (word.starts_with(kL1Option))
      l1 = parse_bytes(word, kL1Option);
    else if (word.starts_with(kL2Option))
      l2 = parse_bytes(word, kL2Option);
    else if (word != "-keys=cpu" && !word.starts_with("-mtriple=x86_64") && !word.starts_with("-num-cores="))
      fail("E1001", {}, fmt::format("target: option `{}` of `{}` is not known", word, text), std::string(kHelp));
  }
  Target target = of_cpu(cpu);
  add_attributes(target, attributes);
  if (l1) target.l1_bytes = *l1;
  if (l2) target.l2_bytes = *l2;
  return target;
}

Target of_json(std::string_view text) {
  io::Result<io::JsonDocument> document = io::JsonDocument::parse(text);
  if (!document.ok() || !document->root().is_object())
    fail("E1001", {}, fmt::format("target: `{}` is no JSON object: {}", text, document.status().message()),
         std::string(kHelp));
  const io::JsonValue root = document->root();
  const std::string_view kind = root["kind"].as_string().value_or("");
  if (kind != "llvm") fail("E1001", {}, fmt::format("target: kind is `{}`, expected `llvm`", kind), std::string(kHelp));
  Target target = of_cpu(root["mcpu"].as_string().value_or(""));
  for (const io::JsonValue& attribute : root["mattr"].elements())
    add_attributes(target, attribute.as_string().value_or(""));
  return target;
}

}  // namespace

std::vector<Target> best_first(std::vector<Target> targets) {
  std::ranges::stable_sort(targets, std::ranges::greater(), [](const Target& t) { return t.features.size(); });
  return targets;
}

bool Target::has(std::string_view feature) const { return std::ranges::find(features, feature) != features.end(); }

Target Target::host() {
  const std::vector<std::string> found = host_cpu_features();
  auto is_there = [&](const std::string& name) { return std::ranges::binary_search(found, name); };
  const CpuLevel* best = &cpu_levels().front();
  for (const CpuLevel& level : cpu_levels())
    if (std::ranges::all_of(features_of(level), is_there)) best = &level;
  Target target = of_level(*best);
  for (std::string_view extra : extra_cpu_features())
    if (is_there(std::string(extra))) add_feature(target, std::string(extra));
  const CacheSizes caches = host_cache_sizes();
  if (caches.l1_bytes > 0) target.l1_bytes = caches.l1_bytes;
  if (caches.l2_bytes > 0) target.l2_bytes = caches.l2_bytes;
  return target;
}

std::string Target::text() const {
  const CpuLevel* level = find_level(isa);
  SUNMAO_CHECK(level, "{} is no level", isa);
  const Target plain = of_level(*level);
  std::string out, more;
  for (const std::string& f : features)
    if (!plain.has(f)) more += (more.empty() ? " -mattr=+" : ",+") + f;
  if (l1_bytes != plain.l1_bytes) more += fmt::format(" {}{}", kL1Option, l1_bytes);
  if (l2_bytes != plain.l2_bytes) more += fmt::format(" {}{}", kL2Option, l2_bytes);
  return more.empty() ? isa : fmt::format("llvm -mcpu={}{}", isa, more);
}

Target Target::parse(std::string_view text) {
  if (text == "host" || text == "native") return host();
  if (text.starts_with('{')) return of_json(text);
  if (text == "llvm" || text.starts_with("llvm ")) return of_options(text);
  if (std::optional<Target> target = find_named(text)) return *std::move(target);
  fail("E1001", {}, fmt::format("target: `{}` is not known", text), help_for(text));
}

}  // namespace sunmao
