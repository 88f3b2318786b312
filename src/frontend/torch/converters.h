// The table of all converters of ATen overloads.
#pragma once
#include <string_view>
#include <vector>

#include "frontend/torch/node_context.h"

namespace sunmao::torch {

/// Returns the rows of all families.
const std::vector<Converter>& all_converters();

/// Returns the row of an overload such as "aten.add.Tensor"; null when there is none.
const Converter* find_converter(std::string_view target);

/// Returns the overload of `aten` that takes what a prim takes, under the same names; empty where there is none.
std::string_view twin_of_prim(std::string_view target);

/// Returns which overload that is read comes closest to one that is not; empty for none.
std::string nearest_form(const std::string& target);

}  // namespace sunmao::torch
