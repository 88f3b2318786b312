// The pass `lower-sizes`: shows what bytecode does with sizes before a function's kernels run. The function begins with
// casts of the parameters that sizes come from, casts that compare the sizes which later casts relate, and the sizes
// that are computed. Its other bindings stay, and its meaning.
#include <algorithm>
#include <iterator>

#include "ir/builder.h"
#include "ir/walk.h"
#include "passes/analysis/size_pairs.h"
#include "passes/passes.h"
#include "sym/analyzer.h"
#include "sym/equal.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

/// Collects the sizes that expressions state, in order.
class StatedSizes final : public Visitor {
 public:
  std::vector<Scalar> found;
  using Visitor::visit;

  void type(const Type& t) {
    if (const auto* tuple = find<TupleType>(t))
      for (const Type& field : tuple->fields) type(field);
    if (const auto* tensor = find<TensorType>(t); tensor && tensor->dims()) add(*tensor->dims());
    if (const auto* shape = find<ShapeType>(t); shape && shape->values) add(*shape->values);
    const auto* number = find<PrimType>(t);
    if (number && number->value && number->dtype == DType::int_(64)) found.push_back(number->value);
  }

 private:
  void visit(const Function&) override {}
  void visit(const Call& call) override {
    Visitor::visit(call);
    type(call.type);
  }
  void visit(const Binding& b) override {
    if (!b.is_match_cast()) Visitor::visit(b);
    type(b.var->type);
  }
  void visit_leaf(const Expr& e) override {
    if (find<ShapeExpr>(e) || find<PrimValue>(e)) type(e->type);
  }

  void add(const std::vector<Scalar>& sizes) { std::ranges::copy(sizes, std::back_inserter(found)); }
};

class EntryWriter {
 public:
  explicit EntryWriter(const Function& f) : function_(f) {}

  /// Returns the bindings of the entry part.
  std::vector<Binding> run() {
    for (const Ref<Var>& p : function_.params) show_source(p);
    for (const Ref<BindingBlock>& block : function_.body->blocks)
      for (const Binding& b : block->bindings)
        if (b.is_match_cast()) show_relations(b);
    StatedSizes sizes;
    sizes.visit(Expr(function_.body));
    for (const Scalar& size : sizes.found) show_computed(size);
    return std::move(out_);
  }

 private:
  // Sizes that are numbers stand in the function's type, and are checked there.
  void show_source(const Ref<Var>& param) {
    const std::vector<Ref<SymVar>> symbols = free_symbols(param->type);
    if (symbols.empty()) return;
    known_.insert(symbols.begin(), symbols.end());
    out_.push_back({Var::make(param->name, param->type), param, param->type, param->span});
  }

  void show_relations(const Binding& cast) {
    std::vector<Scalar> expected, given;
    for (const SizePair& pair : size_pairs(cast.cast_type, cast.value->type).value_or(std::vector<SizePair>())) {
      const Ref<SymVar> symbol = find_ref<SymVar>(pair.expected);
      const bool says_symbol = symbol && !known_.contains(symbol);
      if (!is_known(pair.given) || !(says_symbol || is_known(pair.expected)) || is_stated(pair)) continue;
      if (says_symbol) known_.insert(symbol);
      stated_.push_back(pair);
      expected.push_back(pair.expected);
      given.push_back(pair.given);
    }
    if (expected.empty()) return;
    const Type type = ShapeType::make(std::move(expected));
    out_.push_back({Var::make(cast.var->name, type), ShapeExpr::make(std::move(given), cast.span), type, cast.span});
  }

  bool is_stated(const SizePair& pair) const {
    return structural_equal(pair.expected, pair.given) || std::ranges::any_of(stated_, [&](const SizePair& p) {
             return structural_equal(p.expected, pair.expected) && structural_equal(p.given, pair.given);
           });
  }

  // A size that uses what data decides in this function is computed where that is known.
  bool is_known(const Scalar& size) const {
    return std::ranges::all_of(free_symbols(size), [&](const Ref<SymVar>& s) { return known_.contains(s); });
  }

  void show_computed(const Scalar& size) {
    const Scalar value = analyzer_.simplify(size);
    const auto is_same = [&](const Scalar& other) { return structural_equal(other, value); };
    if (find_int(value) || find<SymVar>(value) || !is_known(value) || std::ranges::any_of(computed_, is_same)) return;
    computed_.push_back(value);
    const Expr number = PrimValue::make(value);
    out_.push_back({Var::make("size", number->type), number, nullptr, function_.span});
  }

  const Function& function_;
  std::vector<Binding> out_;
  std::unordered_set<Ref<SymVar>> known_;
  std::vector<SizePair> stated_;
  std::vector<Scalar> computed_;
  Analyzer analyzer_;
};

Ref<Function> with_entry_part(const Ref<Function>& f) {
  std::vector<Binding> entry = EntryWriter(*f).run();
  if (entry.empty()) return f;
  std::vector<Ref<BindingBlock>> own = f->body->blocks;
  if (!own.empty() && !own[0]->is_dataflow) {
    std::ranges::copy(own[0]->bindings, std::back_inserter(entry));
    own.erase(own.begin());
  }
  std::vector<Ref<BindingBlock>> blocks{BindingBlock::make(std::move(entry), f->span)};
  std::ranges::copy(own, std::back_inserter(blocks));
  const Ref<SeqExpr> body = SeqExpr::make(std::move(blocks), f->body->body, f->body->span);
  return Function::make(f->params, body, f->result_type, f->is_pure, f->attrs, f->span);
}

}  // namespace

Module lower_sizes(const Module& m, const PassContext&) {
  return map_functions(m, [](const Ref<Function>& f) { return with_entry_part(f); });
}

}  // namespace sunmao
