// Attributes that link a lifted function and its weight transforms to each other; scripts contain them.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// On a function: the names of its transforms in execution order; a string if there is one.
inline constexpr const char* kParamTransformAttr = "sunmao.param_transform";
/// On a transform: the functions whose weights it prepares; a string if there is one.
inline constexpr const char* kTransformOfAttr = "sunmao.param_transform_of";
/// On a transform: the names of the weights in its tuple parameter.
inline constexpr const char* kWeightNamesAttr = "sunmao.weight_names";
/// On a transform: maps each weight it returns to the names of the weights it is computed from.
inline constexpr const char* kPreparedFromAttr = "sunmao.prepared_from";

/// Returns an attribute that is a string or a list of strings; empty when it is absent.
std::vector<std::string> names_in(const BaseFunc& f, const char* attr);
/// Inverse of `names_in`: a single name becomes a string.
AttrValue name_or_names(const std::vector<std::string>& names);

/// Returns the transforms of graph-level function `name` in execution order. Fails (E0532) when a transform does not
/// take the result of the previous one, or the last result does not fit the parameters from `num_input` on.
std::vector<std::string> param_transforms(const std::string& name, const Module& module);
/// True when graph-level function `name` has transforms whose signatures fit each other and the function. Other passes
/// change these signatures, for instance to callbacks instead of tuples.
bool has_fitting_transforms(const std::string& name, const Module& module);
/// True when the function has the attribute of a weight transform.
inline bool is_param_transform(const BaseFunc& f) { return f.attrs.has(kTransformOfAttr); }

/// Fails (E0532) when function `name` cannot be the transform of `f`: it must take one tuple and return one that fits
/// the parameters of `f` from index `inputs` on.
void check_transform(const std::string& name, const Function& transform, const Function& f, size_t inputs);

/// True when `transform` takes one tuple and returns one that fits the parameters of `f` from index `inputs` on.
bool has_transform_signature(const Function& transform, const Function& f, size_t inputs);

}  // namespace sunmao
