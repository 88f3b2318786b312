#include "cli/run_inputs.h"

#include <algorithm>
#include <cstring>

#include "cli/npy.h"
#include "cli/option_values.h"
#include "compiler/tensor_file.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao::cli {
namespace {

constexpr std::string_view kTensors = ".safetensors";

std::string list_of_names(const std::vector<InputInfo>& infos) {
  std::string out;
  for (const InputInfo& i : infos) out += fmt::format("{}`{}`", out.empty() ? "" : ", ", i.name);
  return out;
}

void check_symbols(const std::vector<InputInfo>& infos, const InputRequest& request) {
  std::vector<std::string> symbols;
  for (const InputInfo& i : infos)
    for (const std::vector<InputDim>& dims : {i.dims, i.sizes})
      for (const InputDim& d : dims)
        if (!d.symbol.empty()) symbols.push_back(d.symbol);
  for (const auto& [name, size] : request.sizes)
    if (std::ranges::find(symbols, name) == symbols.end())
      fail("E0003", {}, fmt::format("--dim: no input has a dimension named `{}`", name),
           symbols.empty() ? "all dimensions are fixed" : did_you_mean(name, symbols));
}

int64_t size_for(const InputDim& d, const InputRequest& request) {
  if (d.symbol.empty()) return d.size;
  auto asked = request.sizes.find(d.symbol);
  if (asked != request.sizes.end()) return asked->second;
  return std::clamp<int64_t>(1, d.minimum, std::max(d.minimum, d.maximum));
}

HostTensor make_up(const InputInfo& info, size_t index, const InputRequest& request, bool random) {
  std::vector<int64_t> shape;
  for (const InputDim& d : info.dims) shape.push_back(size_for(d, request));
  HostTensor out(info.dtype, std::move(shape));
  if (random) fill_random(out, index + 1);
  for (size_t i = 0; i < info.sizes.size(); ++i) {
    const int64_t size = size_for(info.sizes[i], request);
    std::memcpy(out.data() + i * sizeof(size), &size, sizeof(size));
  }
  return out;
}

// Returns the name of the array for an input in an archive that the input alone is told to come from: that of the
// input, or of the only array.
std::string name_in(const std::string& archive, const InputInfo& info) {
  const std::vector<std::string> names = npz_names(archive);
  for (const std::string& name : {info.name, info.identifier})
    if (std::ranges::find(names, name) != names.end()) return name;
  return names.size() == 1 ? names[0] : info.name;
}

HostTensor from_spec(const InputInfo& info, size_t index, const std::string& spec, const InputRequest& request) {
  if (spec == "random" || spec == "zeros") return make_up(info, index, request, spec == "random");
  if (spec.ends_with(kNpy)) return read_npy(spec);
  if (spec.ends_with(kNpz)) return read_npz(spec, name_in(spec, info));
  const size_t colon = spec.rfind(':');
  const std::string file = spec.substr(0, colon);
  if (colon != std::string::npos && file.ends_with(kNpz)) return read_npz(file, spec.substr(colon + 1));
  if (colon != std::string::npos && file.ends_with(kTensors))
    return HostTensor::copy_of(get_tensor(read_tensors(file), spec.substr(colon + 1), file));
  fail("E0002", {}, fmt::format("--input: `{}` is nothing that `{}` can be taken from", spec, info.name),
       "write random, zeros, file.npy, file.npz, file.npz:array or file.safetensors:tensor");
}

// Splits `name=source`. Names and sources may contain `=`, so the names of the inputs are tried first.
NamedValue split_spec(const std::vector<InputInfo>& infos, const std::string& text) {
  for (const InputInfo& i : infos)
    if (text.starts_with(i.name + "=") && text.size() > i.name.size() + 1)
      return {i.name, text.substr(i.name.size() + 1)};
  return parse_named("--input", text);
}

const InputInfo& find_input(const std::vector<InputInfo>& infos, const std::string& name) {
  for (const auto field : {&InputInfo::name, &InputInfo::identifier})
    if (auto found = std::ranges::find(infos, name, field); found != infos.end()) return *found;
  std::vector<std::string> names;
  for (const InputInfo& i : infos) names.push_back(i.name);
  const std::string close = did_you_mean(name, names);
  fail("E0003", {}, fmt::format("--input: there is no input `{}`", name),
       fmt::format("the inputs are {}{}{}", list_of_names(infos), close.empty() ? "" : "; ", close));
}

std::map<std::string, std::string> parse_specs(const std::vector<InputInfo>& infos, const InputRequest& request) {
  std::map<std::string, std::string> specs;
  for (const std::string& text : request.inputs) {
    const auto [given, spec] = split_spec(infos, text);
    const std::string& name = find_input(infos, given).name;
    if (!specs.emplace(name, spec).second) fail("E0002", {}, fmt::format("--input: `{}` is given twice", name));
  }
  return specs;
}

}  // namespace

const Array& get_tensor(const Weights& tensors, const std::string& name, const std::string& file) {
  auto found = tensors.find(name);
  if (found != tensors.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, data] : tensors) names.push_back(known);
  std::string help = did_you_mean(name, names);
  constexpr size_t kShown = 8;
  if (help.empty()) {
    const bool is_long = names.size() > kShown;
    names.resize(std::min(names.size(), kShown));
    help = fmt::format("it has {}{}", fmt::join(names, ", "), is_long ? " …" : "");
  }
  fail("E0012", {}, fmt::format("`{}` has no tensor `{}`", file, name), help);
}

std::vector<HostTensor> make_inputs(const std::vector<InputInfo>& infos, const InputRequest& request) {
  check_symbols(infos, request);
  const std::map<std::string, std::string> specs = parse_specs(infos, request);
  std::vector<HostTensor> out;
  for (size_t i = 0; i < infos.size(); ++i) {
    auto spec = specs.find(infos[i].name);
    if (spec != specs.end())
      out.push_back(from_spec(infos[i], i, spec->second, request));
    else if (request.recording)
      out.push_back(HostTensor::copy_of(
          get_tensor(*request.recording, fmt::format("{}input.{}", request.prefix, i), request.recording_name)));
    else
      out.push_back(make_up(infos[i], i, request, true));
  }
  return out;
}

}  // namespace sunmao::cli
