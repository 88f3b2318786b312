#include "view/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "abi/bytecode.h"
#include "io/safetensors.h"
#include "io/sha256.h"
#include "io/zip.h"
#include "support/diagnostic.h"

namespace sunmao::view {
namespace {

template <class T>
T taken(io::Result<T> result) {
  if (!result.ok()) fail(result.code(), {}, result.status().message(), result.status().help());
  return result.take();
}

/// Reads a plain struct; nothing when it does not lie inside.
template <class T>
std::optional<T> record_at(const io::Bytes& bytes, uint64_t offset) {
  if (!bytes.contains(offset, sizeof(T))) return std::nullopt;
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return out;
}

/// A range of an entry.
struct Range {
  uint64_t begin, end;
  PartKind kind;
  std::string name, path;
};

/// Adds ranges as parts, and what lies between them as `between`.
void add_ranges(std::vector<SizePart>& out, std::vector<Range> ranges, uint64_t size, PartKind between,
                const std::string& name) {
  std::ranges::sort(ranges, {}, &Range::begin);
  uint64_t at = 0, rest = 0;
  for (Range& r : ranges) {
    const uint64_t begin = std::max(r.begin, at), end = std::min(r.end, size);
    if (end <= begin) continue;
    rest += begin - at;
    out.push_back({r.kind, std::move(r.name), std::move(r.path), end - begin});
    at = end;
  }
  rest += size - at;
  if (rest > 0) out.push_back({between, name, {}, rest});
}

// The fields of ELF64 files that are read, by their offsets there.
constexpr uint64_t kSectionOffset = 0x28, kSectionCount = 0x3c, kSectionNames = 0x3e, kSectionBytes = 64;
constexpr uint64_t kSymbolBytes = 24;
constexpr uint32_t kDynamicSymbols = 11, kNoBits = 8;

struct Section {
  std::string name;
  uint32_t type = 0, link = 0;
  uint64_t address = 0, offset = 0, size = 0;
};

std::string text_at(const io::Bytes& image, uint64_t offset) {
  std::string out;
  for (; image.contains(offset, 1) && image.data()[offset] != std::byte{0}; ++offset)
    out += static_cast<char>(image.data()[offset]);
  return out;
}

std::vector<Section> sections_of(const io::Bytes& image) {
  const auto table = record_at<uint64_t>(image, kSectionOffset);
  const auto count = record_at<uint16_t>(image, kSectionCount), names = record_at<uint16_t>(image, kSectionNames);
  std::vector<Section> out;
  std::vector<uint32_t> name_offsets;
  if (!table || !count || !names) return out;
  for (uint64_t i = 0; i < *count; ++i) {
    const uint64_t at = *table + i * kSectionBytes;
    if (!image.contains(at, kSectionBytes)) return {};
    name_offsets.push_back(*record_at<uint32_t>(image, at));
    out.push_back({.type = *record_at<uint32_t>(image, at + 4),
                   .link = *record_at<uint32_t>(image, at + 40),
                   .address = *record_at<uint64_t>(image, at + 16),
                   .offset = *record_at<uint64_t>(image, at + 24),
                   .size = *record_at<uint64_t>(image, at + 32)});
  }
  if (*names < out.size())
    for (size_t i = 0; i < out.size(); ++i) out[i].name = text_at(image, out[*names].offset + name_offsets[i]);
  return out;
}

/// The addresses of kernels by the dynamic symbols, in order. A kernel's loop bodies follow it.
std::map<uint64_t, std::string> kernel_addresses(const io::Bytes& image, const std::vector<Section>& sections) {
  constexpr uint8_t kFunction = 2;
  std::map<uint64_t, std::string> out;
  for (const Section& s : sections) {
    if (s.type != kDynamicSymbols || s.link >= sections.size()) continue;
    for (uint64_t at = s.offset; at + kSymbolBytes <= s.offset + s.size && image.contains(at, kSymbolBytes);
         at += kSymbolBytes)
      if ((*record_at<uint8_t>(image, at + 4) & 0xf) == kFunction)
        out[*record_at<uint64_t>(image, at + 8)] =
            text_at(image, sections[s.link].offset + *record_at<uint32_t>(image, at));
  }
  return out;
}

void add_code(std::vector<SizePart>& out, const std::string& entry, const io::Bytes& image) {
  const std::vector<Section> sections = sections_of(image);
  const std::map<uint64_t, std::string> kernels = kernel_addresses(image, sections);
  std::vector<Range> ranges;
  for (const Section& s : sections) {
    if (s.type == 0 || s.type == kNoBits || s.size == 0) continue;
    if (s.name != ".text") {
      ranges.push_back({s.offset, s.offset + s.size, PartKind::Code, s.name, entry});
      continue;
    }
    for (auto it = kernels.begin(); it != kernels.end(); ++it) {
      const uint64_t next = std::next(it) == kernels.end() ? s.address + s.size : std::next(it)->first;
      if (it->first >= s.address && next <= s.address + s.size)
        ranges.push_back(
            {s.offset + it->first - s.address, s.offset + next - s.address, PartKind::Kernel, it->second, entry});
    }
  }
  add_ranges(out, std::move(ranges), image.size(), PartKind::Code, entry + ": headers and alignment");
}

void add_program(std::vector<SizePart>& out, const io::Bytes& program) {
  constexpr uint64_t kVersion = offsetof(abi::ProgramHeader, version);
  const uint64_t head =
      std::min<uint64_t>(abi::header_bytes(record_at<uint32_t>(program, kVersion).value_or(2)), program.size());
  abi::ProgramHeader h{};  // what a version lacks is 0
  std::memcpy(&h, program.data(), head);
  std::vector<Range> ranges;
  const auto add = [&](const char* name, uint64_t offset, uint64_t bytes) {
    ranges.push_back({offset, offset + bytes, PartKind::Program, fmt::format("program.bin: {}", name), {}});
  };
  add("header", 0, head);
  add("functions", h.function_offset, uint64_t{h.function_count} * sizeof(abi::FunctionRecord));
  add("parameters and results", h.value_offset, uint64_t{h.value_count} * sizeof(abi::ValueRecord));
  add("weights", h.weight_offset, uint64_t{h.weight_count} * sizeof(abi::WeightRecord));
  add("states", h.state_offset, uint64_t{h.state_count} * sizeof(abi::StateRecord));
  add("kernels", h.kernel_offset, uint64_t{h.kernel_count} * sizeof(abi::KernelRecord));
  add("buffers that kernels write", h.written_offset, uint64_t{h.written_count} * sizeof(uint32_t));
  add("sizes", h.dim_offset, uint64_t{h.dim_count} * sizeof(int64_t));
  add("instructions", h.word_offset, uint64_t{h.word_count} * sizeof(uint32_t));
  add("names", h.string_offset, h.string_size);
  add_ranges(out, std::move(ranges), program.size(), PartKind::Padding, "program.bin: alignment");
}

/// The module that takes each weight first, by the weight's name.
std::map<std::string, std::string> users_of_weights(const Graph& graph) {
  std::map<std::string, std::string> out;
  for (const GraphFunction& f : graph.functions)
    for (const GraphNode& n : f.nodes)
      if (!n.path.empty())
        for (size_t w : n.weights) out.emplace(graph.weights[w].name, module_of(n));
  return out;
}

void add_weights(std::vector<SizePart>& out, const io::Bytes& file, const io::JsonValue& manifest, const Graph& graph) {
  const io::SafetensorsReader reader = taken(io::SafetensorsReader::open(file));
  const std::map<std::string, std::string> users = users_of_weights(graph);
  std::map<std::string, std::string> first;  // weight by digest
  std::vector<Range> ranges;
  constexpr uint64_t kLength = 8;  // bytes of the header's length
  const auto head = record_at<uint64_t>(file, 0);
  ranges.push_back({0, kLength + head.value_or(0), PartKind::Archive, "weights.safetensors: header", {}});
  for (const io::StoredTensor& t : reader.tensors()) {
    if (t.data.empty()) continue;
    const uint64_t begin = static_cast<uint64_t>(t.data.data() - file.data());
    const std::string own(manifest["weight_names"][t.name].as_string().value_or(t.name));
    const auto user = users.find(t.name);
    const auto [known, is_new] = first.emplace(io::to_hex(io::sha256(t.data.span())), own);
    ranges.push_back({begin, begin + t.data.size(), is_new ? PartKind::Weight : PartKind::Duplicate,
                      is_new ? own : fmt::format("{} (as {})", own, known->second),
                      user == users.end() ? std::string() : user->second});
  }
  add_ranges(out, std::move(ranges), file.size(), PartKind::Padding, "weights.safetensors: alignment");
}

}  // namespace

const char* name_of(PartKind kind) {
  switch (kind) {
    case PartKind::Weight: return "weights";
    case PartKind::Duplicate: return "duplicates";
    case PartKind::Kernel: return "kernels";
    case PartKind::Code: return "code images besides";
    case PartKind::Program: return "program";
    case PartKind::Manifest: return "manifest";
    case PartKind::Padding: return "alignment";
    case PartKind::Archive: return "headers";
    case PartKind::Other: return "other entries";
  }
  return "";
}

std::vector<SizePart> sizes_of(const io::Bytes& artifact, const io::JsonValue& manifest, const Graph& graph) {
  const io::ZipReader zip = taken(io::ZipReader::open(artifact));
  std::vector<io::ZipEntry> entries = zip.entries();
  std::ranges::sort(entries, {}, &io::ZipEntry::offset);
  constexpr uint64_t kLocalHeader = 30;  // bytes before an entry's name
  std::vector<SizePart> out;
  uint64_t at = 0;
  for (const io::ZipEntry& e : entries) {
    const uint64_t header = std::min(kLocalHeader + e.name.size(), e.offset - at);
    out.push_back({PartKind::Archive, e.name + ": zip header", {}, header});
    if (const uint64_t gap = e.offset - at - header; gap > 0)
      out.push_back({PartKind::Padding, "before " + e.name, {}, gap});
    const io::Bytes data = taken(zip.read(e));
    if (e.name == "manifest.json")
      out.push_back({PartKind::Manifest, e.name, {}, e.size});
    else if (e.name == "program.bin")
      add_program(out, data);
    else if (e.name == "weights.safetensors")
      add_weights(out, data, manifest, graph);
    else if (e.name.starts_with("code/"))
      add_code(out, e.name, data);
    else
      out.push_back({PartKind::Other, e.name, {}, e.size});
    at = e.offset + e.size;
  }
  out.push_back({PartKind::Archive, "zip directory", {}, artifact.size() - at});
  return out;
}

}  // namespace sunmao::view
