// How a lifted function and its parameter transforms name one another: attributes that scripts print.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// On a function: the names of its transforms in the order in which they run; a text where there is one.
inline constexpr const char* kParamTransformAttr = "sunmao.param_transform";
/// On a transform: the functions whose weights it prepares; a text where there is one.
inline constexpr const char* kTransformOfAttr = "sunmao.param_transform_of";
/// On a transform: the names of the weights that it takes.
inline constexpr const char* kWeightNamesAttr = "sunmao.weight_names";
/// On a transform: for each weight that it gives, the names of those that it is made of.
inline constexpr const char* kPreparedFromAttr = "sunmao.prepared_from";

/// An attribute that is a text or a list of texts; empty when it is absent.
std::vector<std::string> names_in(const BaseFunc& f, const char* attr);
/// The other way round: one name is a text.
AttrValue name_or_names(const std::vector<std::string>& names);

/// The transforms of a function that the module has, in the order in which they run. Fails (E0532) where one does not
/// take what the one before it gives, or the last does not give what the function takes behind `num_input`.
std::vector<std::string> param_transforms(const Function& f, const Module& module);
/// Whether a function has transforms, and they go with one another and with it: other passes give them other
/// signatures, callbacks in place of tuples for one.
bool has_fitting_transforms(const Function& f, const Module& module);
/// Whether a function prepares the weights of others, by its attribute.
inline bool is_param_transform(const BaseFunc& f) { return f.attrs.has(kTransformOfAttr); }

/// Fails (E0532) when the function called `name` cannot be the transform of `f`: it does not take one tuple, or give
/// one that fits the parameters of `f` behind `num_input`.
void check_transform(const std::string& name, const Function& transform, const Function& f);

/// Whether `transform` takes one tuple and gives one that fits the parameters of `f` behind `inputs`.
bool has_transform_signature(const Function& transform, const Function& f, size_t inputs);

}  // namespace sunmao
