#include "runtime/weight_loader.h"

#include <algorithm>
#include <iterator>

#include "io/concat.h"
#include "runtime/element_type.h"
#include "runtime/instruction.h"

namespace sunmao::runtime {
namespace {

using abi::Opcode;
using io::concat;
using io::quoted;
using io::Status;

constexpr const char* kOtherWeights = "these are the weights of another model, or of another version of this one";

}  // namespace

bool is_weight(const io::StoredTensor& tensor, const ProgramTables& tables, uint32_t weight) {
  const abi::WeightRecord& record = tables.weights[weight];
  const io::StoredForm form = io::form_in_safetensors(record.type, tables.shape(record));
  return same_type(tensor.type, form.type) && tensor.shape == form.shape;
}

WeightLoader::WeightLoader(const Program& program, const WeightSources& sources)
    : program_(program), sources_(sources), used_by_(program.function_count()) {
  const size_t count = program.tables().weights.size();
  is_constant_.assign(count, true);
  is_needed_.assign(count, false);
  is_made_now_.assign(count, false);
  is_made_of_given_.assign(count, false);
  given_.assign(count, nullptr);
  match_given();
  note_uses();
  choose_makers();
}

void WeightLoader::match_given() {
  if (!sources_.given) return;
  const ProgramTables& tables = program_.tables();
  std::vector<io::WeightName> names;
  for (const abi::WeightRecord& weight : tables.weights) {
    io::WeightName& name = names.emplace_back(io::WeightName{tables.text(weight.name), {}});
    if (!sources_.names) continue;
    if (const auto own = sources_.names->find(name.identifier); own != sources_.names->end()) name.own = own->second;
  }
  std::vector<std::string_view> there;
  for (const io::StoredTensor& tensor : sources_.given->tensors()) there.push_back(tensor.name);
  const io::MatchedWeights found = io::match_weights(names, there);
  for (size_t i = 0; i < given_.size(); ++i)
    if (found.tensor_of[i]) given_[i] = &sources_.given->tensors()[*found.tensor_of[i]];
  for (const size_t tensor : found.unknown) unknown_.push_back(there[tensor]);
}

void WeightLoader::note_uses() {
  for (size_t i = 0; i < program_.function_count(); ++i) {
    const FunctionView f = program_.function(i);
    const auto note = [this](const abi::ValueRecord& value) {
      if (binds_weight(value)) is_constant_[value.weight] = false;
    };
    std::for_each(f.params.begin(), f.params.end(), note);
    std::for_each(f.results.begin(), f.results.end(), note);
    for (const abi::ValueRecord& param : f.params)
      if (binds_weight(param)) used_by_[i].push_back(param.weight);
    for (size_t at = 0; at < f.words.size(); at += length_of(f.words[at]))
      if (opcode_of(f.words[at]) == Opcode::Constant) used_by_[i].push_back(f.words[at + 2]);
  }
}

void WeightLoader::need(size_t function) {
  for (const uint32_t weight : used_by_[function]) is_needed_[weight] = true;
}

// Determines which makers have to run. Makers follow all other functions, each before the makers that use its
// results. Visited in reverse, the uses of a maker's results are known before the maker itself is reached.
void WeightLoader::choose_makers() {
  for (size_t i = program_.function_count(); i-- > 0;)
    if (!program_.function(i).makes_weights()) need(i);
  for (const abi::StateRecord& state : program_.tables().states)
    if (state.weight != abi::kNone) is_needed_[state.weight] = true;
  is_kept_ = is_needed_;
  note_raw();
  for (size_t i = program_.function_count(); i-- > 0;) {
    const FunctionView f = program_.function(i);
    if (f.is_inner) continue;
    if (!f.makes_weights()) break;
    const bool is_wanted = std::any_of(f.results.begin(), f.results.end(), [this](const abi::ValueRecord& result) {
      return is_needed_[result.weight] && !find(result.weight);
    });
    if (!is_wanted) continue;
    for (const abi::ValueRecord& result : f.results) {
      is_made_now_[result.weight] = true;
      made_.push_back(result.weight);
    }
    makers_.insert(makers_.begin(), i);
    need(i);
  }
}

void WeightLoader::note_raw() {
  if (!sources_.given) return;
  const auto is_raw = [&](uint32_t weight) {
    if (is_kept_[weight] || is_constant_[weight]) return false;
    return is_made_of_given_[weight] || given_[weight] != nullptr;
  };
  for (size_t i = 0; i < program_.function_count(); ++i) {
    const FunctionView f = program_.function(i);
    if (!f.makes_weights() || std::none_of(used_by_[i].begin(), used_by_[i].end(), is_raw)) continue;
    for (const abi::ValueRecord& result : f.results) is_made_of_given_[result.weight] = true;
  }
}

const io::StoredTensor* WeightLoader::find(uint32_t weight) const {
  const std::string_view name = program_.tables().text(program_.tables().weights[weight].name);
  const auto in = [name](const std::optional<io::SafetensorsReader>& file) {
    return file ? file->find(name) : nullptr;
  };
  if (given_[weight] && !is_made_of_given_[weight]) return given_[weight];
  if (const io::StoredTensor* found = in(sources_.cached)) return found;
  return !sources_.given || is_constant_[weight] ? in(sources_.own) : nullptr;
}

std::string WeightLoader::describe(uint32_t weight) const {
  const abi::WeightRecord& record = program_.tables().weights[weight];
  return to_string(record.type) + " " + to_string(program_.tables().shape(record));
}

Status WeightLoader::check(uint32_t weight, const io::StoredTensor& tensor) const {
  if (is_weight(tensor, program_.tables(), weight)) return {};
  const std::string got = to_string(tensor.type) + " " + to_string(std::span<const int64_t>(tensor.shape));
  return Status::error("E0860", concat("weights: ", quoted(tensor.name), " is ", got, ", expected ", describe(weight)),
                       kOtherWeights);
}

Status WeightLoader::check_missing() const {
  constexpr size_t kShown = 4;
  std::vector<std::string_view> missing;
  std::string list;
  for (uint32_t i = 0; i < is_needed_.size(); ++i) {
    if (!is_to_be_found(i) || find(i)) continue;
    if (!sources_.given && !sources_.own)
      return Status::error("E0862", "the artifact was made without weights",
                           "give a safetensors file with the weights when loading it");
    std::string_view name = program_.tables().text(program_.tables().weights[i].name);
    if (sources_.names)
      if (const auto own = sources_.names->find(name); own != sources_.names->end()) name = own->second;
    missing.push_back(name);
    if (missing.size() <= kShown)
      list += concat(list.empty() ? "" : ", ", "no ", quoted(name), ", expected ", describe(i));
  }
  if (missing.empty()) return {};
  if (missing.size() > kShown) list += concat(", and ", missing.size() - kShown, " more are missing");
  const std::string close = io::closest_names(missing, unknown_);
  return Status::error("E0860", concat("weights: there is ", list), close.empty() ? kOtherWeights : close);
}

Status WeightLoader::load(Weights& weights) const {
  SUNMAO_TRY(check_missing());
  for (uint32_t i = 0; i < is_needed_.size(); ++i) {
    if (!is_to_be_found(i)) continue;
    const io::StoredTensor* tensor = find(i);
    SUNMAO_TRY(check(i, *tensor));
    // Kernels accept any tensor aligned to its element size; weights that entry functions read are worth a copy to full
    // alignment.
    const uint64_t element = std::max<uint64_t>(1, tensor->type.bits / 8);
    SUNMAO_TRY(weights.use({i, tensor->data, is_kept_[i] ? kStorageAlignment : element}));
  }
  return {};
}

std::vector<uint32_t> WeightLoader::made_to_keep() const {
  std::vector<uint32_t> out;
  std::copy_if(made_.begin(), made_.end(), std::back_inserter(out), [this](uint32_t w) { return is_kept_[w]; });
  return out;
}

std::vector<uint32_t> WeightLoader::passing() const {
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < is_kept_.size(); ++i)
    if (!is_kept_[i]) out.push_back(i);
  return out;
}

}  // namespace sunmao::runtime
