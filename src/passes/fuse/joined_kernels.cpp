#include "passes/fuse/joined_kernels.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/copy.h"
#include "ir/op.h"
#include "loop/builder.h"
#include "loop/join_kernels.h"
#include "loop/walk.h"
#include "passes/fuse/kernel_callee.h"
#include "support/diagnostic.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

// What a variable of the graph level is in the loop-level function: a buffer, a scalar, or a tuple of these.
struct Value {
  Ref<Buffer> buffer = {};
  Scalar scalar = {};
  std::vector<Value> fields = {};
};

class DistinctBlocks final : public StmtRewriter {
 public:
  Stmt visit(const Stmt& s) override {
    Stmt visited = StmtRewriter::visit(s);
    const auto* block = find<Block>(visited);
    if (!block) return visited;
    Block::Parts parts = block->parts();
    parts.name = names_.fresh(parts.name);
    return parts.name == block->name ? visited : Stmt(Block::make(std::move(parts)));
  }

 private:
  NameSupply names_;
};

Scalar in_dtype(const Scalar& s, DType dtype) {
  if (s->dtype == dtype) return s;
  const int64_t* n = find_int(s);
  return n ? IntImm::make(dtype, *n) : Cast::make(dtype, s);
}

class Joiner {
 public:
  Joiner(const Module& module, const std::string& name, const Ref<Function>& f) : module_(module), name_(name), f_(f) {
    for (const Ref<Var>& p : f->params) add_param(p);
  }

  JoinedKernels run() {
    for (const Ref<BindingBlock>& block : f_->body->blocks)
      for (const Binding& b : block->bindings) {
        if (b.is_match_cast()) refuse(b.span, "a cast to a type");
        values_[b.var] = value_of(b.value);
      }
    JoinedKernels out;
    add_results(value_of(f_->body->body), out.places);
    std::erase_if(allocs_, [&](const Ref<Buffer>& b) { return param_index(b) >= 0; });
    const Stmt body = DistinctBlocks().visit(with_merged_regions(Seq::make(std::move(stmts_))));
    out.func = PrimFunc::make(std::move(params_), root_block(body, std::move(allocs_)),
                              AttrMap{{"s_tir", true}, {"tirx.noalias", true}}, nullptr, f_->span);
    return out;
  }

 private:
  [[noreturn]] void refuse(const Span& span, const std::string& what) const {
    fail("E0544", span, fmt::format("fuse-tir: `{}` carries Primitive, and holds {}", name_, what),
         "a primitive function calls loop-level functions on its parameters and on what they give, as those that "
         "`fuse-ops` makes do");
  }
  [[noreturn]] void mismatch(const Call& call, const std::string& callee, const std::string& what) const {
    fail("E0508", call.span, fmt::format("call_tir of `{}`: {}", callee, what),
         "compare the function's parameters with the call's arguments");
  }

  Ref<Buffer> new_buffer(const std::string& hint, const Type& type, const Span& span) {
    const auto* tensor = find<TensorType>(type);
    if (!tensor || !tensor->dims() || tensor->is_unknown_dtype())
      refuse(span, fmt::format("a value of type {}, of which the shape or the dtype is not known", describe(type)));
    return Buffer::make(buffers_.fresh(hint), tensor->dtype, *tensor->dims());
  }

  void add_param(const Ref<Var>& p) {
    Value& value = values_[p];
    if (const auto* prim = find<PrimType>(p->type)) {
      value.scalar = add_scalar(p->name, prim->value, prim->dtype);
    } else if (const auto* shape = find<ShapeType>(p->type); shape && shape->values) {
      for (const Scalar& s : *shape->values) {
        if (!find<SymVar>(s) && !find<IntImm>(s))
          refuse(p->span, fmt::format("a shape as `{}` that is computed", p->name));
        add_scalar(p->name, s, s->dtype);
      }
    } else if (find<TensorType>(p->type)) {
      value.buffer = new_buffer(p->name, p->type, p->span);
      params_.push_back({SymVar::make("p_" + p->name, DType::handle()), value.buffer});
    } else {
      refuse(p->span, fmt::format("the parameter `{}` of type {}", p->name, describe(p->type)));
    }
  }

  // Adds a parameter for a scalar: its own symbol, unless that is a parameter already.
  Scalar add_scalar(const std::string& name, const Scalar& value, DType dtype) {
    Ref<SymVar> symbol = find_ref<SymVar>(value);
    const bool is_known = std::ranges::any_of(params_, [&](const PrimParam& p) { return p.var == symbol; });
    params_.push_back({symbol && !is_known ? symbol : SymVar::make(name, dtype), nullptr});
    return params_.back().var;
  }

  int64_t param_index(const Ref<Buffer>& b) const {
    auto it = std::ranges::find_if(params_, [&](const PrimParam& p) { return p.buffer == b; });
    return it == params_.end() ? -1 : it - params_.begin();
  }

  Value value_of(const Expr& e) {
    if (Ref<Var> var = find_ref<Var>(e)) {
      auto it = values_.find(var);
      if (it == values_.end()) refuse(e->span, fmt::format("`{}`, which is defined outside", var->name));
      return it->second;
    }
    if (const auto* prim = find<PrimValue>(e)) return {.scalar = prim->value};
    if (const auto* item = find<TupleGetItem>(e)) {
      const Value tuple = value_of(item->tuple);
      return tuple.fields.at(static_cast<size_t>(item->index));
    }
    if (const auto* tuple = find<Tuple>(e)) {
      Value value;
      for (const Expr& field : tuple->fields) value.fields.push_back(value_of(field));
      return value;
    }
    const auto* call = find<Call>(e);
    const GlobalVar* callee = call ? kernel_callee(e) : nullptr;
    Ref<PrimFunc> kernel = callee ? module_.find_as<PrimFunc>(callee->name) : nullptr;
    if (!kernel)
      refuse(e->span, find<Constant>(e) ? "a constant" : "something else than calls of loop-level functions");
    return add_kernel(*call, callee->name, *kernel);
  }

  // Appends the body of a kernel, in terms of this function's buffers and symbols; returns the results.
  Value add_kernel(const Call& call, const std::string& callee, const PrimFunc& kernel) {
    const Value args = value_of(call.args[1]);
    std::vector<Value> given = args.fields;
    std::vector<Ref<Buffer>> made;
    const Value results = results_of(call, callee, kernel, given, made);
    if (const auto* scalars = call.args.size() > 2 ? find<ShapeExpr>(call.args[2]) : nullptr)
      for (const Scalar& s : scalars->values) given.push_back({.scalar = s});
    if (given.size() != kernel.params.size())
      mismatch(call, callee,
               fmt::format("it takes {} arguments, got {} with the results", kernel.params.size(), given.size()));
    BufferMap places;
    Substitution symbols;
    match(call, callee, kernel, given, places, symbols);
    const Stmt body = substitute(with_fresh_names(kernel.body), symbols, places);
    const auto* root = find<BlockRealize>(body);
    if (!root || !root->values.empty())
      refuse(call.span, fmt::format("a call of `{}`, whose body is not a block", callee));
    std::ranges::copy(root->block->alloc_buffers, std::back_inserter(allocs_));
    std::ranges::copy(made, std::back_inserter(allocs_));
    stmts_.push_back(root->block->body);
    return results;
  }

  // Makes buffers for the results of a call, which are appended to `given`, unless they are in place of an argument.
  Value results_of(const Call& call, const std::string& callee, const PrimFunc& kernel, std::vector<Value>& given,
                   std::vector<Ref<Buffer>>& made) {
    const auto* tuple = find<TupleType>(call.type);
    const std::vector<Type> types = tuple ? tuple->fields : std::vector{call.type};
    const AttrValue* in_place = call.attrs.find("inplace_indices");
    const std::vector<int64_t> places = in_place ? *in_place->as_ints() : std::vector<int64_t>(types.size(), -1);
    Value results;
    for (size_t i = 0; i < types.size(); ++i) {
      if (places[i] >= 0) {
        results.fields.push_back(given[static_cast<size_t>(places[i])]);
        continue;
      }
      const Ref<Buffer> own = given.size() < kernel.params.size() ? kernel.params[given.size()].buffer : nullptr;
      if (!own) mismatch(call, callee, fmt::format("it has no parameter for result {}", i));
      made.push_back(new_buffer(own->name + "_intermediate", types[i], call.span));
      given.push_back({.buffer = made.back()});
      results.fields.push_back(given.back());
    }
    return tuple ? results : results.fields[0];
  }

  void match(const Call& call, const std::string& callee, const PrimFunc& kernel, const std::vector<Value>& given,
             BufferMap& places, Substitution& symbols) const {
    std::vector<std::pair<Scalar, Scalar>> dims;
    for (size_t i = 0; i < given.size(); ++i) {
      const PrimParam& own = kernel.params[i];
      const Ref<Buffer>& buffer = given[i].buffer;
      if (!own.buffer && given[i].scalar) {
        symbols[own.var] = in_dtype(given[i].scalar, own.var->dtype);
        continue;
      }
      if (!own.buffer || !buffer || own.buffer->dtype != buffer->dtype || own.buffer->rank() != buffer->rank())
        mismatch(call, callee,
                 fmt::format("argument {} does not fit `{}`", i, own.buffer ? own.buffer->name : own.var->name));
      places[own.buffer] = buffer;
      for (size_t d = 0; d < buffer->shape.size(); ++d) dims.emplace_back(own.buffer->shape[d], buffer->shape[d]);
    }
    for (const auto& [own, value] : dims)
      if (Ref<SymVar> s = find_ref<SymVar>(own)) symbols.try_emplace(s, in_dtype(value, s->dtype));
    Analyzer analyzer;
    for (const auto& [own, value] : dims) {
      for (const Ref<SymVar>& s : free_symbols(own))
        if (!symbols.contains(s)) mismatch(call, callee, fmt::format("nothing says what `{}` is", s->name));
      const Scalar here = analyzer.simplify(substitute(own, symbols));
      const int64_t *a = find_int(here), *b = find_int(value);
      if (a && b && *a != *b) mismatch(call, callee, fmt::format("a dimension of size {} is expected, got {}", *a, *b));
    }
  }

  void add_results(const Value& value, std::vector<int64_t>& places) {
    for (const Value& field : value.fields) add_results(field, places);
    if (!value.fields.empty()) return;
    if (!value.buffer) refuse(f_->span, "a result that is no tensor");
    const int64_t place = param_index(value.buffer);
    if (place >= static_cast<int64_t>(params_.size()) - outputs_) refuse(f_->span, "one result twice");
    places.push_back(place);
    if (place >= 0) return;
    params_.push_back({SymVar::make(fmt::format("p_output{}", outputs_++), DType::handle()), value.buffer});
  }

  const Module& module_;
  const std::string& name_;
  const Ref<Function> f_;
  std::unordered_map<Ref<Var>, Value> values_;
  std::vector<PrimParam> params_;
  std::vector<Ref<Buffer>> allocs_;
  std::vector<Stmt> stmts_;
  NameSupply buffers_;
  int64_t outputs_ = 0;
};

}  // namespace

JoinedKernels join_calls(const Module& module, const std::string& name, const Function& f) {
  return Joiner(module, name, FreshCopy().copy(Ref<Function>(&f))).run();
}

}  // namespace sunmao
