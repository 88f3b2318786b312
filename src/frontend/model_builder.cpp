#include "frontend/model_builder.h"

#include <algorithm>
#include <utility>

#include "frontend/shapes.h"
#include "io/concat.h"
#include "ir/source_names.h"
#include "ir/walk.h"
#include "support/diagnostic.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

constexpr size_t kNamesInNote = 5;

/// Fails for numbers whose products the inference of types could not hold.
void check_numbers(const std::string& name, const AttrValue& value, const Span& span) {
  if (const AttrList* list = value.find<AttrList>())
    for (const AttrValue& element : *list) check_numbers(name, element, span);
  const int64_t* number = value.find<int64_t>();
  if (number && (*number > kLargestSize || *number < -kLargestSize))
    fail("E0203", span, fmt::format("`{}` is {}", name, *number), fmt::format("it is at most {}", kLargestSize));
}

void check_dims(const Type& type, const Span& span) {
  if (const auto* tuple = find<TupleType>(type))
    for (const Type& field : tuple->fields) check_dims(field, span);
  const auto* tensor = find<TensorType>(type);
  if (!tensor || !tensor->dims()) return;
  for (const Scalar& d : *tensor->dims())
    if (find_int(d) && *find_int(d) > kLargestSize)
      fail("E0309", span, fmt::format("a dimension is {}", *find_int(d)),
           fmt::format("it is at most {}", kLargestSize));
}

}  // namespace

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

bool has_open_sizes(const Expr& e) {
  const auto* tensor = find<TensorType>(e->type);
  return tensor && !tensor->dims() && tensor->rank != kUnknownRank && !tensor->is_unknown_dtype();
}

ModelBuilder::ModelBuilder(const OpTable& ops, const std::string& file_name)
    : ops_(ops), source_(Source::make(file_name, "")) {
  reserve_words(names_);
}

Span ModelBuilder::span(std::string label) const { return SpanNode::make(source_, 0, 0, 0, std::move(label)); }

Ref<SymVar> ModelBuilder::symbol(const std::string& name) {
  Ref<SymVar>& var = symbols_[name];
  if (!var) {
    var = SymVar::make(names_.fresh(identifier(name)));
    analyzer_.assume(var, {0, Interval::kMax});
  }
  return var;
}

Scalar ModelBuilder::size_of(const std::string& name) {
  auto it = defined_.find(name);
  return it == defined_.end() ? Scalar(symbol(name)) : it->second;
}

void ModelBuilder::set_range(const std::string& symbol, std::optional<int64_t> lower, std::optional<int64_t> upper) {
  auto it = symbols_.find(symbol);
  if (it != symbols_.end()) set_range(it->second, lower, upper);
}

void ModelBuilder::set_range(const Ref<SymVar>& symbol, std::optional<int64_t> lower, std::optional<int64_t> upper) {
  analyzer_.assume(symbol, {std::max<int64_t>(lower.value_or(0), 0), upper.value_or(Interval::kMax)});
  if (lower) lower_[symbol->name] = *lower;
  if (upper) upper_[symbol->name] = *upper;
}

void ModelBuilder::assume(const std::map<std::string, Interval>& ranges) {
  for (const auto& [name, symbol] : symbols_)
    if (const auto range = ranges.find(symbol->name); range != ranges.end()) analyzer_.assume(symbol, range->second);
}

bool ModelBuilder::is_sized_by_inputs(const Scalar& size) const {
  return std::ranges::all_of(free_symbols(size),
                             [this](const Ref<SymVar>& symbol) { return sizes_of_inputs_.contains(symbol); });
}

Expr ModelBuilder::add_input(const std::string& name, const std::string& variable, Type type, Span span) {
  check_dims(type, span);
  inputs_.push_back(Var::make(variable, std::move(type), std::move(span)));
  if (inputs_.back()->name != name && is_text(name)) input_names_[inputs_.back()->name] = name;
  for (const Ref<SymVar>& symbol : defined_symbols(inputs_.back()->type)) sizes_of_inputs_.insert(symbol);
  known_.note_input(inputs_.back());
  return inputs_.back();
}

Expr ModelBuilder::add_weight(const std::string& name, Array data, Span span, Content content) {
  Identity identity{data.data(), data.dtype(), data.shape()};
  if (data.size_bytes() > 0)
    if (auto it = by_data_.find(identity); it != by_data_.end()) return it->second;
  std::vector<Scalar> dims;
  for (int64_t d : data.shape()) dims.push_back(int_imm(d));
  Type type = TensorType::make(std::move(dims), data.dtype());
  Ref<Var> var = Var::make(names_.fresh(identifier(name)), std::move(type), std::move(span));
  by_data_.emplace(std::move(identity), var);
  if (content == Content::Fixed) known_.note_weight(var, data);
  weights_.push_back({var, name, std::move(data)});
  return var;
}

void ModelBuilder::add_state(const Expr& weight, const Expr& next) {
  states_.push_back({find_ref<Var>(weight), leaf(next)});
}

bool ModelBuilder::is_state(const Ref<Var>& var) const {
  return std::ranges::find(states_, var, &State::var) != states_.end();
}

Expr ModelBuilder::call(std::string_view op, std::vector<Expr> args, AttrMap attrs, const Span& span) {
  for (const auto& [name, value] : attrs) check_numbers(name, value, span);
  Expr made = Call::make(ops_.get(op, span), std::move(args), Attrs(std::move(attrs)), {}, span);
  check_dims(made->type, span);
  return made;
}

Expr ModelBuilder::emit(const Expr& value, const std::string& name, bool is_dataflow, const EmitOptions& options) {
  if (!options.cast && options.names_sizes && names_sizes_ && has_open_sizes(value))
    return emit_sized(value, name, is_dataflow, {});
  std::string unique = names_.fresh(name);
  const Type& type = options.cast ? options.cast : value->type;
  Ref<Var> var = is_dataflow ? Var::make_dataflow(unique, type, value->span) : Var::make(unique, type, value->span);
  if (options.cast)
    known_.note_input(var);
  else
    known_.note_binding(var, value);
  binding_of_.emplace(var, bindings_.size());
  bindings_.push_back({Binding{var, value, options.cast, value->span}, node_, options.defines_sizes});
  return var;
}

Expr ModelBuilder::checked(const Expr& value, const Type& type) {
  for (const Ref<SymVar>& symbol : defined_symbols(type))
    if (sizes_of_inputs_.insert(symbol).second) sizes_of_data_.push_back(symbol);
  const auto* source = find<Var>(value);
  return emit(value, source ? source->name : "check", true, {.cast = type});
}

void ModelBuilder::require_equal(const Scalar& size, const Scalar& expected, const Span& span) {
  if (can_prove(Binary::make(BinaryOp::Eq, size, expected))) return;
  checked(ShapeExpr::make({size}, span), ShapeType::make({expected}, span));
}

Expr ModelBuilder::leaf(const Expr& e) {
  if (is_leaf(e)) return e;
  Expr& var = bound_[e];
  if (!var) {
    Expr made = emit(with_leaf_operands(e), "lv", true);
    return bound_[e] = made;  // `var` may have moved: operands were bound meanwhile
  }
  return var;
}

Expr ModelBuilder::with_leaf_operands(const Expr& e) {
  const auto leaves = [this](const std::vector<Expr>& operands) {
    std::vector<Expr> out;
    for (const Expr& operand : operands) out.push_back(leaf(operand));
    return out;
  };
  if (const auto* call = find<Call>(e)) return call->with_args(leaves(call->args));
  if (const auto* tuple = find<Tuple>(e)) return Tuple::make(leaves(tuple->fields), tuple->span);
  if (const auto* item = find<TupleGetItem>(e)) return TupleGetItem::make(leaf(item->tuple), item->index, item->span);
  return e;
}

Expr ModelBuilder::bind(const Expr& value, const std::string& name, Place place) {
  if (is_leaf(value)) return value;
  if (auto it = bound_.find(value); it != bound_.end() && it->second) return it->second;
  const Expr flat = with_leaf_operands(value);
  return bound_[value] = emit(flat, identifier(name), place == Place::Inside);
}

Expr ModelBuilder::visible(const Expr& value) {
  const Expr e = leaf(value);
  const auto* var = find<Var>(e);
  return var && !var->is_dataflow ? e : emit(e, "gv", false);
}

void ModelBuilder::use_function(const Ref<GlobalVar>& name, const Ref<BaseFunc>& function) {
  const bool is_there = std::ranges::any_of(functions_, [&](const FunctionEntry& e) { return e.var == name; });
  if (!is_there) functions_.push_back({name, function});
}

void ModelBuilder::forget_since(Moment moment) {
  for (size_t i = moment.bindings; i < bindings_.size(); ++i) binding_of_.erase(bindings_[i].binding.var);
  bindings_.erase(bindings_.begin() + static_cast<std::ptrdiff_t>(moment.bindings), bindings_.end());
  account_.resize(moment.nodes);
  functions_.erase(functions_.begin() + static_cast<std::ptrdiff_t>(moment.functions), functions_.end());
  nodes_of_bodies_.resize(moment.nodes_of_bodies);
  node_ = moment.node;
  bound_ = std::move(moment.bound);
  common_sizes_ = std::move(moment.common_sizes);
}

ModelBuilder::Body::Body(ModelBuilder& builder)
    : builder_(builder), bindings_(std::exchange(builder.bindings_, {})),
      binding_of_(std::exchange(builder.binding_of_, {})), bound_(builder.bound_), size_names_(builder.size_names_),
      common_sizes_(builder.common_sizes_) {}

ModelBuilder::Body::Body(ModelBuilder& builder, const Moment& seen) : Body(builder) {
  builder.bound_ = seen.bound;
  builder.common_sizes_ = seen.common_sizes;
}

void ModelBuilder::Body::close() {
  if (!std::exchange(is_open_, false)) return;
  for (const Bound& b : builder_.bindings_) builder_.nodes_of_bodies_.push_back(b.node);
  builder_.bindings_ = std::move(bindings_);
  builder_.binding_of_ = std::move(binding_of_);
  builder_.bound_ = std::move(bound_);
  builder_.size_names_ = std::move(size_names_);
  builder_.common_sizes_ = std::move(common_sizes_);
}

std::vector<Ref<BindingBlock>> ModelBuilder::Body::blocks() const {
  std::vector<Binding> bindings;
  for (const Bound& b : builder_.bindings_) bindings.push_back(b.binding);
  if (bindings.empty()) return {};
  return {BindingBlock::make_dataflow(std::move(bindings))};
}

Ref<SeqExpr> ModelBuilder::Body::finish(std::vector<Expr> results, const Span& span) {
  for (Expr& e : results) e = builder_.visible(e);
  Expr result = results.size() == 1 ? results[0] : Tuple::make(std::move(results), span);
  Ref<SeqExpr> body = SeqExpr::make(blocks(), std::move(result), span);
  close();
  return body;
}

void ModelBuilder::mark_read(const Expr& e) {
  for (const Ref<Var>& var : free_vars(e)) read_.insert(var);
}

std::optional<SymbolicTensor> ModelBuilder::elements(const Expr& e) {
  std::optional<SymbolicTensor> known = known_.elements(e);
  if (!known) return std::nullopt;
  mark_read(e);
  for (Scalar& s : known->elements) s = simplify(s);
  return known;
}

std::optional<Array> ModelBuilder::data(const Expr& e) {
  std::optional<Array> known = known_.data(e);
  if (known) mark_read(e);
  return known;
}

void ModelBuilder::begin_node(std::string label, std::string op) {
  node_ = account_.size();
  account_.push_back({.label = std::move(label), .op = std::move(op), .reason = {}});
}

void ModelBuilder::note_folded(std::string label, std::string op, std::string reason) {
  account_.push_back(
      {.label = std::move(label), .op = std::move(op), .fate = Fate::Folded, .reason = std::move(reason)});
}

void ModelBuilder::note_inlined(std::string label, std::string op) {
  account_.push_back({.label = std::move(label),
                      .op = std::move(op),
                      .fate = Fate::Inlined,
                      .reason = "the nodes that it calls are read in its place"});
}

Attrs ModelBuilder::function_attrs(const std::vector<const Weight*>& used) const {
  AttrMap names, states,
      attrs{{"global_symbol", "main"}, {"num_input", static_cast<int64_t>(inputs_.size() + states_.size())}};
  for (const Weight* w : used)
    if (is_text(w->original)) (is_state(w->var) ? states : names)[w->var->name] = w->original;
  if (!states_.empty()) attrs["state_names"] = std::move(states);
  if (!names.empty()) attrs[kSourceWeightsAttr] = std::move(names);
  if (!input_names_.empty()) attrs[kSourceInputsAttr] = input_names_;
  if (!nesting_.empty()) attrs[kNestingAttr] = nesting_;
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

Expr ModelBuilder::returned(const std::vector<Expr>& results, ReturnForm form, const Span& span) {
  std::vector<Expr> outputs = results;
  for (const State& s : states_) outputs.push_back(s.next);
  const bool is_one = outputs.size() == 1;
  const bool is_bound = form == ReturnForm::Bound || form == ReturnForm::BoundAgain;
  const bool binds_tuple = form == ReturnForm::BoundTuple || (is_bound && !is_one);
  for (Expr& e : outputs) e = binds_tuple || form == ReturnForm::BoundAgain ? leaf(e) : visible(e);
  if (binds_tuple) return emit(Tuple::make(std::move(outputs), span), "gv", false);
  if (form == ReturnForm::BoundAgain) return emit(outputs[0], "gv", false);
  if (form == ReturnForm::Bound)
    return binding_of_.contains(find_ref<Var>(outputs[0])) ? outputs[0] : emit(outputs[0], "gv", false);
  return is_one && form == ReturnForm::Plain ? outputs[0] : Tuple::make(std::move(outputs), span);
}

Model ModelBuilder::finish(const std::vector<Expr>& results, const std::vector<std::string>& output_names,
                           const std::string& name, std::vector<std::string>* notes, ReturnForm form) {
  node_ = kNoNode;
  Span whole = span(name);
  end_random_state(notes);
  Expr result = returned(results, form, whole);
  std::vector<Binding> live = live_bindings({result});
  std::vector<Ref<BindingBlock>> blocks;
  if (!live.empty()) blocks.push_back(BindingBlock::make_dataflow(std::move(live)));
  Ref<SeqExpr> body = SeqExpr::make(std::move(blocks), std::move(result), whole);

  std::unordered_set<Ref<Var>> needed;
  for (const Ref<Var>& v : free_vars(body)) needed.insert(v);
  std::vector<Ref<Var>> params = inputs_;
  for (const State& s : states_) params.push_back(s.var);
  Model model;
  std::vector<const Weight*> used, dropped;
  for (const Weight& w : weights_) {
    if (is_state(w.var)) {
      model.states.emplace(w.var->name, w.data);
      used.push_back(&w);
    } else if (needed.contains(w.var) || kept_.contains(w.var)) {
      used.push_back(&w);
      params.push_back(w.var);
      model.weights.emplace(w.var->name, w.data);
    } else if (!read_.contains(w.var)) {
      dropped.push_back(&w);
    }
  }
  note_dropped(dropped, notes);
  Attrs attrs = function_attrs(used);
  if (!output_names.empty() && std::ranges::all_of(output_names, is_text))
    attrs = attrs.with(kSourceOutputsAttr, AttrList(output_names.begin(), output_names.end()));
  Ref<Function> main = Function::make(std::move(params), std::move(body), nullptr, true, std::move(attrs), whole);
  model.module = Module().with_function("main", main).with_functions(functions_);
  return model;
}

}  // namespace sunmao
