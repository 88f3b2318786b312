// Structural hashes; equal nodes by ir/equal.cpp have equal hashes.
#include "ir/equal.h"
#include "ir/op.h"
#include "sym/index_map.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

void hash_symbols(const Type& type, StructuralHasher& h) {
  for (const Ref<SymVar>& s : free_symbols(type)) h.define(s.get());
}

void hash_info(const Ref<GlobalInfo>& info, StructuralHasher& h) {
  if (const auto* d = find<VDevice>(info)) h.add(d->target).add(static_cast<uint64_t>(d->id)).add(d->memory_scope);
}

void hash_value(const AttrValue& v, StructuralHasher& h) {
  const Scalar* scalar = v.find<Scalar>();
  const int64_t* integer = scalar ? find_int(*scalar) : v.find<int64_t>();
  if (integer) {
    h.add(static_cast<uint64_t>(*integer));
    return;
  }
  h.add(static_cast<uint64_t>(v.variant().index()));
  if (scalar) h.scalar(*scalar);
  if (const Expr* x = v.find<Expr>()) hash(*x, h);
  if (const Type* x = v.find<Type>()) hash(*x, h);
  if (const auto* x = v.find<Ref<GlobalInfo>>()) hash_info(*x, h);
  if (const double* x = v.find<double>()) h.add(*x);
  if (const bool* x = v.find<bool>()) h.add(uint64_t{*x});
  if (const std::string* x = v.find<std::string>()) h.add(*x);
  if (const DType* x = v.find<DType>()) h.add(x->str());
  if (const auto* x = v.find<Ref<IndexMap>>()) {
    // The inputs of an index map are hashed by position, because several calls may share a map.
    Substitution places;
    for (size_t i = 0; i < (*x)->inputs.size(); ++i)
      places.emplace((*x)->inputs[i], SymVar::make(std::to_string(i), (*x)->inputs[i]->dtype));
    for (const Scalar& o : (*x)->outputs) h.scalar(substitute(o, places));
  }
  if (const AttrList* x = v.find<AttrList>()) {
    h.add(uint64_t{x->size()});
    for (const AttrValue& e : *x) hash_value(e, h);
  }
  if (const AttrMap* x = v.find<AttrMap>()) hash(Attrs(*x), h);
}

void hash_seq(const SeqExpr& seq, StructuralHasher& h) {
  h.add(uint64_t{seq.blocks.size()});
  for (const Ref<BindingBlock>& block : seq.blocks) {
    h.add(uint64_t{block->bindings.size() * 2 + (block->is_dataflow ? 1u : 0u)});
    for (const Binding& b : block->bindings) {
      if (find<Function>(b.value)) h.define(b.var.get());  // a local function may be recursive
      hash(b.value, h);
      if (b.is_match_cast()) {
        hash_symbols(b.cast_type, h);
        hash(b.cast_type, h);
      }
      h.define(b.var.get());
      hash(b.var->type, h);
    }
  }
  hash(seq.body, h);
}

uint64_t hash_of(const Expr& e, Equality::Options options = {}) {
  StructuralHasher h(options);
  hash(e, h);
  return h.value();
}

}  // namespace

void hash(const Attrs& attrs, StructuralHasher& h) {
  h.add(uint64_t{attrs.values().size()});
  for (const auto& [name, value] : attrs.values()) {
    h.add(name);
    hash_value(value, h);
  }
}

void hash(const Type& type, StructuralHasher& h) {
  if (!type) {
    h.add(uint64_t{0xee});
    return;
  }
  h.add(static_cast<uint64_t>(type->kind));
  auto scalars = [&](const std::vector<Scalar>& values) {
    h.add(uint64_t{values.size()});
    for (const Scalar& v : values) h.scalar(v);
  };
  if (const auto* t = find<PrimType>(type)) h.add(t->dtype.str()).add(uint64_t{t->value ? 1u : 0u});
  if (const auto* t = find<ShapeType>(type)) {
    h.add(static_cast<uint64_t>(t->rank));
    if (t->values) scalars(*t->values);
  }
  if (const auto* t = find<TensorType>(type)) {
    h.add(t->dtype.str()).add(static_cast<uint64_t>(t->rank));
    if (t->dims()) scalars(*t->dims());
    hash_info(Ref<GlobalInfo>(t->vdevice), h);
  }
  if (const auto* t = find<TupleType>(type)) {
    h.add(uint64_t{t->fields.size()});
    for (const Type& f : t->fields) hash(f, h);
  }
  if (const auto* t = find<CallableType>(type)) {
    h.add(uint64_t{t->is_pure});
    if (t->params) {
      for (const Type& p : *t->params) hash_symbols(p, h);
      for (const Type& p : *t->params) hash(p, h);
    }
    hash(t->result, h);
  }
}

void hash(const Expr& e, StructuralHasher& h) {
  if (!e) {
    h.add(uint64_t{0xdd});
    return;
  }
  h.add(static_cast<uint64_t>(e->kind));
  if (const auto* n = find<Var>(e)) h.name(n, n->name);
  if (const auto* n = find<GlobalVar>(e)) h.add(n->name);
  if (const auto* n = find<Constant>(e)) {
    hash(n->type, h);
    if (!h.options().skip_tensor_content)
      h.add(std::string_view(static_cast<const char*>(static_cast<const void*>(n->data.data())), n->data.size_bytes()));
  }
  if (const auto* n = find<ShapeExpr>(e))
    for (const Scalar& v : n->values) h.scalar(v);
  if (const auto* n = find<PrimValue>(e)) h.scalar(n->value);
  if (const auto* n = find<StringLiteral>(e)) h.add(n->value);
  if (const auto* n = find<DTypeLiteral>(e)) h.add(n->value.str());
  if (const auto* n = find<Tuple>(e))
    for (const Expr& f : n->fields) hash(f, h);
  if (const auto* n = find<TupleGetItem>(e)) {
    hash(n->tuple, h);
    h.add(static_cast<uint64_t>(n->index));
  }
  if (const auto* n = find<Call>(e)) {
    hash(n->callee, h);
    h.add(uint64_t{n->args.size()});
    for (const Expr& a : n->args) hash(a, h);
    hash(n->attrs, h);
    for (const Type& t : n->type_args) hash(t, h);
  }
  if (const auto* n = find<If>(e)) {
    hash(n->condition, h);
    hash_seq(*n->then_branch, h);
    hash_seq(*n->else_branch, h);
  }
  if (const auto* n = find<SeqExpr>(e)) hash_seq(*n, h);
  if (const auto* n = find<Op>(e)) h.add(n->name());
  if (const auto* n = find<BaseFunc>(e)) n->hash_into(h);
}

void Function::hash_into(StructuralHasher& h) const {
  h.add(uint64_t{params.size() * 2 + (is_pure ? 1u : 0u)});
  for (const Ref<Var>& p : params) hash_symbols(p->type, h);
  for (const Ref<Var>& p : params) {
    h.define(p.get());
    hash(p->type, h);
  }
  hash(attrs, h);
  hash_seq(*body, h);
  hash(result_type, h);
}

void ExternFunc::hash_into(StructuralHasher& h) const {
  h.add(name);
  hash(type, h);
  hash(attrs, h);
}

uint64_t structural_hash(const Type& type) {
  StructuralHasher h;
  hash(type, h);
  return h.value();
}
uint64_t structural_hash(const Expr& e) {
  if (const auto* func = find<BaseFunc>(e)) return func->structural_hash();
  return hash_of(e);
}

uint64_t BaseFunc::structural_hash() const {
  uint64_t known = hash_->load(std::memory_order_relaxed);
  if (known == 0) hash_->store(known = hash_of(Expr(this)), std::memory_order_relaxed);
  return known;
}

namespace {

template <class F>
uint64_t hash_module(const Module& module, Equality::Options options, F hash_function) {
  // Functions are hashed in the order of their names, since their order in the module is irrelevant.
  std::map<std::string, Ref<BaseFunc>> sorted;
  for (const FunctionEntry& e : module.functions()) sorted.emplace(e.var->name, e.func);
  StructuralHasher h(options);
  hash(module.attrs(), h);
  for (const auto& [name, infos] : module.global_infos()) {
    h.add(name);
    for (const Ref<GlobalInfo>& info : infos) hash_info(info, h);
  }
  for (const auto& [name, func] : sorted) {
    h.add(name);
    h.add(hash_function(func));
  }
  return h.value();
}

}  // namespace

uint64_t structural_hash(const Module& module) {
  return hash_module(module, {}, [](const Ref<BaseFunc>& func) { return func->structural_hash(); });
}
uint64_t computed_hash(const Module& module, Equality::Options options) {
  return hash_module(module, options, [&](const Ref<BaseFunc>& func) { return hash_of(Expr(func), options); });
}

}  // namespace sunmao
