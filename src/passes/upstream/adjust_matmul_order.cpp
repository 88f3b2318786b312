// The pass `adjust-matmul-order`: reassociates matmuls of three factors, so that a product of two factors known at
// compile time is computed first, else the provably cheaper one.
#include <algorithm>

#include "ir/walk.h"
#include "ops/matmul_kernel.h"
#include "passes/analysis/compile_time.h"
#include "passes/analysis/unused.h"
#include "passes/passes.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

const std::vector<Scalar>* dims_of(const Expr& e) {
  const auto* t = find<TensorType>(e->type);
  return t ? t->dims() : nullptr;
}

// Ranges of symbolic sizes: at least 1, and at most the bound in the function's attribute `tir_var_upper_bound`.
class Bounds {
 public:
  explicit Bounds(const Function& f) {
    const AttrMap* upper = f.attr<AttrMap>("tir_var_upper_bound");
    for (const Ref<Var>& p : f.params)
      for (const Ref<SymVar>& s : free_symbols(p->type)) {
        auto it = upper ? upper->find(s->name) : AttrMap::const_iterator();
        const int64_t* most = upper && it != upper->end() ? it->second.find<int64_t>() : nullptr;
        if (most) most_[s] = *most;
        analyzer_.assume(s, {1, most ? *most : Interval::kMax});
      }
  }

  bool is_less(const Scalar& a, const Scalar& b) {
    return analyzer_.can_prove(Binary::make(BinaryOp::Lt, a, b)) || is_less_at_corners(a, b);
  }

 private:
  // The difference of two costs that are linear in each symbol has its extremes at the corners of the symbols' ranges;
  // other costs are not compared.
  bool is_less_at_corners(const Scalar& a, const Scalar& b) {
    std::vector<Ref<SymVar>> symbols = free_symbols(a - b);
    if (symbols.size() > 8) return false;
    for (const Ref<SymVar>& s : symbols)
      if (!most_.contains(s) || has_square(a, *s) || has_square(b, *s)) return false;
    for (size_t corner = 0; corner < (size_t{1} << symbols.size()); ++corner) {
      Substitution at;
      for (size_t i = 0; i < symbols.size(); ++i)
        at.emplace(symbols[i], int_imm((corner >> i) & 1 ? most_.at(symbols[i]) : 1));
      if (!analyzer_.can_prove(Binary::make(BinaryOp::Lt, substitute(a, at), substitute(b, at)))) return false;
    }
    return true;
  }

  // True when `s` is not linear in the symbol.
  static bool has_square(const Scalar& s, const SymVar& symbol) {
    const auto* binary = find<Binary>(s);
    if (!binary) return uses(s, symbol) && !find<SymVar>(s);
    if (binary->op == BinaryOp::Mul && uses(binary->a, symbol) && uses(binary->b, symbol)) return true;
    bool plain = binary->op == BinaryOp::Mul || binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub;
    if (!plain) return uses(s, symbol);
    return has_square(binary->a, symbol) || has_square(binary->b, symbol);
  }

  Analyzer analyzer_;
  std::unordered_map<Ref<SymVar>, int64_t> most_;
};

// A factor of a product of three, (a * b) * c or a * (b * c): `value`, transposed first if `transposed_by` is set.
struct Factor {
  Expr value;
  const Call* transposed_by = nullptr;  // the permute_dims to apply, with its attributes
  Expr typed() const {
    if (!transposed_by) return value;
    return Call::make(transposed_by->callee, {value}, transposed_by->attrs, {}, value->span);
  }
};
struct Chain {
  Factor a, b, c;
  bool left_first;
};

class Adjuster final : public Rewriter {
 public:
  explicit Adjuster(const Function& f) : bounds_(f) {
    for (const Ref<Var>& v : computable_at_compile_time(f)) known_.insert(v);
  }

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call* outer = find_call(visited, "matmul");
    if (!outer) return visited;
    std::optional<Chain> chain = find_chain(*outer);
    if (!chain || !is_associative(*chain)) return visited;
    std::optional<bool> left_first = choose(*chain, *outer);
    if (!left_first || *left_first == chain->left_first) return visited;
    auto product = [&](Expr x, Expr y) { return Call::make(outer->callee, {x, y}, outer->attrs, {}, outer->span); };
    if (*left_first) {
      Expr a = emit(chain->a.typed(), "lv"), b = emit(chain->b.typed(), "lv");
      Expr ab = emit(product(a, b), "lv");
      return product(ab, emit(chain->c.typed(), "lv"));
    }
    Expr b = emit(chain->b.typed(), "lv"), c = emit(chain->c.typed(), "lv");
    Expr bc = emit(product(b, c), "lv");
    return product(emit(chain->a.typed(), "lv"), bc);
  }

  std::optional<Chain> find_chain(const Call& outer) const {
    auto inner_of = [&](const Expr& e, const Call*& permute) {
      permute = find_call(value_of(e), "permute_dims");
      if (permute && !swaps_last_two(*permute)) return static_cast<const Call*>(nullptr);
      return find_call(value_of(permute ? permute->args[0] : e), "matmul");
    };
    // transpose(x * y) = transpose(y) * transpose(x); all three have the same rank.
    const Expr &left = outer.args[0], &right = outer.args[1];
    const Call* permute = nullptr;
    if (const Call* inner = inner_of(left, permute))
      return permute ? Chain{{inner->args[1], permute}, {inner->args[0], permute}, {right}, true}
                     : Chain{{inner->args[0]}, {inner->args[1]}, {right}, true};
    if (const Call* inner = inner_of(right, permute))
      return permute ? Chain{{left}, {inner->args[1], permute}, {inner->args[0], permute}, false}
                     : Chain{{left}, {inner->args[0]}, {inner->args[1]}, false};
    return std::nullopt;
  }

  // A product with a vector drops a dimension; that is independent of the order only if no factor has batch dimensions.
  static bool is_associative(const Chain& chain) {
    bool has_vector = false, has_batch = false;
    for (const Factor* f : {&chain.a, &chain.b, &chain.c}) {
      const std::vector<Scalar>* dims = dims_of(f->value);
      if (!dims || dims->empty()) return false;
      const auto* permuted = f->transposed_by ? dims_of(f->transposed_by->args[0]) : nullptr;
      if (permuted && permuted->size() != dims->size()) return false;
      has_vector |= dims->size() == 1;
      has_batch |= dims->size() > 2;
    }
    return dims_of(chain.b.value)->size() > 1 && !(has_vector && has_batch);
  }

  bool is_known(const Factor& f) const { return known_.contains(find_ref<Var>(f.value)); }

  // Returns true when (a * b) is to be computed first, false for (b * c): a product of factors known at compile time,
  // else the provably cheaper one; nullopt when neither is.
  std::optional<bool> choose(const Chain& chain, const Call& outer) {
    if (is_known(chain.a) && is_known(chain.b)) return true;
    if (is_known(chain.b) && is_known(chain.c)) return false;
    Expr a = chain.a.typed(), b = chain.b.typed(), c = chain.c.typed();
    auto product = [&](const Expr& x, const Expr& y) {
      return Expr(Call::make(outer.callee, {x, y}, outer.attrs, {}, outer.span));
    };
    Expr ab = product(a, b), bc = product(b, c), all = product(ab, c);
    if (!dims_of(ab) || !dims_of(bc) || !dims_of(all)) return std::nullopt;
    Scalar left = steps(a, ab) + steps(ab, all), right = steps(b, bc) + steps(a, all);
    if (bounds_.is_less(left, right)) return true;
    if (bounds_.is_less(right, left)) return false;
    return std::nullopt;
  }

  // Returns the number of multiplications in x * y = z.
  static Scalar steps(const Expr& x, const Expr& z) {
    Scalar n = dims_of(x)->back();
    for (const Scalar& d : *dims_of(z)) n = n * d;
    return n;
  }

  Bounds bounds_;
  std::unordered_set<Ref<Var>> known_;
};

}  // namespace

Module adjust_matmul_order(const Module& m, const PassContext&) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return Adjuster(*f).rewrite(f); });
}

}  // namespace sunmao
