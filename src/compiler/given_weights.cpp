#include "compiler/given_weights.h"

#include <algorithm>

#include "compiler/preparation.h"
#include "eval/value.h"
#include "io/concat.h"
#include "io/safetensors.h"
#include "io/weight_names.h"
#include "ir/source_names.h"
#include "passes/weights/parameter_stages.h"
#include "passes/weights/weight_dependence.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

using io::quoted;

std::string list(const std::vector<std::string_view>& names) {
  constexpr size_t kShown = 4;
  std::string out;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) out += (i ? ", " : "") + quoted(names[i]);
  return out.empty() ? "no tensors" : out + (names.size() > kShown ? fmt::format(" … ({} in all)", names.size()) : "");
}

// Returns names and types of a function's raw weights: its tensor parameters after the inputs, or those of its first
// transform.
std::vector<std::pair<std::string, Type>> weight_parameters(const Module& module, const std::string& entry) {
  const Ref<Function> f = module.find_as<Function>(entry);
  const std::vector<std::string> stages =
      has_fitting_transforms(entry, module) ? param_transforms(entry, module) : std::vector<std::string>();
  std::vector<std::pair<std::string, Type>> out;
  if (stages.empty()) {
    for (size_t i = *num_input(*f, entry); i < f->params.size(); ++i)
      if (find<TensorType>(f->params[i]->type)) out.emplace_back(f->params[i]->name, f->params[i]->type);
    return out;
  }
  const Ref<Function> transform = module.find_as<Function>(stages[0]);
  const std::vector<std::string> names = names_in(*transform, kWeightNamesAttr);
  const auto& types = find<TupleType>(transform->params[0]->type)->fields;
  for (size_t i = 0; i < std::min(names.size(), types.size()); ++i) out.emplace_back(names[i], types[i]);
  return out;
}

// The names of the tensors and weights in one call of take_weights.
struct Names {
  std::vector<io::WeightName> weights;
  std::vector<std::string_view> tensors;

  std::string_view shown(size_t weight) const {
    return weights[weight].own.empty() ? weights[weight].identifier : weights[weight].own;
  }
  std::vector<std::string_view> shown(const std::vector<size_t>& chosen) const {
    std::vector<std::string_view> out;
    for (size_t i : chosen) out.push_back(shown(i));
    return out;
  }
  std::vector<std::string_view> of_tensors(const std::vector<size_t>& chosen) const {
    std::vector<std::string_view> out;
    for (size_t i : chosen) out.push_back(tensors[i]);
    return out;
  }
  // Returns the identifier of every weight and, where it differs, its name in the model's file.
  std::vector<std::string_view> all() const {
    std::vector<std::string_view> out;
    for (const io::WeightName& w : weights) {
      if (!w.own.empty()) out.push_back(w.own);
      out.push_back(w.identifier);
    }
    return out;
  }
};

// Fails (E0522) when a file has unknown tensors and lacks weights: these are probably the missing weights under wrong
// names.
void check_file(const Names& names, const io::MatchedWeights& found, const std::string& origin) {
  if (found.unknown.empty()) return;
  const std::vector<std::string_view> missing = names.shown(found.missing), unknown = names.of_tensors(found.unknown);
  if (found.missing.size() == names.weights.size())
    fail("E0522", {},
         fmt::format("{} has none of the model's weights: expected {}, got {}", origin, list(missing), list(unknown)),
         "are these the weights of another model?");
  if (found.missing.empty()) return;
  const std::string close = io::closest_names(missing, unknown);
  fail("E0522", {},
       fmt::format("{} lacks weights of the model and has others instead: expected {}, got {}", origin, list(missing),
                   list(unknown)),
       close.empty() ? "a file may hold more than the model needs where it holds all of it" : close);
}

void check_dictionary(const Names& names, const io::MatchedWeights& found, const std::string& origin) {
  if (!found.twice.empty())
    fail("E0522", {},
         fmt::format("{}: {} and {} are the same weight", origin, quoted(names.tensors[found.twice[0].first]),
                     quoted(names.tensors[found.twice[0].second])),
         "give it once, by its name in the model's file or by its identifier");
  if (found.unknown.empty()) return;
  const std::vector<std::string_view> unknown = names.of_tensors(found.unknown);
  const std::string close = io::closest_names(unknown, names.all());
  fail("E0522", {}, fmt::format("{}: the model has no weight {}", origin, list(unknown)),
       close.empty() ? fmt::format("its weights are {}", list(names.shown(found.missing))) : close);
}

// Returns the data as its parameter has it, where a safetensors file holds such a tensor as bytes, having no name for
// the dtype.
Array in_form_of(const Type& type, const Array& data) {
  const auto* t = find<TensorType>(type);
  if (!t || t->is_unknown_dtype() || !t->dims() || data.dtype() != DType::uint(8)) return data;
  std::vector<int64_t> shape;
  for (const Scalar& d : *t->dims())
    if (const int64_t* size = find_int(d)) shape.push_back(*size);
  if (shape.size() != t->dims()->size()) return data;
  const io::StoredForm form =
      io::form_in_safetensors({static_cast<uint8_t>(t->dtype.code), t->dtype.bits, t->dtype.lanes}, shape);
  const bool is_bytes = form.type.code == static_cast<uint8_t>(TypeCode::UInt) && form.type.bits == 8;
  return is_bytes && form.shape == data.shape() ? Array::wrap(t->dtype, shape, data.data(), data.owner()) : data;
}

}  // namespace

std::map<std::string, std::string> own_names(const Module& module) {
  std::map<std::string, std::string> out;
  for (const FunctionEntry& entry : module.functions()) {
    const auto* f = find<Function>(Expr(entry.func));
    const AttrMap* names = f ? f->attr<AttrMap>(kSourceWeightsAttr) : nullptr;
    if (!names) continue;
    for (const auto& [param, name] : *names)
      if (const auto* text = name.find<std::string>(); text && *text != param) out.emplace(param, *text);
  }
  return out;
}

std::vector<ModelWeight> weights_of(const Module& module) {
  const std::map<std::string, std::string> own = own_names(module);
  std::vector<ModelWeight> out;
  std::set<std::string> seen;
  for (const std::string& entry : find_weighted_entries(module))
    for (auto& [name, type] : weight_parameters(module, entry)) {
      if (!seen.insert(name).second) continue;
      const auto known = own.find(name);
      out.push_back({name, known == own.end() ? std::string() : known->second, std::move(type)});
    }
  return out;
}

void check_weight(const std::string& name, const Type& type, const Array& data) {
  const auto* t = find<TensorType>(type);
  bool fits = t && (t->is_unknown_dtype() || t->dtype == data.dtype()) &&
              (t->rank < 0 || t->rank == static_cast<int>(data.shape().size()));
  for (size_t i = 0; fits && t->dims() && i < data.shape().size(); ++i) {
    const int64_t* size = find_int((*t->dims())[i]);
    fits = !size || *size == data.shape()[i];
  }
  if (!fits)
    fail(
        "E0521", type->span,
        fmt::format("the weight `{}` does not fit: expected {}, got a {}", name, describe(type), describe(Value(data))),
        "are these the weights of another model?");
}

void take_weights(Model& model, const GivenWeights& given) {
  const std::vector<ModelWeight> weights = weights_of(model.module);
  Names names;
  std::vector<const Array*> data;
  for (const ModelWeight& w : weights) names.weights.push_back({w.name, w.own});
  for (const auto& [name, array] : given.tensors) {
    names.tensors.push_back(name);
    data.push_back(&array);
  }
  const io::MatchedWeights found = io::match_weights(names.weights, names.tensors);
  if (weights.empty() && !names.tensors.empty())
    fail("E0522", {},
         fmt::format("{} has weights, and the model takes none: got {}", given.origin, list(names.tensors)),
         "`num_input` of a function says how many of its parameters are inputs; those behind are weights");
  if (given.is_file)
    check_file(names, found, given.origin);
  else
    check_dictionary(names, found, given.origin);
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!found.tensor_of[i]) continue;
    const size_t tensor = *found.tensor_of[i];
    Array weight = given.is_file ? in_form_of(weights[i].type, *data[tensor]) : *data[tensor];
    check_weight(std::string(names.tensors[tensor]), weights[i].type, weight);
    model.weights.insert_or_assign(weights[i].name, std::move(weight));
  }
}

}  // namespace sunmao
