#include "ops/params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ops/broadcast.h"

namespace sunmao {

const std::vector<Scalar>* written(const TensorType& x) {
  const auto* shape = find<ShapeExpr>(x.shape);
  return shape ? &shape->values : nullptr;
}

Type shaped_by(const InferInput& in, size_t i, DType dtype, Ref<VDevice> vdevice) {
  const ShapeType& shape = in.shape(i);
  if (find<Var>(in.args[i])) return TensorType::make_with_shape(in.args[i], dtype, std::move(vdevice));
  if (shape.values) return TensorType::make(*shape.values, dtype, std::move(vdevice));
  return TensorType::make_unknown(dtype, shape.rank, std::move(vdevice));
}

Type with_dtype(const TensorType& x, DType dtype) {
  if (x.dtype == dtype) return Type(&x);
  return x.shape ? TensorType::make_with_shape(x.shape, dtype, x.vdevice)
                 : TensorType::make_unknown(dtype, x.rank, x.vdevice);
}

Type infer_as_first(const InferInput& in) { return in.type(0); }

Type infer_as_tensor(const InferInput& in) {
  in.tensor(0);
  return in.type(0);
}

Type infer_as_float_tensor(const InferInput& in) {
  need_float(in, in.tensor(0));
  return in.type(0);
}

Type infer_nothing(const InferInput&) { return TupleType::make({}); }

Expr first_argument(const Call& call) { return call.args[0]; }

void need_equal_sizes(const InferInput& in, const char* what, const Scalar& a, const Scalar& b) {
  if (!in.can_agree(a, b)) in.error("E0309", fmt::format("{} differ: {} against {}", what, describe(a), describe(b)));
}

Type tensor_like(const TensorType& x, std::optional<std::vector<Scalar>> dims, int rank) {
  return dims ? TensorType::make(std::move(*dims), x.dtype, x.vdevice)
              : TensorType::make_unknown(x.dtype, rank, x.vdevice);
}

bool is_one(const Scalar& dim) {
  const int64_t* size = find_int(dim);
  return size && *size == 1;
}

Scalar product(std::span<const Scalar> dims) {
  if (dims.empty()) return int_imm(1);
  Scalar p = dims[0];
  for (const Scalar& d : dims.subspan(1)) p = p * d;
  return p;
}

void need_dtype(const InferInput& in, bool holds, const std::string& name, const char* wanted, DType got) {
  if (holds) return;
  const char* article = std::string_view("aeiou").find(*wanted) == std::string_view::npos ? "a" : "an";
  in.error("E0306", fmt::format("`{}` needs {} {} dtype, got {}", name, article, wanted, got.str()),
           "cast it with astype");
}

void need_float(const InferInput& in, const TensorType& x) {
  if (!x.dtype.is_void() && !x.dtype.is_float())
    in.error("E0306", "needs a float tensor, got " + x.dtype.str(), "cast it with astype");
}

void need_scalar(const InferInput& in, size_t i) {
  if (!find<PrimType>(in.type(i)))
    in.error("E0201", fmt::format("`{}` must be a scalar, got {}", in.op.inputs()[i]->name, describe(in.type(i))));
}

void need_integers(const InferInput& in, const std::string& name, DType t) {
  need_dtype(in, t.is_void() || t.is_int() || t.is_uint(), name, "integer", t);
}

void need_rank(const InferInput& in, size_t i, int rank) {
  int got = in.tensor(i).rank;
  if (got != kUnknownRank && got != rank)
    in.error("E0307", fmt::format("`{}` must have rank {}, got {}", in.op.inputs()[i]->name, rank, got));
}

std::vector<int> distinct_axes(const InferInput& in, const std::vector<int64_t>& axes, int rank) {
  std::vector<int> out;
  for (int64_t a : axes) {
    int axis = in.normalize_axis(a, rank);
    if (std::ranges::find(out, axis) != out.end()) in.error("E0203", fmt::format("axis {} is given twice", a));
    out.push_back(axis);
  }
  return out;
}

std::string word_attr(const InferInput& in, const std::string& name, std::initializer_list<const char*> words) {
  std::string value = in.string_attr(name);
  if (std::ranges::find(words, value) == words.end())
    in.error("E0203", fmt::format("attribute `{}` cannot be \"{}\"", name, value),
             fmt::format("one of \"{}\"", fmt::join(words, "\", \"")));
  return value;
}

Scalar scalar_value(const Expr& arg) {
  if (const auto* p = find<PrimValue>(arg)) return p->value;
  if (const auto* t = find<PrimType>(arg->type)) return t->value;
  return nullptr;
}

std::optional<std::vector<Scalar>> scalar_values(const Expr& arg) {
  if (const auto* shape = find<ShapeType>(arg->type)) return shape->values;
  const auto* tuple = find<TupleType>(arg->type);
  if (!tuple) return std::nullopt;
  const auto* literal = find<Tuple>(arg);
  std::vector<Scalar> out;
  for (size_t i = 0; i < tuple->fields.size(); ++i) {
    const auto* prim = find<PrimType>(tuple->fields[i]);
    Scalar value = literal ? scalar_value(literal->fields[i]) : prim ? prim->value : nullptr;
    if (!value) return std::nullopt;
    out.push_back(std::move(value));
  }
  return out;
}

Scalar number_or(const InferInput& in, const Scalar& s) {
  Scalar simple = in.analyzer().simplify(s);
  return find_int(simple) ? simple : s;
}

void need_one_dtype(const InferInput& in, size_t i, size_t j) {
  const DType own = in.tensor(i).dtype, other = in.tensor(j).dtype;
  if (own.is_void() || other.is_void() || own == other) return;
  in.error("E0304", fmt::format("`{}` differs in dtype from `{}`: {} and {}", in.op.inputs()[i]->name,
                                in.op.inputs()[j]->name, own.str(), other.str()));
}

void need_dims(const InferInput& in, size_t i, const std::vector<Scalar>& wanted) {
  if (!in.has(i)) return;
  need_rank(in, i, static_cast<int>(wanted.size()));
  const std::vector<Scalar>* dims = in.tensor(i).dims();
  for (size_t d = 0; dims && d < wanted.size(); ++d)
    if (wanted[d] && !in.can_agree((*dims)[d], wanted[d]))
      in.error("E0309", fmt::format("dimension {} of `{}` is {}, expected {}", d, in.op.inputs()[i]->name,
                                    describe((*dims)[d]), describe(wanted[d])));
}

Ref<VDevice> shared_vdevice(const InferInput& in, const std::vector<const TensorType*>& tensors) {
  const TensorType* first = nullptr;
  for (const TensorType* t : tensors) {
    if (!t->vdevice) continue;
    if (first) common_vdevice(in, *first, *t);
    if (!first) first = t;
  }
  return first ? first->vdevice : nullptr;
}

Ref<VDevice> shared_vdevice(const InferInput& in, std::initializer_list<const TensorType*> tensors) {
  return shared_vdevice(in, std::vector<const TensorType*>(tensors));
}

}  // namespace sunmao
