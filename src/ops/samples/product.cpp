// Samples of products of matrices.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

OpSample product(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 3});
  Dims dims{sampled_dims(x).back()};
  if (s.chance(80)) dims.push_back(int_imm(s.between(1, 5)));
  if (dims.size() == 2 && s.chance(20)) dims.insert(dims.begin(), int_imm(1));
  return {{x, s.beside(x, dims)}};
}

OpSample outer(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 1});
  return {{x, s.beside(x, s.dims(1, 1))}};
}

OpSample linear(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 3});
  const Scalar features = int_imm(s.between(1, 4));
  std::vector<Expr> args{x, s.beside(x, {features, sampled_dims(x).back()})};
  if (s.chance(50)) args.push_back(s.beside(x, {features}));
  return {std::move(args)};
}

OpSample summed(Sampler& s) {
  Expr x = s.tensor({.min_rank = 2, .max_rank = 3, .size = Sizes::Whole});
  Expr y = s.beside(x, {sampled_dims(x).back(), int_imm(s.between(1, 4))});
  const bool is_batch = sampled_rank(x) == 3;
  return {{Tuple::make({x, y})}, {{"subscripts", is_batch ? "bij,jk->bki" : "ij,jk->ki"}}};
}

OpSample packed_product(Sampler& s) {
  const int64_t inner = s.between(1, 4), panels = s.between(1, 3), width = s.between(1, 4);
  Expr x = s.tensor({.dims = sizes({s.between(1, 4), inner})});
  return {{x, s.beside(x, sizes({panels, inner, width}))},
          {{"n", s.between((panels - 1) * width + 1, panels * width)}}};
}

}  // namespace

void add_product_samples(SampleTable& t) {
  t["matmul"] = product;
  t["outer"] = outer;
  t["linear"] = linear;
  t["packed_matmul"] = packed_product;
  t["einsum"] = summed;
}

}  // namespace sunmao
