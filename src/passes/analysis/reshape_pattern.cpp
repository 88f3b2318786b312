#include "passes/analysis/reshape_pattern.h"

#include "loop/walk.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

// Collects the single store of a function and the extents of the iterators around it.
class OneStore final : public StmtVisitor {
 public:
  const BufferStore* store = nullptr;
  bool is_plain = true;  // whether the body is a perfect nest of loops and blocks around one store
  std::unordered_map<Ref<SymVar>, Scalar> extents;
  using StmtVisitor::visit;

  void visit(const Stmt& s) override {
    if (const auto* found = find<BufferStore>(s)) {
      is_plain = is_plain && !store;
      store = found;
      return;
    }
    if (const auto* block = find<Block>(s)) {
      is_plain = is_plain && !block->init;
      for (const IterVar& i : block->iters) add(i.var, i.domain);
    } else if (const auto* loop = find<For>(s)) {
      add(loop->var, {loop->min, loop->extent});
    } else if (!find<BlockRealize>(s)) {
      is_plain = false;
    }
    visit_parts(s);
  }

 private:
  void add(const Ref<SymVar>& var, const Range& domain) {
    if (find_int(domain.min) && *find_int(domain.min) == 0) extents.emplace(var, domain.extent);
  }
};

class Prover {
 public:
  explicit Prover(const OneStore& nest) : extents_(nest.extents) {
    for (const auto& [var, extent] : extents_)
      if (const int64_t* size = find_int(extent)) analyzer_.assume(var, {0, *size - 1});
  }
  bool has_empty_extent() const {
    for (const auto& [var, extent] : extents_)
      if (const int64_t* size = find_int(extent); size && *size <= 0) return true;
    return false;
  }

  bool same(const Scalar& a, const Scalar& b) { return analyzer_.can_prove_equal(reduce(a), reduce(b)); }

 private:
  // Simplifies by iterator ranges: an iterator of extent 1 is 0; for i < n, i % n is i and i // n is 0; and
  // a % (b * c) // c is a // c % b.
  Scalar reduce(const Scalar& s) {
    return analyzer_.simplify(rewrite(s, [&](const Scalar& node) -> Scalar {
      Ref<SymVar> var = find_ref<SymVar>(node);
      auto it = var ? extents_.find(var) : extents_.end();
      if (it != extents_.end() && find_int(it->second) && *find_int(it->second) == 1)
        return IntImm::make(node->dtype, 0);
      const auto* binary = find<Binary>(node);
      bool mod = binary && binary->op == BinaryOp::FloorMod, div = binary && binary->op == BinaryOp::FloorDiv;
      if (!mod && !div) return nullptr;
      Scalar a = analyzer_.simplify(binary->a);
      if (Scalar swapped = div ? divide_first(a, binary->b) : nullptr) return swapped;
      auto below = extents_.find(find_ref<SymVar>(a));
      if (below == extents_.end() || !analyzer_.can_prove_equal(below->second, binary->b)) return nullptr;
      return mod ? a : IntImm::make(node->dtype, 0);
    }));
  }

  static Scalar divide_first(const Scalar& a, const Scalar& by) {
    const auto* mod = find<Binary>(a);
    if (!mod || mod->op != BinaryOp::FloorMod) return nullptr;
    const int64_t *whole = find_int(mod->b), *part = find_int(by);
    if (!whole || !part || *part <= 0 || *whole % *part != 0) return nullptr;
    return floor_mod(floor_div(mod->a, by), IntImm::make(a->dtype, *whole / *part));
  }

  const std::unordered_map<Ref<SymVar>, Scalar>& extents_;
  Analyzer analyzer_;
};

// Casts `s` to another integer dtype; a constant is retyped.
Scalar as_type(const Scalar& s, DType dtype) {
  if (s->dtype == dtype) return s;
  return find_int(s) ? IntImm::make(dtype, *find_int(s)) : Cast::make(dtype, s);
}

// Returns the row-major position of an element, computed in `dtype`.
Scalar flat_index(const Buffer& buffer, const std::vector<Scalar>& indices, DType dtype) {
  Scalar flat = IntImm::make(dtype, 0);
  for (size_t i = 0; i < indices.size(); ++i)
    flat = flat * as_type(buffer.shape[i], dtype) + as_type(indices[i], dtype);
  return flat;
}

// Returns the dtype of the first nonconstant index; int64 when all indices are constants.
DType index_type(const std::vector<Scalar>& indices) {
  for (const Scalar& i : indices)
    if (!find_int(i)) return i->dtype;
  return DType::int_(64);
}

// True when `indices` are provably the row-major decomposition of the position `at`.
bool are_parts_of(const Scalar& at, const Buffer& buffer, const std::vector<Scalar>& indices, Prover& prover) {
  Scalar rest = at;
  for (size_t i = indices.size(); i-- > 0;) {
    Scalar size = as_type(buffer.shape[i], at->dtype);
    if (!prover.same(as_type(indices[i], at->dtype), i == 0 ? rest : floor_mod(rest, size))) return false;
    rest = floor_div(rest, size);
  }
  return true;
}

bool same_size(const Buffer& a, const Buffer& b) {
  Scalar x = int_imm(1), y = int_imm(1);
  for (const Scalar& d : a.shape) x = x * as_type(d, x->dtype);
  for (const Scalar& d : b.shape) y = y * as_type(d, y->dtype);
  return Analyzer().can_prove_equal(x, y);
}

// Returns the load of the first buffer when storing it to the last buffer is all that the function does; else null.
const BufferLoad* only_copy(const PrimFunc& func, OneStore& nest) {
  if (func.params.size() < 2 || !func.body) return nullptr;
  Ref<Buffer> from = func.params.front().buffer, to = func.params.back().buffer;
  nest.visit(func.body);
  if (!from || !to || !nest.is_plain || !nest.store || nest.store->buffer != to) return nullptr;
  const auto* load = find<BufferLoad>(nest.store->value);
  return load && load->buffer == from && from->dtype == to->dtype ? load : nullptr;
}

}  // namespace

bool copies_front(const PrimFunc& func) {
  OneStore nest;
  const BufferLoad* load = only_copy(func, nest);
  if (!load || load->indices.size() != nest.store->indices.size()) return false;
  Prover prover(nest);
  for (size_t i = 0; i < load->indices.size(); ++i)
    if (!prover.same(load->indices[i], nest.store->indices[i])) return false;
  return true;
}

bool has_reshape_pattern(const PrimFunc& func) {
  OneStore nest;
  const BufferLoad* load = only_copy(func, nest);
  if (!load) return false;
  Ref<Buffer> from = load->buffer, to = nest.store->buffer;
  if (!same_size(*from, *to)) return false;
  Prover prover(nest);
  if (prover.has_empty_extent()) return false;
  DType dtype = index_type(nest.store->indices);
  Scalar at = flat_index(*to, nest.store->indices, dtype);
  return prover.same(flat_index(*from, load->indices, dtype), at) || are_parts_of(at, *from, load->indices, prover);
}

}  // namespace sunmao
