#include "frontend/model_builder.h"

#include <algorithm>

#include "io/concat.h"
#include "io/utf8.h"
#include "ir/walk.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr size_t kMaxIdentifier = 80;
constexpr size_t kNamesInNote = 5;

// Names that a script cannot use for a variable.
constexpr const char* kReserved[] = {
    "R",        "T",     "I",      "and",  "as",   "assert", "async", "await",    "break", "class",
    "continue", "def",   "del",    "elif", "else", "except", "False", "finally",  "for",   "from",
    "global",   "if",    "import", "in",   "is",   "lambda", "None",  "nonlocal", "not",   "or",
    "pass",     "raise", "return", "True", "try",  "while",  "with",  "yield",    "main",  "cls"};

// True when a name is valid in scripts and in JSON: UTF-8 without control characters.
bool is_text(std::string_view name) {
  return io::is_utf8(name) && std::ranges::none_of(name, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
}

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

std::string identifier(std::string_view name) {
  std::string out;
  for (char c : name.substr(0, kMaxIdentifier)) {
    if (is_alphanumeric(c))
      out += c;
    else if (!out.empty())
      out += '_';
  }
  if (out.empty()) return "v";
  return out[0] >= '0' && out[0] <= '9' ? "_" + out : out;
}

const std::vector<Scalar>* dims_of(const Expr& e) {
  const auto* tensor = find<TensorType>(e->type);
  return tensor ? tensor->dims() : nullptr;
}

DType dtype_of(const Expr& e) {
  const auto* tensor = find<TensorType>(e->type);
  return tensor ? tensor->dtype : DType::void_();
}

int rank_of(const Expr& e) {
  const auto* tensor = find<TensorType>(e->type);
  return tensor ? tensor->rank : kUnknownRank;
}

ModelBuilder::ModelBuilder(const OpTable& ops, const std::string& file_name)
    : ops_(ops), source_(Source::make(file_name, "")) {
  for (const char* word : kReserved) builder_.unique_name(word);
  builder_.begin_dataflow();
}

Span ModelBuilder::span(std::string label) const { return SpanNode::make(source_, 0, 0, 0, std::move(label)); }

Ref<SymVar> ModelBuilder::symbol(const std::string& name) {
  Ref<SymVar>& var = symbols_[name];
  if (!var) {
    var = SymVar::make(builder_.unique_name(identifier(name)));
    analyzer_.assume(var, {0, Interval::kMax});
  }
  return var;
}

void ModelBuilder::set_range(const std::string& symbol, std::optional<int64_t> lower, std::optional<int64_t> upper) {
  auto it = symbols_.find(symbol);
  if (it == symbols_.end()) return;
  analyzer_.assume(it->second, {std::max<int64_t>(lower.value_or(0), 0), upper.value_or(Interval::kMax)});
  if (lower) lower_[it->second->name] = *lower;
  if (upper) upper_[it->second->name] = *upper;
}

Expr ModelBuilder::add_input(const std::string& name, Type type, Span span) {
  inputs_.push_back(Var::make(builder_.unique_name(identifier(name)), std::move(type), std::move(span)));
  if (inputs_.back()->name != name && is_text(name)) input_names_[inputs_.back()->name] = name;
  return inputs_.back();
}

Expr ModelBuilder::add_weight(const std::string& name, Array data, Span span) {
  Identity identity{data.data(), data.dtype(), data.shape()};
  if (data.size_bytes() > 0)
    if (auto it = by_data_.find(identity); it != by_data_.end()) return it->second;
  std::vector<Scalar> dims;
  for (int64_t d : data.shape()) dims.push_back(int_imm(d));
  Type type = TensorType::make(std::move(dims), data.dtype());
  Ref<Var> var = Var::make(builder_.unique_name(identifier(name)), std::move(type), std::move(span));
  by_data_.emplace(std::move(identity), var);
  weights_.push_back({var, name, std::move(data)});
  return var;
}

Expr ModelBuilder::call(std::string_view op, std::vector<Expr> args, AttrMap attrs, const Span& span) {
  return Call::make(ops_.get(op, span), std::move(args), Attrs(std::move(attrs)), {}, span);
}

Expr ModelBuilder::bind(const Expr& value, const std::string& name, Place place) {
  if (is_leaf(value)) return value;
  return place == Place::Output ? builder_.emit_output(value, identifier(name))
                                : builder_.emit(value, identifier(name));
}

Attrs ModelBuilder::function_attrs(const std::vector<const Weight*>& used) const {
  AttrMap names, attrs{{"global_symbol", "main"}, {"num_input", static_cast<int64_t>(inputs_.size())}};
  for (const Weight* w : used)
    if (is_text(w->original)) names[w->var->name] = w->original;
  if (!names.empty()) attrs["weight_names"] = std::move(names);
  if (!input_names_.empty()) attrs["input_names"] = input_names_;
  if (!lower_.empty()) attrs["tir_var_lower_bound"] = lower_;
  if (!upper_.empty()) attrs["tir_var_upper_bound"] = upper_;
  return Attrs(std::move(attrs));
}

void ModelBuilder::note_dropped(const std::vector<const Weight*>& dropped, std::vector<std::string>* notes) const {
  if (!notes || dropped.empty()) return;
  size_t bytes = 0;
  std::string names;
  for (size_t i = 0; i < dropped.size(); ++i) {
    bytes += dropped[i]->data.size_bytes();
    if (i < kNamesInNote) names += (i ? ", " : "") + io::quoted(dropped[i]->original);
  }
  if (dropped.size() > kNamesInNote) names += ", …";
  notes->push_back(fmt::format("dropped {} {} that nothing uses ({} bytes): {}", dropped.size(),
                               dropped.size() == 1 ? "weight" : "weights", bytes, names));
}

Model ModelBuilder::finish(const std::vector<Expr>& results, const std::vector<std::string>& output_names,
                           const std::string& name, std::vector<std::string>* notes) {
  std::vector<Expr> outputs;
  for (const Expr& r : results) {
    const auto* var = find<Var>(r);
    outputs.push_back(var && !var->is_dataflow ? r : builder_.emit_output(r, "gv"));
  }
  builder_.end_dataflow();
  Span whole = span(name);
  Ref<SeqExpr> body = builder_.finish_sequence(outputs.size() == 1 ? outputs[0] : Tuple::make(outputs, whole), whole);

  std::unordered_set<Ref<Var>> needed;
  for (const Ref<Var>& v : free_vars(body)) needed.insert(v);
  std::vector<const Weight*> used, dropped;
  for (const Weight& w : weights_) {
    if (needed.contains(w.var))
      used.push_back(&w);
    else if (!read_.contains(w.var))
      dropped.push_back(&w);
  }

  std::vector<Ref<Var>> params = inputs_;
  Model model;
  for (const Weight* w : used) {
    params.push_back(w->var);
    model.weights.emplace(w->var->name, w->data);
  }
  note_dropped(dropped, notes);
  Attrs attrs = function_attrs(used);
  if (!output_names.empty() && std::ranges::all_of(output_names, is_text))
    attrs = attrs.with("output_names", AttrList(output_names.begin(), output_names.end()));
  Ref<Function> main = Function::make(std::move(params), std::move(body), nullptr, true, std::move(attrs), whole);
  model.module = Module().with_function("main", main);
  return model;
}

}  // namespace sunmao
