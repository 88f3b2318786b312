// A few ops for parser and printer tests, with all kinds of parameters and no semantics.
#pragma once
#include "ir/op.h"
#include "script/parse.h"

namespace sunmao {

inline Type same_as_first(const InferInput& in) {
  in.tensor(0);
  return in.type(0);
}
inline Type told_type(const InferInput& in) {
  if (in.type_args.empty()) return AnyType::make();
  return in.type_args.size() == 1 ? in.type_args[0] : TupleType::make({in.type_args.begin(), in.type_args.end()});
}
inline Type unknown_tensor(const InferInput& in) { return TensorType::make_unknown(in.tensor(0).dtype); }
inline Type shape_of_first(const InferInput& in) { return ShapeType::make_unknown(in.tensor(0).rank); }

inline const OpTable& fake_ops() {
  static const OpTable table = [] {
    OpTable ops;
    ops.add({.name = "add", .params = {{"x1", "tensor"}, {"x2", "tensor"}}, .infer = same_as_first});
    ops.add({.name = "multiply", .params = {{"x1", "tensor"}, {"x2", "tensor"}}, .infer = same_as_first});
    ops.add({.name = "nn.relu", .params = {{"data", "tensor"}}, .infer = same_as_first});
    ops.add({.name = "permute_dims",
             .params = {{"x", "tensor"}, {"axes", "a permutation", ParamKind::Attr, AttrValue()}},
             .infer = unknown_tensor});
    ops.add({.name = "astype",
             .params = {{"x", "tensor"}, {"dtype", "a dtype", ParamKind::Attr}},
             .infer = unknown_tensor});
    ops.add({.name = "reshape",
             .params = {{"x", "tensor"}, {"shape", "a shape", ParamKind::Shape}},
             .infer = unknown_tensor});
    ops.add({.name = "shape_of", .params = {{"x", "tensor"}}, .infer = shape_of_first});
    ops.add({.name = "concat",
             .params = {{"tensors", "a tuple", ParamKind::Tuple}, {"axis", "an axis", ParamKind::Attr, AttrValue(0)}},
             .infer = [](const InferInput& in) {
               return in.tuple(0).fields.empty() ? AnyType::make() : in.tuple(0).fields[0];
             }});
    ops.add({.name = "layout_transform",
             .params = {{"x", "tensor"},
                        {"index_map", "a map", ParamKind::Attr},
                        {"pad_value", "a number", ParamKind::Attr, AttrValue()}},
             .infer = unknown_tensor});
    ops.add({.name = "clip",
             .params = {{"x", "tensor"},
                        {"min", "a scalar", ParamKind::Value},
                        {"max", "a scalar", ParamKind::Value, AttrValue()}},
             .infer = same_as_first});
    ops.add({.name = "mixed",
             .params = {{"x", "tensor"},
                        {"mode", "text", ParamKind::Attr, AttrValue("up")},
                        {"y", "tensor", ParamKind::Tensor, AttrValue()}},
             .infer = same_as_first});
    ops.add({.name = "to_vdevice",
             .params = {{"data", "tensor"}, {"dst_vdevice", "a device", ParamKind::Attr}},
             .infer = same_as_first});
    ops.add({.name = "print",
             .params = {{"x", "tensor"}, {"format", "text", ParamKind::Attr, AttrValue("")}},
             .infer = [](const InferInput&) { return TupleType::make({}); },
             .is_pure = false});
    ops.add({.name = "call_tir",
             .params = {{"gvar", "function", ParamKind::Value},
                        {"args", "tuple", ParamKind::Tuple},
                        {"tir_vars", "shape", ParamKind::Shape, AttrValue()}},
             .infer = told_type});
    ops.add({.name = "call_dps_packed",
             .params = {{"func", "function", ParamKind::Value}, {"args", "tuple", ParamKind::Tuple}},
             .infer = told_type});
    ops.add({.name = "call_pure_packed",
             .params = {{"func", "function", ParamKind::Value}, {"args", "tuple", ParamKind::Tuple}},
             .infer = told_type});
    return ops;
  }();
  return table;
}

inline Module read(const std::string& script, const ParseOptions& options = {}) {
  return parse_module(Source::make("script.py", script), fake_ops(), options);
}

}  // namespace sunmao
