#include "compiler/arithmetic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "compiler/manifest_count.h"

namespace sunmao {
namespace {

/// The symbols of a function's inputs and their ranges.
std::map<std::string, sunmao_dim, std::less<>> symbols_of(const sunmao_model* model, size_t function) {
  std::map<std::string, sunmao_dim, std::less<>> out;
  sunmao_value_info info;
  for (size_t input = 0; sunmao_input_info(model, function, input, &info) == 0; ++input) {
    const sunmao_dim* held = nullptr;
    const size_t count = sunmao_input_sizes(model, function, input, &held);
    for (const std::span<const sunmao_dim> dims : {std::span(info.dims, static_cast<size_t>(info.ndim)), {held, count}})
      for (const sunmao_dim& d : dims)
        if (d.symbol) out.try_emplace(d.symbol, d);
  }
  return out;
}

using SizeOf = std::function<std::optional<int64_t>(const sunmao_dim&)>;

/// Returns nothing when a count names a symbol that is no input's, or that has no such size.
std::optional<Arithmetic> arithmetic_at(const io::JsonValue& counts,
                                        const std::map<std::string, sunmao_dim, std::less<>>& symbols,
                                        const SizeOf& size_of) {
  Arithmetic out;
  const auto size_named = [&](std::string_view name) -> std::optional<int64_t> {
    const auto found = symbols.find(name);
    const std::optional<int64_t> size = found == symbols.end() ? std::nullopt : size_of(found->second);
    if (size) out.sizes.insert_or_assign(std::string(name), *size);
    return size;
  };
  for (const io::JsonMember entry : counts.members()) {
    const std::optional<double> count = count_of(entry.value, size_named);
    if (!count) return std::nullopt;
    out.flops_on.emplace(entry.key, *count);
  }
  return out.flops_on.empty() ? std::nullopt : std::optional(std::move(out));
}

std::string sizes_text(const Arithmetic& a) {
  std::vector<std::string> sizes;
  for (const auto& [name, size] : a.sizes) sizes.push_back(fmt::format("{}={}", name, size));
  return fmt::format("{}", fmt::join(sizes, ", "));
}

}  // namespace

std::vector<Arithmetic> arithmetic_of(const sunmao_model* model, const io::JsonValue& manifest, size_t function) {
  const io::JsonValue counts = manifest["flops_on"][sunmao_function_name(model, function)];
  const auto symbols = symbols_of(model, function);
  const auto smallest = [](const sunmao_dim& d) { return std::optional(std::max<int64_t>(d.minimum, 1)); };
  const auto largest = [](const sunmao_dim& d) {
    return d.maximum == INT64_MAX ? std::nullopt : std::optional(d.maximum);
  };
  std::vector<Arithmetic> out;
  for (const SizeOf& size_of : {SizeOf(smallest), SizeOf(largest)})
    if (std::optional<Arithmetic> a = arithmetic_at(counts, symbols, size_of);
        a && (out.empty() || a->sizes != out.back().sizes))
      out.push_back(std::move(*a));
  return out;
}

std::string arithmetic_text(const std::vector<Arithmetic>& arithmetic) {
  std::string out, last;
  for (const Arithmetic& a : arithmetic) {
    const std::string shares = shares_text(a.flops_on);
    if (out.empty())
      out = shares;
    else
      out += shares == last ? " and" : "; " + shares;
    if (!a.sizes.empty()) out += fmt::format(" at {}", sizes_text(a));
    last = shares;
  }
  return out;
}

std::string shares_text(const std::map<std::string, double>& parts) {
  constexpr double kWorthNaming = 0.005;
  std::vector<std::pair<std::string, double>> sorted(parts.begin(), parts.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, double>::second);
  double all = 0;
  for (const auto& [name, count] : sorted) all += count;
  std::string out;
  for (const auto& [name, count] : sorted)
    if (count > 0 && count >= kWorthNaming * all)
      out += fmt::format("{}{} {:.0f} %", out.empty() ? "" : ", ", name, 100 * count / all);
  return out;
}

void write_arithmetic(io::JsonWriter& w, const sunmao_model* model, const io::JsonValue& manifest) {
  w.key("arithmetic").begin_object();
  for (size_t f = 0; f < sunmao_function_count(model); ++f) {
    const std::vector<Arithmetic> arithmetic = arithmetic_of(model, manifest, f);
    if (arithmetic.empty()) continue;
    w.key(sunmao_function_name(model, f)).begin_array();
    for (const Arithmetic& a : arithmetic) {
      w.begin_object().key("sizes").begin_object();
      for (const auto& [name, size] : a.sizes) w.key(name).value(size);
      w.end_object().key("flops_on").begin_object();
      for (const auto& [name, count] : a.flops_on) w.key(name).value(count);
      w.end_object().end_object();
    }
    w.end_array();
  }
  w.end_object();
}

}  // namespace sunmao
