#include "runtime/manifest.h"

#include <algorithm>

#include "abi/kernel.h"
#include "cpu/features.h"
#include "io/concat.h"
#include "io/json.h"

namespace sunmao::runtime {
namespace {

using io::concat;
using io::JsonValue;
using io::quoted;
using io::Status;

Status bad_key(const std::string& key, const char* expected) {
  return Status::error("E0850", concat("manifest.json: `", key, "` is missing or is not ", expected),
                       "the file is damaged or was not written by Sunmao; docs/artifact.md lists the keys");
}

Status check_version(JsonValue root, const char* key, int64_t oldest, int64_t supported) {
  const std::optional<int64_t> version = root[key].as_int();
  if (!version) return bad_key(key, "an integer");
  if (oldest <= *version && *version <= supported) return {};
  return Status::error("E0851", concat("manifest.json: `", key, "` is ", *version, ", this runtime reads ", supported),
                       "compile the model with the Sunmao that this runtime belongs to");
}

bool is_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Status take_digest(JsonValue object, const std::string& key, std::string& out) {
  const std::optional<std::string_view> text = object["sha256"].as_string();
  if (!text || !is_digest(*text)) return bad_key(key + ".sha256", "64 lower-case hexadecimal digits");
  out = *text;
  return {};
}

bool is_isa_name(std::string_view text) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
  return !text.empty() && text.find_first_not_of(kAllowed) == std::string_view::npos;
}

Status take_code(JsonValue object, const std::string& key, CodeRecord& out) {
  const std::optional<std::string_view> isa = object["isa"].as_string();
  if (!isa || !is_isa_name(*isa)) return bad_key(key + ".isa", "a name");
  out.isa = *isa;
  if (!object["requires"].is_array()) return bad_key(key + ".requires", "a list");
  for (const JsonValue feature : object["requires"].elements()) {
    if (!feature.is_string()) return bad_key(key + ".requires", "a list of strings");
    out.required_features.emplace_back(*feature.as_string());
  }
  return take_digest(object, key, out.sha256);
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + quoted(name);
  return text;
}

Status does_not_fit(const CodeRecord& code) {
  return Status::error("E0856",
                       concat("the code for ", quoted(code.isa), " needs what this processor lacks: ",
                              join(cpu::missing_features(code.required_features))),
                       "compile the model for this machine (`--target`)");
}

io::Result<CodeRecord> choose_named(const Manifest& manifest, std::string_view isa) {
  std::vector<std::string> names;
  for (const CodeRecord& code : manifest.code) {
    names.push_back(code.isa);
    if (code.isa != isa) continue;
    if (cpu::missing_features(code.required_features).empty()) return code;
    return does_not_fit(code);
  }
  return Status::error("E0861", concat("the artifact has no code for ", quoted(isa)),
                       names.empty() ? std::string("it has none at all") : "it has " + join(names));
}

}  // namespace

io::Result<Manifest> read_manifest(std::string_view text) {
  io::Result<io::JsonDocument> document = io::JsonDocument::parse(text);
  if (!document.ok()) return document.status().with_prefix("manifest.json: ");
  const JsonValue root = document->root();
  if (!root.is_object()) return bad_key("", "an object");
  SUNMAO_TRY(check_version(root, "format", kArtifactFormat, kArtifactFormat));
  SUNMAO_TRY(check_version(root, "kernel_abi", SUNMAO_OLDEST_KERNEL_ABI, SUNMAO_KERNEL_ABI));

  Manifest manifest;
  manifest.producer = root["producer"].as_string().value_or("");
  SUNMAO_TRY(take_digest(root["program"], "program", manifest.program_sha256));
  if (!root["code"].is_array()) return bad_key("code", "a list");
  for (const JsonValue object : root["code"].elements()) {
    CodeRecord& code = manifest.code.emplace_back();
    SUNMAO_TRY(take_code(object, concat("code[", manifest.code.size() - 1, "]"), code));
  }
  manifest.has_weights = root["weights"].exists();
  if (manifest.has_weights) SUNMAO_TRY(take_digest(root["weights"], "weights", manifest.weights_sha256));
  for (const auto& [name, own] : root["weight_names"].members())
    if (own.is_string()) manifest.weight_names.emplace(name, *own.as_string());
  for (const JsonValue op : root["ops"].elements()) {
    if (!op.is_string()) return bad_key("ops", "a list of names");
    manifest.ops.emplace_back(*op.as_string());
  }
  return manifest;
}

io::Result<CodeRecord> choose_code(const Manifest& manifest, std::string_view isa) {
  if (!isa.empty()) return choose_named(manifest, isa);
  const CodeRecord *best = nullptr, *closest = nullptr;
  size_t fewest = 0;
  for (const CodeRecord& code : manifest.code) {
    const size_t missing = cpu::missing_features(code.required_features).size();
    if (missing == 0 && (!best || code.required_features.size() > best->required_features.size())) best = &code;
    if (!closest || missing < fewest) closest = &code, fewest = missing;
  }
  if (best) return *best;
  if (closest) return does_not_fit(*closest);
  return Status::error("E0856", "the artifact has no code at all", "compile the model for this machine (`--target`)");
}

}  // namespace sunmao::runtime
