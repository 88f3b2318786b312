// Systems of linear equations, determinants, and Cholesky's factorisation. Leading axes are batch axes.
#include <fmt/format.h>

#include "ops/matrices.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

Type infer_square(const InferInput& in) {
  need_square(in, 0);  // C1, C2
  return in.type(0);
}

Type infer_det(const InferInput& in) {
  need_square(in, 0);
  const TensorType& a = in.tensor(0);
  if (!written(a)) return TensorType::make_unknown(a.dtype, a.rank == kUnknownRank ? a.rank : a.rank - 2, a.vdevice);
  return TensorType::make({written(a)->begin(), written(a)->end() - 2}, a.dtype, a.vdevice);
}

Type infer_slogdet(const InferInput& in) {
  const Type each = infer_det(in);
  return TupleType::make({each, each});
}

// Inference of linalg.solve and linalg.triangular_solve. C3: `b` has the batch dimensions and the number of rows of
// `a`.
Type infer_solve(const InferInput& in) {
  need_square(in, 0);
  const TensorType &a = in.tensor(0), &b = in.tensor(1);
  need_float(in, b);
  need_one_dtype(in, 1, 0);
  shared_vdevice(in, {&a, &b});
  if (a.rank != kUnknownRank) need_rank(in, 1, a.rank);
  for (size_t d = 0; a.dims() && b.dims() && d + 1 < a.dims()->size(); ++d)
    if (!in.can_agree((*a.dims())[d], (*b.dims())[d]))
      in.error("E0309", fmt::format("dimension {} of `b` is {}, that of `a` is {}", d, describe((*b.dims())[d]),
                                    describe((*a.dims())[d])));
  return in.type(1);
}

// Gaussian elimination with partial pivoting; `other` (may be null) receives the same row operations.
class Elimination {
 public:
  Elimination(const LocalMatrix& a, const LocalMatrix* other)
      : a_(a), other_(other), spare_("spare", a.buffer()->dtype), factor_("factor", a.buffer()->dtype),
        sign_("sign", a.buffer()->dtype) {}
  Scalar sign() const { return sign_.get(); }  // -1 after an odd number of swaps
  std::vector<Ref<Buffer>> locals() const {
    std::vector<Ref<Buffer>> all{a_.buffer(), pivot_.buffer(), spare_.buffer(), factor_.buffer(), sign_.buffer()};
    if (other_) all.push_back(other_->buffer());
    return all;
  }

  /// Reduces `a` to upper triangular form.
  Stmt run() const {
    Stmt columns = repeat("k", a_.rows(), [&](const Scalar& k) {
      return in_order({find_pivot(k), when(Binary::make(BinaryOp::Ne, pivot_.get(), k), swap(k)), clear_below(k)});
    });
    return in_order({sign_.set(constant(sign_.buffer()->dtype, 1)), columns});
  }

 private:
  Stmt find_pivot(const Scalar& k) const {
    Stmt look = repeat("p", a_.rows() - k - int_imm(1), [&](const Scalar& p) {
      Scalar i = k + int_imm(1) + p, best = intrinsic("abs", a_.at(pivot_.get(), k));
      return when(less(best, intrinsic("abs", a_.at(i, k))), pivot_.set(i));
    });
    return in_order({pivot_.set(k), look});
  }
  Stmt swap(const Scalar& k) const {
    std::vector<Stmt> all{a_.swap_rows(k, pivot_.get(), spare_)};
    if (other_) all.push_back(other_->swap_rows(k, pivot_.get(), spare_));
    all.push_back(sign_.set(sign_.get() * constant(sign_.buffer()->dtype, -1)));
    return in_order(std::move(all));
  }
  // A column whose candidates are all zero is skipped: the matrix is singular.
  Stmt clear_below(const Scalar& k) const {
    Stmt clear = repeat("p", a_.rows() - k - int_imm(1), [&](const Scalar& p) {
      Scalar i = k + int_imm(1) + p;
      std::vector<Stmt> all{factor_.set(divide(a_.at(i, k), a_.at(k, k))), a_.subtract(i, k, factor_.get())};
      if (other_) all.push_back(other_->subtract(i, k, factor_.get()));
      return in_order(std::move(all));
    });
    return when(Binary::make(BinaryOp::Ne, a_.at(k, k), constant(a_.buffer()->dtype, 0)), clear);
  }

  const LocalMatrix& a_;
  const LocalMatrix* other_;
  const Cell pivot_{"pivot", DType::int_(64)};
  const Cell spare_, factor_, sign_;
};

// Solves t x = b for triangular t (with `transposed` for its transpose) by substitution, writing x over b.
struct Triangle {
  bool upper = true, is_unit = false, transposed = false;
};
Stmt substitute_back(const LocalMatrix& t, const LocalMatrix& b, Triangle kind) {
  const bool from_end = kind.upper != kind.transposed;
  auto element = [&](const Scalar& i, const Scalar& j) { return kind.transposed ? t.at(j, i) : t.at(i, j); };
  return repeat("r", t.rows(), [&](const Scalar& r) {
    Scalar i = from_end ? t.rows() - int_imm(1) - r : r;
    Stmt known = repeat("q", r, [&](const Scalar& q) {
      Scalar j = from_end ? t.rows() - int_imm(1) - q : q;
      return b.subtract(i, j, element(i, j));
    });
    if (kind.is_unit) return known;
    return in_order(
        {known, b.row("d", [&](const Scalar& j) { return b.set(i, j, divide(b.at(i, j), element(i, i))); })});
  });
}

Ref<BaseFunc> lower_det(const Call& call) {
  KernelBuilder k("det");
  Ref<Buffer> a = k.input("A", call.args[0]->type), y = k.output("T_det", call.type);
  const DType wide = accumulator(a->dtype);
  const LocalMatrix m("m", wide, a->shape.back(), a->shape.back());
  const Elimination elimination(m, nullptr);
  const Cell product("product", wide);
  std::vector<Ref<Buffer>> locals = elimination.locals();
  locals.push_back(product.buffer());
  k.steps({.name = "det",
           .spatial = batch_of(a),
           .reads = {a},
           .writes = {y},
           .locals = locals,
           .body = [&](const Indices& at) {
             Stmt multiply =
                 repeat("d", m.rows(), [&](const Scalar& i) { return product.set(product.get() * m.at(i, i)); });
             return in_order({m.copy(a, at), elimination.run(), product.set(elimination.sign()), multiply,
                              store(y, at, product.get())});
           }});
  return std::move(k).finish();
}

// The logarithms of pivots are added up: their product may be beyond all numbers.
Ref<BaseFunc> lower_slogdet(const Call& call) {
  KernelBuilder k("slogdet");
  const std::vector<Type>& results = find<TupleType>(call.type)->fields;
  Ref<Buffer> a = k.input("A", call.args[0]->type), sign = k.output("T_sign", results[0]),
              log = k.output("T_log", results[1]);
  const DType wide = accumulator(a->dtype);
  const LocalMatrix m("m", wide, a->shape.back(), a->shape.back());
  const Elimination elimination(m, nullptr);
  const Cell product("product", wide), sum("sum", wide);
  std::vector<Ref<Buffer>> locals = elimination.locals();
  locals.insert(locals.end(), {product.buffer(), sum.buffer()});
  const auto sign_of = [&](const Scalar& x) {
    const Scalar zero = constant(wide, 0), one = constant(wide, 1);
    // Zero and NaN stay what they are.
    return Select::make(less(zero, x), one, Select::make(less(x, zero), constant(wide, -1), x));
  };
  k.steps({.name = "slogdet",
           .spatial = batch_of(a),
           .reads = {a},
           .writes = {sign, log},
           .locals = locals,
           .body = [&](const Indices& at) {
             Stmt add_up = repeat("d", m.rows(), [&](const Scalar& i) {
               return in_order({product.set(product.get() * sign_of(m.at(i, i))),
                                sum.set(sum.get() + intrinsic("log", intrinsic("abs", m.at(i, i))))});
             });
             return in_order({m.copy(a, at), elimination.run(), product.set(elimination.sign()),
                              sum.set(constant(wide, 0)), add_up, store(sign, at, product.get()),
                              store(log, at, sum.get())});
           }});
  return std::move(k).finish();
}

// Solves a x = b; without `b`, for the identity matrix, which gives the inverse.
Ref<BaseFunc> lower_solve(const Call& call) {
  KernelBuilder k(op_of(call)->name().substr(7));
  Ref<Buffer> a = k.input("A", call.args[0]->type);
  Ref<Buffer> b = call.args.size() > 1 ? k.input("B", call.args[1]->type) : Ref<Buffer>();
  Ref<Buffer> y = k.output("T_solve", call.type);
  const DType wide = accumulator(a->dtype);
  const LocalMatrix m("m", wide, a->shape.back(), a->shape.back()), x("x", wide, a->shape.back(), y->shape.back());
  const Elimination elimination(m, &x);
  k.steps({.name = "solve",
           .spatial = batch_of(a),
           .reads = b ? std::vector{a, b} : std::vector{a},
           .writes = {y},
           .locals = elimination.locals(),
           .body = [&](const Indices& at) {
             return in_order({m.copy(a, at), b ? x.copy(b, at) : x.set_to_identity(), elimination.run(),
                              substitute_back(m, x, {}), x.write(y, at)});
           }});
  return std::move(k).finish();
}

Ref<BaseFunc> lower_triangular_solve(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("triangular_solve");
  Ref<Buffer> a = k.input("A", call.args[0]->type), b = k.input("B", call.args[1]->type),
              y = k.output("T_solve", call.type);
  const DType wide = accumulator(a->dtype);
  const LocalMatrix m("m", wide, a->shape.back(), a->shape.back()), x("x", wide, a->shape.back(), y->shape.back());
  const Triangle kind{in.bool_attr("upper"), in.bool_attr("unit_diagonal"), in.bool_attr("transposed")};
  k.steps({.name = "triangular_solve",
           .spatial = batch_of(a),
           .reads = {a, b},
           .writes = {y},
           .locals = {m.buffer(), x.buffer()},
           .body = [&](const Indices& at) {
             return in_order({m.copy(a, at), x.copy(b, at), substitute_back(m, x, kind), x.write(y, at)});
           }});
  return std::move(k).finish();
}

// Cholesky factorisation row by row. The square root of a negative number is NaN, which marks a matrix that is not
// positive definite.
Ref<BaseFunc> lower_cholesky(const Call& call) {
  KernelBuilder k("cholesky");
  Ref<Buffer> a = k.input("A", call.args[0]->type), y = k.output("T_factor", call.type);
  const DType wide = accumulator(a->dtype);
  const LocalMatrix m("m", wide, a->shape.back(), a->shape.back());
  const Cell sum("sum", wide);
  auto factor = [&] {
    return m.each([&](const Scalar& i, const Scalar& j) {
      Stmt known =
          repeat("k", min(i, j), [&](const Scalar& p) { return sum.set(sum.get() - m.at(i, p) * m.at(j, p)); });
      Stmt below = m.set(i, j, divide(sum.get(), m.at(j, j))), diagonal = m.set(i, j, intrinsic("sqrt", sum.get()));
      Stmt above_it = m.set(i, j, constant(wide, 0));
      Stmt part = in_order({sum.set(m.at(i, j)), known, when(equals(i, j), diagonal, below)});
      return when(less(i, j), above_it, part);
    });
  };
  k.steps({.name = "cholesky",
           .spatial = batch_of(a),
           .reads = {a},
           .writes = {y},
           .locals = {m.buffer(), sum.buffer()},
           .body = [&](const Indices& at) { return in_order({m.copy(a, at), factor(), m.write(y, at)}); }});
  return std::move(k).finish();
}

// Draws elements from [0, 1), for which nearly singular matrices are rare.
Expr square_matrix(Sampler& s) {
  const int64_t size = s.between(1, 4);
  Dims dims = sizes({size, size});
  if (s.chance(40)) dims.insert(dims.begin(), int_imm(s.between(0, 3)));
  return s.tensor({.dims = dims, .dtype = DType::float_(64), .values = Values::Unit});
}

OpSample sample_matrix(Sampler& s) { return {{square_matrix(s)}}; }

OpSample sample_system(Sampler& s) {
  Expr a = square_matrix(s);
  Dims dims = sampled_dims(a);
  dims.back() = int_imm(s.between(1, 3));
  return {{a, s.tensor({.dims = dims, .dtype = sampled_dtype(a), .values = Values::Finite})}};
}

OpSample sample_triangular_system(Sampler& s) {
  OpSample out = sample_system(s);
  for (const char* name : {"upper", "transposed", "unit_diagonal"}) out.attrs[name] = s.chance(50);
  return out;
}

}  // namespace

void register_matrix_solving_ops(OpTable& ops) {
  auto add = [&](const char* name, const char* summary, std::vector<OpParam> more, InferFn infer, LowerFn lower,
                 SampleFn sample) {
    std::vector<std::string> constraints{"C1: the dtype is a float", "C2: the matrices are square"};
    if (infer == infer_solve)
      constraints = {"C1: both have one float dtype", "C2: the matrices are square",
                     "C3: b has the batch and the rows of a"};
    std::vector<OpParam> params{{"a", "float tensor of square matrices (..., n, n) (C1, C2)"}};
    params.insert(params.end(), more.begin(), more.end());
    ops.add({.name = name,
             .summary = summary,
             .params = std::move(params),
             .constraints = std::move(constraints),
             .infer = infer,
             .lower = lower,
             .sample = sample});
  };
  const OpParam right{"b", "float tensor (..., n, columns) (C1, C3)"};
  add("linalg.det", "The determinant of each matrix.", {}, infer_det, lower_det, sample_matrix);
  add("linalg.slogdet", "The sign of the determinant of each matrix, and the logarithm of its absolute value.", {},
      infer_slogdet, lower_slogdet, sample_matrix);
  add("linalg.inverse", "The inverse of each matrix; of a singular one infinities or NaN.", {}, infer_square,
      lower_solve, sample_matrix);
  add("linalg.solve", "The x of a x = b for each matrix; of a singular one infinities or NaN.", {right}, infer_solve,
      lower_solve, sample_system);
  add("linalg.triangular_solve", "The x of a x = b for triangles a, of which the other half is not read.",
      {right, bool_param("upper", "the upper triangle, else the lower one", true),
       bool_param("transposed", "solve with the transposed triangle", false),
       bool_param("unit_diagonal", "the diagonal is 1 and not read", false)},
      infer_solve, lower_triangular_solve, sample_triangular_system);
  add("linalg.cholesky",
      "The lower triangle L with L L^T = a, of which the lower half is read; NaN where there is none.", {},
      infer_square, lower_cholesky, sample_matrix);
}

}  // namespace sunmao
