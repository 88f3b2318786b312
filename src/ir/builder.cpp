#include "ir/builder.h"

#include <utility>

#include "ir/equal.h"
#include "ir/infer.h"
#include "support/diagnostic.h"

namespace sunmao {

std::string NameSupply::fresh(const std::string& hint, std::string_view separator) {
  auto [it, inserted] = used_.try_emplace(hint, 0);
  if (inserted) return hint;
  std::string name;
  do name = fmt::format("{}{}{}", hint, separator, ++it->second);
  while (used_.contains(name));
  used_[name];
  return name;
}

Expr BlockBuilder::emit(Expr value, const std::string& name) {
  value = normalize(value);
  return is_leaf(value) ? value : bind(std::move(value), nullptr, name, in_dataflow_);
}

Expr BlockBuilder::emit_output(Expr value, const std::string& name) {
  return bind(normalize(value), nullptr, name, false);
}

Expr BlockBuilder::match_cast(Expr value, Type type, const std::string& name) {
  return bind(normalize(value), std::move(type), name, in_dataflow_);
}

Expr BlockBuilder::bind(Expr value, Type cast_type, const std::string& name, bool dataflow) {
  Type type = cast_type ? cast_type : value->type;
  std::string unique = names_.fresh(name);
  Ref<Var> var = dataflow ? Var::make_dataflow(unique, type, value->span) : Var::make(unique, type, value->span);
  Span span = value->span;
  bindings_.push_back(Binding{var, std::move(value), std::move(cast_type), std::move(span)});
  return var;
}

Expr BlockBuilder::normalize_operand(const Expr& e) {
  Expr flat = normalize(e);
  return is_leaf(flat) ? flat : bind(flat, nullptr, "lv", in_dataflow_);
}

Expr BlockBuilder::normalize(const Expr& e) {
  if (const auto* call = find<Call>(e)) {
    std::vector<Expr> args;
    for (const Expr& a : call->args) args.push_back(normalize_operand(a));
    const auto* global = find<GlobalVar>(call->callee);
    Type signature = global && !call->type ? signature_of(module_, *global) : Type();
    Type type = signature ? infer_call(*find<CallableType>(signature), args, call->span, global->name) : Type();
    return call->with_args(std::move(args), type);
  }
  if (const auto* tuple = find<Tuple>(e)) {
    std::vector<Expr> fields;
    for (const Expr& f : tuple->fields) fields.push_back(normalize_operand(f));
    return fields == tuple->fields ? e : Tuple::make(std::move(fields), tuple->span);
  }
  if (const auto* item = find<TupleGetItem>(e)) {
    Expr tuple = normalize_operand(item->tuple);
    return tuple == item->tuple ? e : TupleGetItem::make(tuple, item->index, item->span);
  }
  return e;
}

void BlockBuilder::flush() {
  if (bindings_.empty()) return;
  blocks_.push_back(in_dataflow_ ? BindingBlock::make_dataflow(std::move(bindings_))
                                 : BindingBlock::make(std::move(bindings_)));
  bindings_.clear();
}

void BlockBuilder::begin_dataflow() {
  SUNMAO_CHECK(!in_dataflow_, "dataflow blocks do not nest");
  flush();
  in_dataflow_ = true;
}

void BlockBuilder::end_dataflow() {
  SUNMAO_CHECK(in_dataflow_, "no dataflow block to end");
  flush();
  in_dataflow_ = false;
}

std::vector<Binding> BlockBuilder::take_bindings() { return std::exchange(bindings_, {}); }

Ref<SeqExpr> BlockBuilder::finish_sequence(Expr body, Span span) {
  body = normalize_operand(body);
  flush();
  SUNMAO_CHECK(!in_dataflow_, "the dataflow block is still open");
  Ref<SeqExpr> seq = SeqExpr::make(std::move(blocks_), std::move(body), std::move(span));
  blocks_.clear();
  return seq;
}

Ref<Function> BlockBuilder::finish_function(std::vector<Ref<Var>> params, Expr result, Attrs attrs, bool is_pure,
                                            Span span) {
  Ref<SeqExpr> body = finish_sequence(std::move(result), span);
  return Function::make(std::move(params), std::move(body), nullptr, is_pure, std::move(attrs), std::move(span));
}

Ref<GlobalVar> BlockBuilder::add_function(const std::string& hint, Ref<BaseFunc> func) {
  uint64_t hash = structural_hash(Expr(func));
  for (const Ref<GlobalVar>& var : by_hash_[hash])
    if (Ref<BaseFunc> known = module_.find(var->name); known && structural_equal(Expr(known), Expr(func))) return var;
  std::string name = hint;
  if (module_.find(name)) {
    int& number = function_numbers_[hint];
    do name = hint + std::to_string(++number);
    while (module_.find(name));
  }
  Ref<GlobalVar> var = GlobalVar::make(name);
  put_function(var, std::move(func));
  by_hash_[hash].push_back(var);
  return var;
}

void BlockBuilder::put_function(const Ref<GlobalVar>& var, Ref<BaseFunc> func) {
  module_ = std::move(module_).with_function(var, std::move(func));
}

}  // namespace sunmao
