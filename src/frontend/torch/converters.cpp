#include "frontend/torch/converters.h"

#include <algorithm>
#include <unordered_map>

#include "io/concat.h"
#include "support/spelling.h"

namespace sunmao::torch {
namespace {

using Family = std::vector<Converter> (*)();
constexpr Family kFamilies[] = {activation_converters,    arithmetic_converters,     attention_converters,
                                comparison_converters,    complex_converters,        convolution_converters,
                                copy_converters,          creation_converters,       dropout_converters,
                                fft_converters,           image_converters,          index_converters,
                                join_converters,          linear_algebra_converters, loss_converters,
                                matmul_converters,        norm_converters,           pad_converters,
                                pool_converters,          quantize_converters,       choose_quantisation_converters,
                                recurrent_converters,     reduce_converters,         scatter_converters,
                                search_converters,        shape_converters,          slice_converters,
                                unary_converters,         vision_converters,         diagonal_converters,
                                einsum_converters,        order_converters,          selected_converters,
                                random_converters,        strided_converters,        special_converters,
                                factorisation_converters, matrix_norm_converters,    order_statistics_converters};

}  // namespace

const std::vector<Converter>& all_converters() {
  static const std::vector<Converter> rows = [] {
    std::vector<Converter> out;
    for (Family family : kFamilies) std::ranges::copy(family(), std::back_inserter(out));
    std::ranges::copy(prims_converters(out), std::back_inserter(out));
    return out;
  }();
  return rows;
}

const Converter* find_converter(std::string_view target) {
  static const std::unordered_map<std::string_view, const Converter*> table = [] {
    std::unordered_map<std::string_view, const Converter*> t;
    for (const Converter& c : all_converters()) t.emplace(c.target, &c);
    return t;
  }();
  auto it = table.find(target);
  return it == table.end() ? nullptr : it->second;
}

std::string nearest_form(const std::string& target) {
  const size_t overload = target.find('.', target.find('.') + 1);  // none where the op has no overloads
  const std::string op = overload == std::string::npos ? target + "." : target.substr(0, overload + 1);
  std::vector<std::string> overloads, names;
  for (const Converter& c : all_converters()) {
    if (std::string_view(c.target).starts_with(op)) overloads.emplace_back(c.target);
    names.emplace_back(c.target);
  }
  if (overloads.empty()) return did_you_mean(target, names);
  return fmt::format("its overload {} is read", io::quoted(overloads.front()));
}

}  // namespace sunmao::torch
