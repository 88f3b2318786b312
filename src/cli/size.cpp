// The command `sunmao size`: where the bytes of an artifact are.
#include <algorithm>
#include <map>

#include "cli/artifact_entries.h"
#include "cli/artifact_graph.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/output_files.h"
#include "compiler/tensor_file.h"
#include "io/concat.h"
#include "io/json_writer.h"
#include "support/diagnostic.h"
#include "view/page.h"
#include "view/sizes.h"

namespace sunmao::cli {
namespace {

struct SizeSettings {
  std::string artifact, page;
  size_t top = 15;
  size_t depth = 2;
  bool json = false;
};

using Parts = std::vector<view::SizePart>;

uint64_t total_bytes(const Parts& parts) {
  uint64_t sum = 0;
  for (const view::SizePart& p : parts) sum += p.bytes;
  return sum;
}

std::string size_line(const std::string& name, uint64_t bytes, uint64_t all, const std::string& note) {
  const double share = all > 0 ? 100 * static_cast<double>(bytes) / static_cast<double>(all) : 0;
  return fmt::format("  {:<44} {:>13} {:>6.2f} %{}\n", name, bytes, share, note.empty() ? "" : dim("  " + note));
}

/// The first parts of a path: "encoder.layer.0" of "encoder.layer.0.attention" at a depth of 3.
std::string upper_path(const std::string& path, size_t depth) {
  size_t end = 0;
  for (size_t i = 0; i < depth && end != std::string::npos; ++i) end = path.find('.', i == 0 ? 0 : end + 1);
  return path.substr(0, end);
}

struct Sum {
  uint64_t bytes = 0;
  size_t count = 0;
};

std::string kinds_text(const Parts& parts, uint64_t all) {
  std::map<view::PartKind, Sum> kinds;
  for (const view::SizePart& p : parts) {
    kinds[p.kind].bytes += p.bytes;
    ++kinds[p.kind].count;
  }
  std::string out = bold("bytes by kind") + "\n";
  for (const auto& [kind, sum] : kinds)
    out +=
        size_line(view::name_of(kind), sum.bytes, all, fmt::format("{} part{}", sum.count, sum.count == 1 ? "" : "s"));
  return out + size_line("file", all, all, "");
}

std::string modules_text(const Parts& parts, uint64_t all, const SizeSettings& s) {
  std::map<std::string, Sum> modules;
  for (const view::SizePart& p : parts) {
    if (p.path.empty() || (p.kind != view::PartKind::Weight && p.kind != view::PartKind::Duplicate)) continue;
    Sum& sum = modules[upper_path(p.path, s.depth)];
    sum.bytes += p.bytes;
    ++sum.count;
  }
  std::vector<std::pair<std::string, Sum>> rows(modules.begin(), modules.end());
  std::ranges::stable_sort(rows, std::greater(), [](const auto& row) { return row.second.bytes; });
  if (rows.size() < 2) return {};
  std::string out = bold("weights by module that takes them") + "\n";
  for (size_t i = 0; i < std::min(rows.size(), s.top); ++i)
    out += size_line(rows[i].first, rows[i].second.bytes, all, fmt::format("{} weights", rows[i].second.count));
  return rows.size() > s.top ? out + dim(fmt::format("  {} more\n", rows.size() - s.top)) : out;
}

std::string largest_text(const Parts& parts, uint64_t all, const SizeSettings& s) {
  Parts sorted = parts;
  std::ranges::stable_sort(sorted, std::greater(), &view::SizePart::bytes);
  std::string out = bold("largest parts") + "\n";
  for (size_t i = 0; i < std::min(sorted.size(), s.top); ++i)
    out += size_line(sorted[i].name, sorted[i].bytes, all, sorted[i].path);
  return sorted.size() > s.top ? out + dim(fmt::format("  {} more\n", sorted.size() - s.top)) : out;
}

std::string parts_json(const Parts& parts) {
  io::JsonWriter w({.indent = 2});
  w.begin_object().key("bytes").value(total_bytes(parts)).key("parts").begin_array();
  for (const view::SizePart& p : parts)
    w.begin_object()
        .key("kind")
        .value(view::name_of(p.kind))
        .key("name")
        .value(p.name)
        .key("path")
        .value(p.path)
        .key("bytes")
        .value(p.bytes)
        .end_object();
  return w.end_array().end_object().take() + "\n";
}

int show_sizes(const SizeSettings& s) {
  check_outputs({s.page}, {s.artifact});
  check_is_no_object(s.artifact);
  if (!is_artifact(s.artifact))
    fail("E0014", {}, fmt::format("{} is not an artifact", io::quoted(s.artifact)),
         "`sunmao compile` makes one; `sunmao inspect` says what a model file holds");
  view::Graph graph = graph_of_artifact(s.artifact);
  const Parts parts = graph.parts;
  const uint64_t all = total_bytes(parts);
  if (!s.page.empty()) {
    const std::string title = graph.title;
    const std::string html =
        view::page_of({.title = title, .sides = {std::move(graph)}, .matches = {}, .on_notice = write_note});
    write_or_fail(s.page, {io::Bytes::borrowed(std::as_bytes(std::span(html)))});
  }
  write_out(s.json ? parts_json(parts)
                   : kinds_text(parts, all) + modules_text(parts, all, s) + largest_text(parts, all, s));
  return kSuccess;
}

}  // namespace

Command add_size(CLI::App& app) {
  auto s = std::make_shared<SizeSettings>();
  CLI::App* c = app.add_subcommand("size", "Tell where the bytes of an artifact are");
  c->footer(
      "Examples:\n  sunmao size model.sunmao\n  sunmao size model.sunmao --depth 3 --top 30\n"
      "  sunmao size model.sunmao --page sizes.html\n  sunmao size model.sunmao --json | jq '.parts[0]'");
  c->add_option("ARTIFACT", s->artifact, "a file that `sunmao compile` wrote")->required();
  c->add_option("--top", s->top, "how many rows a table has; default: 15")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  c->add_option("--depth", s->depth, "how many levels of modules weights are added up by; default: 2")
      ->check(CLI::Range(1, 100))
      ->type_name("N");
  c->add_option("--page", s->page, "where a page with the bytes as areas goes")->type_name("FILE.html");
  c->add_flag("--json", s->json, "every part, as JSON");
  return {c, [s] { return show_sizes(*s); }};
}

}  // namespace sunmao::cli
