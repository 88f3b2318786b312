// The pass `alter-op-impl`: replaces kernels that carry an `operator_name` by given ones, converting tensor layouts.
#include <algorithm>

#include "loop/builder.h"
#include "ops/ops.h"
#include "ops/params.h"
#include "passes/analysis/kernel_call.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "support/diagnostic.h"
#include "sym/inverse_map.h"

namespace sunmao {
namespace {

constexpr const char* kName = "operator_name";

/// The replacement of a kernel, and the layout of each of its buffers; null for an unchanged layout.
struct Implementation {
  Ref<PrimFunc> func;
  std::vector<Ref<IndexMap>> maps;  // empty: all layouts are unchanged
};
using Implementations = std::map<std::string, Implementation>;

Implementations implementations_of(const PassArguments& args) {
  Implementations out;
  for (const auto& [name, value] : args.map("op_impl_map")) {
    const Expr* expr = value.find<Expr>();
    Ref<PrimFunc> func = expr ? find_ref<PrimFunc>(*expr) : nullptr;
    if (!func) fail("E0514", {}, fmt::format("alter-op-impl: what replaces `{}` is no loop-level function", name));
    out[name].func = func;
  }
  for (const auto& [name, value] : args.map("op_buffer_transforms")) {
    auto it = out.find(name);
    const AttrList* list = value.find<AttrList>();
    if (it == out.end() || !list)
      fail("E0514", {}, fmt::format("alter-op-impl: the layouts of `{}` are no list, or it is not replaced", name));
    for (const AttrValue& map : *list) {
      const auto* given = map.find<Ref<IndexMap>>();
      if (!given && !map.is_none())
        fail("E0514", {}, fmt::format("alter-op-impl: a layout of `{}` is no index map", name));
      it->second.maps.push_back(given ? *given : Ref<IndexMap>());
    }
    const size_t buffers = it->second.func->buffers().size();
    if (!list->empty() && list->size() != buffers)
      fail("E0514", {},
           fmt::format("alter-op-impl: {} layouts of `{}`, which has {} buffers", list->size(), name, buffers),
           "give none, or one for each buffer, None where it stays");
  }
  return out;
}

// Returns a kernel for any shapes of this rank and dtype that copies the leading part of a tensor.
Ref<PrimFunc> front_kernel(size_t rank, DType dtype) {
  std::vector<Scalar> padded, wanted;
  for (size_t i = 0; i < rank; ++i) {
    padded.push_back(SymVar::make("p" + std::to_string(i)));
    wanted.push_back(SymVar::make("i" + std::to_string(i)));
  }
  KernelBuilder k("remove_pad");
  Ref<Buffer> x = k.input("input", TensorType::make(padded, dtype)),
              y = k.output("output", TensorType::make(wanted, dtype));
  k.compute(y, "output", [&](const Indices& at) { return load(x, at); });
  Ref<PrimFunc> f = find_ref<PrimFunc>(Expr(std::move(k).finish()));
  return find_ref<PrimFunc>(Expr(f->with_attrs(f->attrs.with(kName, "remove_pad").with("s_tir", true))));
}

class Alterer final : public Rewriter {
 public:
  Alterer(const Module& module, const Implementations& all, BlockBuilder& functions)
      : module_(module), all_(all), functions_(functions) {}

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call* kernel = find_call(visited, "call_tir");
    const auto* callee = kernel ? find<GlobalVar>(kernel->args[0]) : nullptr;
    Ref<PrimFunc> old = callee ? module_.find_as<PrimFunc>(callee->name) : nullptr;
    const auto* name = old ? old->attr<std::string>(kName) : nullptr;
    auto it = name ? all_.find(*name) : all_.end();
    const auto* inputs = it != all_.end() ? find<Tuple>(kernel->args[1]) : nullptr;
    if (!inputs) return visited;
    const Implementation& impl = it->second;
    if (impl.func->params.size() != old->params.size())
      fail("E0514", call.span,
           fmt::format("alter-op-impl: `{}` has {} parameters, what replaces it {}", callee->name, old->params.size(),
                       impl.func->params.size()));
    return replaced(*kernel, *name, inputs->fields, impl);
  }

  Expr replaced(const Call& kernel, const std::string& name, std::vector<Expr> inputs, const Implementation& impl) {
    const auto* tuple = find<TupleType>(kernel.type);
    std::vector<Type> old_types = tuple ? tuple->fields : std::vector{kernel.type}, types = old_types;
    const size_t count = inputs.size();
    auto map = [&](size_t i) { return impl.maps.empty() ? Ref<IndexMap>() : impl.maps.at(i); };
    if (!impl.maps.empty() && impl.maps.size() != count + types.size())
      fail("E0514", kernel.span,
           fmt::format("alter-op-impl: {} layouts for {} tensors of `{}`", impl.maps.size(), count + types.size(),
                       name));
    for (size_t i = 0; i < count; ++i) {
      const auto* constant = find<Constant>(inputs[i]);
      if (map(i) && !(constant && constant->data.rank() == 0)) inputs[i] = emit(transformed(inputs[i], map(i)), "lv");
    }
    for (size_t i = 0; i < types.size(); ++i)
      if (map(count + i)) types[i] = transformed_type(types[i], *map(count + i), kernel.span);
    std::string hint = name + "_replacement";
    std::ranges::replace(hint, '.', '_');
    Attrs attrs = impl.func->attrs.without("global_symbol").with(kName, name);
    std::vector<Expr> args{functions_.add_function(hint, impl.func->with_attrs(attrs)), Tuple::make(std::move(inputs))};
    args.insert(args.end(), kernel.args.begin() + 2, kernel.args.end());
    // Several result types are separate type arguments or a single tuple type, as in the original call.
    if (tuple && kernel.type_args.size() == 1) types = {TupleType::make(types)};
    Expr call = Call::make(kernel.callee, std::move(args), kernel.attrs, types, kernel.span);
    if (impl.maps.empty() || (!tuple && !map(count))) return call;
    Expr value = emit(std::move(call), "lv");
    if (!tuple) return brought_back(value, map(count), old_types[0]);
    std::vector<Expr> fields;
    for (size_t i = 0; i < old_types.size(); ++i) {
      Expr field = emit(TupleGetItem::make(value, static_cast<int>(i)), "lv");
      fields.push_back(emit(brought_back(field, map(count + i), old_types[i]), "lv"));
    }
    return Tuple::make(std::move(fields), kernel.span);
  }

  static Type transformed_type(const Type& type, const IndexMap& map, const Span& span) {
    const auto* tensor = find<TensorType>(type);
    if (!tensor || !tensor->dims() || tensor->dims()->size() != map.inputs.size())
      fail("E0514", span,
           fmt::format("alter-op-impl: an index map of {} indices for {}", map.inputs.size(), describe(type)));
    return tensor_like(*tensor, map.map_shape(*tensor->dims()), static_cast<int>(map.outputs.size()));
  }

  // Each layout_transform gets fresh index variables, as parsed scripts have.
  static Expr transformed(const Expr& e, const Ref<IndexMap>& map) {
    std::vector<Ref<SymVar>> inputs;
    Substitution fresh;
    for (const Ref<SymVar>& i : map->inputs) fresh.emplace(i, inputs.emplace_back(i->renamed(i->name)));
    std::vector<Scalar> outputs;
    for (const Scalar& o : map->outputs) outputs.push_back(substitute(o, fresh));
    Attrs attrs(AttrMap{{"index_map", IndexMap::make(std::move(inputs), std::move(outputs))}});
    return Call::make(builtin_ops().get("layout_transform"), {e}, attrs, {}, e->span);
  }

  // Converts a result back to its original layout and cuts off padding.
  Expr brought_back(const Expr& e, const Ref<IndexMap>& map, const Type& old) {
    if (!map) return e;
    const auto* tensor = find<TensorType>(old);
    Ref<IndexMap> inverse = inverse_of(*map, *tensor->dims());
    if (!inverse)
      fail("E0514", e->span, fmt::format("alter-op-impl: the index map of {} cannot be turned round", describe(old)),
           "maps that cut indices into parts, join and permute them can");
    Expr plain = transformed(e, inverse);
    const auto* got = find<TensorType>(plain->type);
    Analyzer analyzer;
    if (got->dims() && std::ranges::equal(*got->dims(), *tensor->dims(), [&](const Scalar& a, const Scalar& b) {
          return analyzer.can_prove_equal(a, b);
        }))
      return plain;
    return call_kernel(functions_, "remove_pad", front_kernel(tensor->dims()->size(), tensor->dtype),
                       {emit(plain, "lv")}, old, e->span);
  }

  const Module& module_;
  const Implementations& all_;
  BlockBuilder& functions_;
};

}  // namespace

Module alter_op_impl(const Module& m, const PassContext& ctx) {
  const Implementations all = implementations_of(PassArguments("alter-op-impl", ctx));
  if (all.empty()) return m;
  BlockBuilder functions(m);
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    Ref<Function> altered = f ? Alterer(m, all, functions).rewrite(f) : f;
    if (altered != f) changed.push_back({e.var, altered});
  }
  return changed.empty() ? m : functions.module().with_functions(std::move(changed));
}

}  // namespace sunmao
