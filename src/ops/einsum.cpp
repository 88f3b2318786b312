// Einstein summation, and ops that are defined by products.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ops/broadcast.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

// The index letters of each operand and of the output. The axes that "..." stands for are named by digits, aligned at
// the end.
struct Subscripts {
  std::vector<std::string> inputs;
  std::string output;
};

std::string with_dots(const InferInput& in, const std::string& text, int rank, int& widest) {
  size_t dots = text.find("...");
  if (dots == std::string::npos) return text;
  int axes = rank - static_cast<int>(text.size() - 3);
  if (axes < 0 || axes > 9)
    in.error("E0309", fmt::format("`{}` has more letters than a tensor of rank {}", text, rank));
  widest = std::max(widest, axes);
  std::string digits;
  for (int i = axes; i-- > 0;) digits += static_cast<char>('0' + i);
  return text.substr(0, dots) + digits + text.substr(dots + 3);
}

Subscripts read_subscripts(const InferInput& in, const std::vector<int>& ranks) {
  std::string text;
  for (char c : in.string_attr("subscripts")) {
    bool fits =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || std::string_view(",.-> ").find(c) != std::string_view::npos;
    if (!fits)
      in.error("E0203", fmt::format("`subscripts` cannot hold `{}`", c), "letters, ',', '...' and '->'");  // C7
    if (c != ' ') text += c;
  }
  size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow), right = arrow == std::string::npos ? "" : text.substr(arrow + 2);
  Subscripts s;
  int widest = 0;
  for (size_t begin = 0; begin <= left.size();) {
    size_t end = std::min(left.find(',', begin), left.size());
    if (s.inputs.size() == ranks.size())
      in.error("E0202", fmt::format("`{}` names more than {} operands", text, ranks.size()));
    s.inputs.push_back(with_dots(in, left.substr(begin, end - begin), ranks[s.inputs.size()], widest));
    begin = end + 1;
  }
  if (s.inputs.size() != ranks.size())  // C2
    in.error("E0202", fmt::format("`{}` names {} operands, got {}", text, s.inputs.size(), ranks.size()));
  std::string digits;
  for (int i = widest; i-- > 0;) digits += static_cast<char>('0' + i);
  if (arrow != std::string::npos) {
    size_t dots = right.find("...");
    s.output = dots == std::string::npos ? right : right.substr(0, dots) + digits + right.substr(dots + 3);
    return s;
  }
  // Without an arrow the output holds the axes of "...", then the letters that occur exactly once, in alphabetical
  // order.
  std::map<char, int> count;
  for (const std::string& i : s.inputs)
    for (char c : i) ++count[c];
  s.output = digits;
  for (auto [letter, times] : count)
    if (times == 1 && !(letter >= '0' && letter <= '9')) s.output += letter;
  return s;
}

// Returns the size of each letter of an einsum. Checks C3 (all axes of a letter agree or have size 1), C6, and of C4
// that each letter of the output occurs in an operand.
std::map<char, Scalar> sizes_of(const InferInput& in, const Subscripts& s,
                                const std::vector<const std::vector<Scalar>*>& dims) {
  std::map<char, Scalar> sizes;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (s.inputs[i].size() != dims[i]->size())
      in.error("E0309",
               fmt::format("`{}` names {} axes, the tensor has {}",  // C6
                           s.inputs[i], s.inputs[i].size(), dims[i]->size()));
    for (size_t j = 0; j < dims[i]->size(); ++j) {
      Scalar& size = sizes[s.inputs[i][j]];
      const Scalar& own = (*dims[i])[j];
      const int64_t *known = size ? find_int(size) : nullptr, *mine = find_int(own);
      if (!size || (known && *known == 1))
        size = own;
      else if (!(mine && *mine == 1) && !in.can_agree(size, own))
        in.error("E0309", fmt::format("`{}` is {} and {}", s.inputs[i][j], describe(size), describe(own)));
    }
  }
  for (char c : s.output)
    if (!sizes.contains(c)) in.error("E0203", fmt::format("`{}` of the output is in no operand", c));  // C4
  return sizes;
}

std::vector<int> ranks_of(const std::vector<const TensorType*>& tensors) {
  std::vector<int> out;
  for (const TensorType* t : tensors) out.push_back(t->rank);
  return out;
}

Type infer_einsum(const InferInput& in) {
  std::vector<const TensorType*> tensors = in.tensors(0);
  if (tensors.empty()) in.error("E0202", "needs one operand at least, got none");  // C1
  DType dtype = tensors[0]->dtype;
  for (const TensorType* t : tensors) dtype = dtype.is_void() ? dtype : common_dtype(in, *tensors[0], *t);  // C5
  Ref<VDevice> device = shared_vdevice(in, tensors);
  std::vector<const std::vector<Scalar>*> dims;
  for (const TensorType* t : tensors) {
    if (t->rank == kUnknownRank) return TensorType::make_unknown(dtype, kUnknownRank, device);
    dims.push_back(t->dims());
  }
  Subscripts s = read_subscripts(in, ranks_of(tensors));
  for (size_t i = 0; i < s.output.size(); ++i)
    if (s.output.find(s.output[i], i + 1) != std::string::npos)  // C4
      in.error("E0203", fmt::format("`{}` stands twice in the output", s.output[i]));
  if (std::ranges::find(dims, nullptr) != dims.end())
    return TensorType::make_unknown(dtype, static_cast<int>(s.output.size()), device);
  std::map<char, Scalar> sizes = sizes_of(in, s, dims);
  std::vector<Scalar> out;
  for (char c : s.output) out.push_back(sizes[c]);
  return TensorType::make(std::move(out), dtype, device);
}

Ref<BaseFunc> lower_einsum(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("einsum");
  std::vector<Ref<Buffer>> parts = inputs_of(k, call.args[0]);
  Ref<Buffer> y = k.output("T_einsum", call.type);
  std::vector<int> ranks;
  std::vector<const std::vector<Scalar>*> dims;
  for (const Ref<Buffer>& p : parts) {
    ranks.push_back(p->rank());
    dims.push_back(&p->shape);
  }
  Subscripts s = read_subscripts(in, ranks);
  std::map<char, Scalar> sizes = sizes_of(in, s, dims);
  std::string reduced;
  std::vector<Scalar> extents;
  for (const auto& [letter, size] : sizes)
    if (s.output.find(letter) == std::string::npos) {
      reduced += letter;
      extents.push_back(size);
    }
  auto value = [&](const Indices& at, const Indices& r) {
    Scalar product;
    for (size_t i = 0; i < parts.size(); ++i) {
      Indices from;
      for (char c : s.inputs[i]) {
        size_t place = s.output.find(c);
        from.push_back(place != std::string::npos ? at[place] : r[reduced.find(c)]);
        const int64_t* size = find_int(parts[i]->shape[from.size() - 1]);
        if (size && *size == 1) from.back() = int_imm(0);
      }
      Scalar factor = load(parts[i], from);
      product = product ? product * factor : factor;
    }
    return product;
  };
  if (extents.empty())
    k.compute(y, "T_einsum", [&](const Indices& at) { return value(at, {}); });
  else
    k.reduce(y, "T_einsum", extents, summed(y->dtype), value);
  return std::move(k).finish();
}

Type infer_outer(const InferInput& in) {
  const TensorType &a = in.tensor(0), &b = in.tensor(1);
  need_rank(in, 0, 1);  // C1
  need_rank(in, 1, 1);
  DType dtype = common_dtype(in, a, b);  // C2
  Ref<VDevice> device = shared_vdevice(in, {&a, &b});
  if (!written(a) || !written(b)) return TensorType::make_unknown(dtype, 2, device);
  return TensorType::make({written(a)->front(), written(b)->front()}, dtype, device);
}

Ref<BaseFunc> lower_outer(const Call& call) {
  KernelBuilder k("outer");
  Ref<Buffer> a = k.input("A", call.args[0]->type), b = k.input("B", call.args[1]->type),
              y = k.output("T_outer", call.type);
  k.compute(y, "T_outer", [&](const Indices& at) { return load(a, {at[0]}) * load(b, {at[1]}); });
  return std::move(k).finish();
}

DType dtype_of(const Expr& e) {
  const auto* tensor = find<TensorType>(e->type);
  return tensor ? tensor->dtype : DType();
}

// Decomposes `linear`: the product of the first argument and the transposed second one, plus the bias if there is one;
// a bias of the first argument's dtype is first cast to the dtype of the product.
Expr product_plus(const std::vector<Expr>& args, const Attrs& attrs, const Span& span) {
  const OpTable& ops = builtin_ops();
  Expr transposed = Call::make(ops.get("permute_dims"), {args[1]}, {}, {}, span);
  const AttrValue* dtype = attrs.find("out_dtype");
  Expr product = Call::make(ops.get("matmul"), {args[0], transposed},
                            Attrs(AttrMap{{"out_dtype", dtype ? *dtype : AttrValue()}}), {}, span);
  if (args.size() < 3) return product;
  Expr bias = args[2];
  const DType sum = dtype_of(product);
  if (!sum.is_void() && dtype_of(bias) != sum && dtype_of(bias) == dtype_of(args[0]))
    bias = Call::make(ops.get("astype"), {bias}, Attrs(AttrMap{{"dtype", sum}}), {}, span);
  return Call::make(ops.get("add"), {product, bias}, {}, {}, span);
}

// Returns the arguments of `linear` that are present.
std::vector<Expr> given_arguments(std::span<const Expr> args) {
  const auto* absent = args.size() < 3 ? nullptr : find<Tuple>(args[2]);
  return {args.begin(), absent ? args.begin() + 2 : args.end()};
}

// Checks the bias of `linear`: it has the dtype of the data or of the product (C4), and its shape broadcasts against
// the product's (C5).
void check_bias(const InferInput& in, const TensorType& product) {
  const TensorType& bias = in.tensor(2);
  const DType own = bias.dtype;
  if (!product.dtype.is_void() && !own.is_void() && product.dtype != own && own != in.tensor(0).dtype)
    in.error("E0304", fmt::format("`bias` is {}, the product {}", own.str(), product.dtype.str()),
             "use astype on one of them");
  if (product.dims() && bias.dims()) broadcast_shape(in, *product.dims(), *bias.dims());
}

Type infer_linear(const InferInput& in) {
  const TensorType &x = in.tensor(0), &weight = in.tensor(1);
  if (x.rank == 0) in.error("E0307", "`data` must have rank 1 or more, got 0");  // C1
  if (weight.rank == 0 || weight.rank > 2)
    in.error("E0307", fmt::format("`weight` must have rank 1 or 2, got {}", weight.rank));
  if (in.dtype_attr("out_dtype").is_void()) common_dtype(in, x, weight);  // C2
  common_vdevice(in, x, weight);
  if (x.dims() && weight.dims() && !in.can_agree(x.dims()->back(), weight.dims()->back()))  // C3
    in.error("E0311", fmt::format("inner dimensions differ: `data` has k = {}, `weight` has {}",
                                  describe(x.dims()->back()), describe(weight.dims()->back())));
  Expr product = product_plus({in.args[0], in.args[1]}, in.attrs, in.span);
  if (!in.has(2)) return product->type;
  check_bias(in, *find<TensorType>(product->type));
  return product_plus(given_arguments(in.args), in.attrs, in.span)->type;
}
Expr decompose_linear(const Call& call) { return product_plus(given_arguments(call.args), call.attrs, call.span); }

OpSample sample_outer(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 1});
  return {{x, s.beside(x, s.dims(1, 1))}};
}

OpSample sample_linear(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 3});
  const Scalar features = int_imm(s.between(1, 4));
  std::vector<Expr> args{x, s.beside(x, {features, sampled_dims(x).back()})};
  if (s.chance(50)) args.push_back(s.beside(x, {features}));
  return {std::move(args)};
}

OpSample sample_einsum(Sampler& s) {
  Expr x = s.tensor({.min_rank = 2, .max_rank = 3, .size = Sizes::Whole});
  Expr y = s.beside(x, {sampled_dims(x).back(), int_imm(s.between(1, 4))});
  const bool is_batch = sampled_rank(x) == 3;
  return {{Tuple::make({x, y})}, {{"subscripts", is_batch ? "bij,jk->bki" : "ij,jk->ki"}}};
}

}  // namespace

void register_einsum_ops(OpTable& ops) {
  ops.add(
      {.name = "einsum",
       .summary = "The sum of products over the index letters that the output leaves out, as \"ij,jk->ik\" says.",
       .params = {{"operands", "tuple of tensors (C1, C3, C5, C6)", ParamKind::Tuple},
                  string_param("subscripts", "a letter for each axis; \"...\" for the rest (C2, C4, C6, C7)")},
       .constraints = {"C1: one operand at least", "C2: as many groups of letters as operands",
                       "C3: a letter stands for one size", "C4: the output's letters are those of operands, none twice",
                       "C5: all have one dtype", "C6: as many letters as an operand has axes",
                       "C7: subscripts holds letters, commas, \"...\" and \"->\""},
       .infer = infer_einsum,
       .lower = lower_einsum,
       .fuse = Fuse::Reduce,
       .precision = Precision::Half,
       .sample = sample_einsum});
  ops.add({.name = "outer",
           .summary = "Every element of x1 times every element of x2.",
           .params = {{"x1", "vector (C1, C2)"}, {"x2", "vector (C1, C2)"}},
           .constraints = {"C1: both ranks are 1", "C2: both dtypes are the same"},
           .infer = infer_outer,
           .lower = lower_outer,
           .fuse = Fuse::Broadcast,
           .sample = sample_outer});
  ops.add({.name = "linear",
           .summary = "data times the transposed weight, plus bias.",
           .params = {{"data", "tensor of rank >= 1 (C1, C2, C3)"},
                      {"weight", "matrix or vector (C1, C2, C3)"},
                      optional_param("bias",
                                     "tensor of the dtype of data or of out_dtype; None: nothing is added (C4, C5)"),
                      dtype_param("out_dtype", "as of matmul", AttrValue())},
           .constraints = {"C1: data has rank 1 or more, the weight 1 or 2",
                           "C2: both dtypes are the same, unless out_dtype is given", "C3: the inner dimensions agree",
                           "C4: bias has the dtype of data or of the product", "C5: it broadcasts against the product"},
           .infer = infer_linear,
           .decompose = decompose_linear,
           .fuse = Fuse::Anchor,
           .precision = Precision::Half,
           .sample = sample_linear});
}

}  // namespace sunmao
