#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

std::string told(const std::string& op, std::vector<Expr> args, AttrMap attrs, std::vector<Type> types) {
  try {
    return describe(
        Call::make(builtin_ops().get(op), std::move(args), Attrs(std::move(attrs)), std::move(types))->type);
  } catch (const UserError& e) {
    return e.diagnostics()[0].code;
  }
}

TEST(CallOps, AreTold) {
  Expr f = GlobalVar::make("f"), x = tensor({2}), args = Tuple::make({x, x}), e = ExternFunc::make("g");
  Type t = tensor_type({2});
  std::string shown = "Tensor((2,), \"float32\")";
  EXPECT_EQ(told("call_tir", {f, args}, {}, {t}), shown);
  EXPECT_EQ(told("call_tir", {f, args}, {}, {}), "E0203");
  EXPECT_EQ(told("call_tir", {args, args}, {}, {t}), "E0201");
  EXPECT_EQ(told("call_tir", {f, args, x}, {}, {t}), "E0201");
  EXPECT_EQ(told("call_tir_with_grad", {f, args}, {{"te_grad_name", "h"}}, {t}), shown);
  EXPECT_EQ(told("call_tir_inplace", {f, args}, {{"inplace_indices", 1}}, {t}), shown);
  EXPECT_EQ(told("call_tir_inplace", {f, args}, {{"inplace_indices", -1}}, {t}), "E0203");
  EXPECT_EQ(told("call_tir_inplace", {f, args}, {{"inplace_indices", 2}}, {t}), "E0203");
  EXPECT_EQ(told("call_tir_inplace", {f, args}, {{"inplace_indices", AttrValue::ints({0, 0})}}, {t, t}), "E0203");
  EXPECT_EQ(told("call_inplace_packed", {e, x}, {{"inplace_indices", 0}}, {t}), shown);
  EXPECT_EQ(told("call_inplace_packed", {e, x}, {{"inplace_indices", 1}}, {t}), "E0203");
  EXPECT_EQ(told("call_builtin_with_ctx", {e, args}, {}, {}), "Any");
  EXPECT_EQ(told("call_py_func", {args}, {{"func_name", "p"}}, {t}), shown);
  EXPECT_EQ(told("make_closure", {f, args}, {}, {}), "Any");
  EXPECT_EQ(told("invoke_closure", {variable(AnyType::make()), args}, {}, {t}), shown);
  EXPECT_EQ(told("invoke_closure", {x, args}, {}, {t}), "E0201");
  EXPECT_FALSE(builtin_ops().get("invoke_closure")->info.is_pure);
  EXPECT_TRUE(builtin_ops().get("invoke_pure_closure")->info.is_pure);
}

TEST(BuiltinOps, ShapesAsValues) {
  Ref<SymVar> n = SymVar::make("n");
  Expr x = variable(TensorType::make({n, int_imm(2)}, DType::float_(32)));
  EXPECT_EQ(inferred("shape_of", {x}), "Shape((n, 2))");
  EXPECT_EQ(inferred("shape_of", {variable(unknown_type(3))}), "Shape(ndim=3)");
  EXPECT_EQ(inferred("shape_to_tensor", {shape({n, int_imm(2)})}), "Tensor((2,), \"int64\")");
  EXPECT_EQ(inferred("tensor_to_shape", {tensor({3}, DType::int_(64))}), "Shape(ndim=3)");
  EXPECT_EQ(failure("tensor_to_shape", {tensor({3, 1}, DType::int_(64))}), "E0307");
  EXPECT_EQ(failure("tensor_to_shape", {tensor({3})}), "E0306");
  EXPECT_EQ(inferred("size", {x}), "Tensor((), \"int64\")");
  EXPECT_EQ(run_ints("size", {floats({2, 2}, {1, 2, 3, 4})}), (I{4}));
  EXPECT_EQ(run_ints("shape_to_tensor", {shape_of_ints({7, 8})}), (I{7, 8}));
  EXPECT_EQ(*evaluated("shape_of", {floats({2, 1}, {1, 2})}).shape(), (ShapeValue{2, 1}));
}

TEST(BuiltinOps, Devices) {
  Ref<VDevice> gpu = VDevice::make("cuda");
  AttrMap there{{"dst_vdevice", AttrValue(Ref<GlobalInfo>(gpu))}};
  Ref<Call> moved = call_op("to_vdevice", {tensor({2})}, there);
  EXPECT_EQ(find<TensorType>(moved->type)->vdevice, gpu);
  EXPECT_EQ(failure("to_vdevice", {tensor({2})}, {{"dst_vdevice", 1}}), "E0203");
  EXPECT_EQ(failure("to_vdevice", {tensor({2})}), "E0203");
  EXPECT_EQ(inferred("hint_on_device", {tensor({2})}, there), "Tensor((2,), \"float32\")");
}

TEST(MemoryOps, Infer) {
  Expr f32 = DTypeLiteral::make(DType::float_(32)), storage = variable(AnyType::make());
  EXPECT_EQ(inferred("builtin.alloc_tensor", {shape_of_ints({4, 5}), f32, number(0)}), "Tensor((4, 5), \"float32\")");
  EXPECT_EQ(inferred("vm.alloc_tensor", {storage, number(0), shape_of_ints({4}), StringLiteral::make("int8")}),
            "Tensor((4,), \"int8\")");
  EXPECT_EQ(inferred("memory.alloc_storage", {shape_of_ints({64}), number(0), StringLiteral::make("global"), f32}),
            "Any");
  EXPECT_EQ(failure("vm.alloc_tensor", {storage, number(0), tensor({4}), f32}), "E0201");
  EXPECT_EQ(failure("vm.alloc_tensor", {storage, number(0), shape_of_ints({4}), number(1)}), "E0201");
  EXPECT_EQ(inferred("vm.kill_object", {storage}), "Tuple()");
  EXPECT_FALSE(builtin_ops().get("memory.kill_tensor")->info.is_pure);
}

TEST(InspectOps, Infer) {
  Expr x = tensor({2, 3});
  EXPECT_EQ(inferred("inspect.tensor_dtype_bits", {x}), "Prim(\"uint8\")");
  EXPECT_EQ(inferred("inspect.tensor_shape_i", {x, number(1)}), "Prim(\"int64\")");
  EXPECT_EQ(failure("inspect.tensor_shape_i", {x, number(2)}), "E0203");
  EXPECT_EQ(failure("inspect.tensor_stride_i", {x, number(-1)}), "E0203");
  EXPECT_EQ(failure("inspect.tensor_stride_i", {x, x}), "E0201");
  EXPECT_EQ(failure("inspect.tensor_ndim", {shape_of_ints({1})}), "E0201");
}

TEST(EinsumOps, InferRefuseAndEvaluate) {
  Expr a = floats({2, 2}, {1, 2, 3, 4}), b = floats({2, 2}, {1, 0, 0, 2});
  auto of = [](const char* text) { return AttrMap{{"subscripts", text}}; };
  EXPECT_EQ(run("einsum", {Tuple::make({a, b})}, of("ij,jk->ik")), (F{1, 4, 3, 8}));
  EXPECT_EQ(run("einsum", {Tuple::make({a, b})}, of("ij,jk")), (F{1, 4, 3, 8}));
  EXPECT_EQ(run("einsum", {Tuple::make({a})}, of("ii->")), (F{5}));
  EXPECT_EQ(run("einsum", {Tuple::make({a})}, of("...j->...")), (F{3, 7}));
  EXPECT_EQ(inferred("einsum", {Tuple::make({tensor({5, 2, 3}), tensor({3, 4})})}, of("...ij,jk->...ik")),
            "Tensor((5, 2, 4), \"float32\")");
  EXPECT_EQ(failure("einsum", {Tuple::make({})}, of("i")), "E0202");
  EXPECT_EQ(failure("einsum", {Tuple::make({a, b})}, of("ij")), "E0202");
  EXPECT_EQ(failure("einsum", {Tuple::make({a, tensor({3, 2})})}, of("ij,jk->ik")), "E0309");
  EXPECT_EQ(failure("einsum", {Tuple::make({a})}, of("ij->k")), "E0203");
  EXPECT_EQ(failure("einsum", {Tuple::make({a, tensor({2, 2}, DType::int_(8))})}, of("ij,jk->ik")), "E0304");
  EXPECT_EQ(run("outer", {floats({2}, {1, 2}), floats({2}, {3, 4})}), (F{3, 4, 6, 8}));
  EXPECT_EQ(failure("outer", {a, a}), "E0307");
  EXPECT_EQ(inferred("linear", {tensor({5, 2}), tensor({3, 2}), tensor({3})}), "Tensor((5, 3), \"float32\")");
  EXPECT_EQ(run("linear", {a, b, floats({2}, {10, 20})}), (F{11, 24, 13, 28}));
  const DType half = DType::float_(16);
  EXPECT_EQ(inferred("linear", {tensor({5, 2}, half), tensor({3, 2}, half), tensor({3}, half)},
                     {{"out_dtype", DType::float_(32)}}),
            "Tensor((5, 3), \"float32\")");
  EXPECT_EQ(failure("linear", {tensor({5, 2}), tensor({3, 2}), tensor({3}, half)}), "E0304");
}

TEST(ImageOps, InferRefuseAndEvaluate) {
  Expr x = tensor({2, 3, 4, 4});
  EXPECT_EQ(inferred("image.resize2d", {x, number(8)}), "Tensor((2, 3, 8, 8), \"float32\")");
  EXPECT_EQ(inferred("image.resize3d", {tensor({1, 2, 3, 4, 5}), shape_of_ints({2, 2, 2})}),
            "Tensor((1, 2, 2, 2, 2), \"float32\")");
  AttrList zeros(4, AttrValue(FloatImm::make(DType::float_(32), 0)));
  const Ref<Call> resized = call_op("image.resize2d", {x, number(8)}, {{"roi", AttrValue(zeros)}});
  const AttrList* region = resized->attrs.find<AttrList>("roi");
  EXPECT_TRUE(region && region->front().find<double>());
  EXPECT_EQ(failure("image.resize2d", {x, tensor({2})}), "E0201");
  EXPECT_EQ(failure("image.resize2d", {x, shape_of_ints({1, 2, 3})}), "E0309");
  EXPECT_EQ(failure("image.resize2d", {x, number(8)}, {{"layout", "OIHW"}}), "E0203");
  EXPECT_EQ(failure("image.resize2d", {tensor({2, 3}), number(8)}), "E0307");
  for (const char* name : {"method", "coordinate_transformation_mode", "rounding_method"})
    EXPECT_EQ(failure("image.resize2d", {x, number(8)}, {{name, "x"}}), "E0203");
  Expr row = floats({1, 1, 1, 2}, {0, 4});
  EXPECT_EQ(run("image.resize2d", {row, shape_of_ints({1, 4})}), (F{0, 1, 3, 4}));
  AttrMap nearest{
      {"method", "nearest_neighbor"}, {"coordinate_transformation_mode", "asymmetric"}, {"rounding_method", "floor"}};
  EXPECT_EQ(run("image.resize2d", {row, shape_of_ints({2, 4})}, nearest), (F{0, 0, 4, 4, 0, 0, 4, 4}));
  AttrMap corners{{"coordinate_transformation_mode", "align_corners"}};
  EXPECT_EQ(run("image.resize2d", {row, shape_of_ints({1, 3})}, corners), (F{0, 2, 4}));
  EXPECT_EQ(run("image.resize2d", {row, shape_of_ints({1, 2})}, {{"method", "cubic"}}), (F{0, 4}));
  AttrMap crop{{"coordinate_transformation_mode", "tf_crop_and_resize"},
               {"roi", AttrValue(AttrList{0.0, 0.5, 1.0, 1.5})},
               {"extrapolation_value", -3.0}};
  EXPECT_EQ(run("image.resize2d", {floats({1, 1, 1, 3}, {0, 4, 8}), shape_of_ints({1, 3})}, crop), (F{4, 8, -3}));
  const DType wide = DType::float_(64);
  auto doubles = [&](std::vector<int64_t> dims, const std::vector<double>& values) {
    return integers(wide, std::move(dims), values);
  };
  Value sampled = evaluated("image.grid_sample", {doubles({1, 1, 1, 1}, {0.1}), doubles({1, 2, 1, 1}, {0, 0})});
  EXPECT_EQ(elements<double>(*sampled.array()), std::vector<double>{0.1});
  EXPECT_EQ(run("image.affine_grid", {floats({1, 2, 3}, {1, 0, 0, 0, 1, 0}), shape_of_ints({2, 2})}),
            (F{-1, 1, -1, 1, -1, -1, 1, 1}));
  EXPECT_EQ(failure("image.affine_grid", {tensor({2, 3, 3}), number(4)}), "E0309");
  EXPECT_EQ(failure("image.affine_grid", {tensor({2, 3}), number(4)}), "E0307");
  EXPECT_EQ(inferred("image.grid_sample", {x, tensor({2, 2, 5, 6})}), "Tensor((2, 3, 5, 6), \"float32\")");
  EXPECT_EQ(failure("image.grid_sample", {x, tensor({2, 2, 5})}), "E0307");
  EXPECT_EQ(failure("image.grid_sample", {x, tensor({2, 2, 5, 6})}, {{"padding_mode", "x"}}), "E0203");
}

TEST(VisionOps, InferAndRefuse) {
  Expr x = tensor({2, 3, 32, 32}), rois = tensor({5, 5});
  AttrMap seven{{"pooled_size", 7}, {"spatial_scale", 0.25}};
  EXPECT_EQ(inferred("vision.roi_align", {x, rois}, seven), "Tensor((5, 3, 7, 7), \"float32\")");
  EXPECT_EQ(failure("vision.roi_align", {x, tensor({4})}, seven), "E0307");
  EXPECT_EQ(failure("vision.roi_align", {x, tensor({4, 4})}, seven), "E0309");
  seven["layout"] = "NHWC";
  EXPECT_EQ(failure("vision.roi_pool", {x, rois}, seven), "E0203");
  Expr data = tensor({2, 10, 6}), count = tensor({2}, DType::int_(32)), places = tensor({2, 10}, DType::int_(32));
  EXPECT_EQ(inferred("vision.get_valid_counts", {data}),
            "Tuple(Tensor((2,), \"int32\"), Tensor((2, 10, 6), \"float32\"), Tensor((2, 10), \"int32\"))");
  EXPECT_EQ(failure("vision.get_valid_counts", {data}, {{"score_index", 6}}), "E0203");
  EXPECT_EQ(inferred("vision.non_max_suppression", {data, count, places}),
            "Tuple(Tensor((2, 10), \"int32\"), Tensor((2, 1), \"int32\"))");
  EXPECT_EQ(failure("vision.non_max_suppression", {data, count, places}, {{"coord_start", 3}}), "E0203");
  EXPECT_EQ(failure("vision.non_max_suppression", {data, places, places}), "E0307");
  EXPECT_EQ(failure("vision.non_max_suppression", {data, tensor({2}), places}), "E0306");
  EXPECT_EQ(failure("vision.non_max_suppression", {data, tensor({3}, DType::int_(32)), places}), "E0309");
  std::vector<Expr> all{tensor({1, 5, 4}), tensor({1, 3, 5}), number(1), number(0.5), number(0.5)};
  EXPECT_EQ(inferred("vision.all_class_non_max_suppression", all),
            "Tuple(Tensor((15, 3), \"int64\"), Tensor((1,), \"int64\"))");
  EXPECT_EQ(inferred("vision.multibox_transform_loc", {tensor({2, 3, 5}), tensor({2, 20}), tensor({1, 5, 4})}),
            "Tuple(Tensor((2, 5, 4), \"float32\"), Tensor((2, 3, 5), \"float32\"))");
  EXPECT_EQ(failure("vision.multibox_transform_loc", {tensor({2, 3, 5}), tensor({2, 19}), tensor({1, 5, 4})}), "E0309");
}

TEST(GradOps, MarksAndBackwardHalves) {
  Expr x = tensor({3, 4, 5});
  EXPECT_EQ(inferred("grad.no_grad", {x}), "Tensor((3, 4, 5), \"float32\")");
  EXPECT_EQ(failure("grad.start_checkpoint", {Tuple::make({x})}), "E0201");
  EXPECT_EQ(inferred("grad.end_checkpoint", {floats({1}, {2})}), "Tensor((1,), \"float32\")");
  EXPECT_EQ(inferred("grad.max_pool2d_backward", {tensor({1, 1, 2, 2}), tensor({1, 1, 4, 4})}),
            "Tensor((1, 1, 4, 4), \"float32\")");
  Expr g = floats({2}, {5, 7}), at = ints({2}, {2, 2});
  EXPECT_EQ(run("grad.take_backward", {g, floats({3}, {0, 0, 0}), at}, axis(0)), (F{0, 0, 12}));
  EXPECT_EQ(run("grad.nll_loss_backward", {floats({}, {2}), floats({2, 2}, {0, 0, 0, 0}), ints({2}, {0, 1})}),
            (F{-1, 0, 0, -1}));
}

TEST(CclOps, InferAndRefuse) {
  Expr x = tensor({4, 3});
  EXPECT_EQ(inferred("ccl.allreduce", {x}), "Tensor((4, 3), \"float32\")");
  EXPECT_EQ(failure("ccl.allreduce", {x}, {{"op_type", "x"}}), "E0203");
  EXPECT_EQ(inferred("ccl.allgather", {x}, {{"num_workers", 2}}), "Tensor((8, 3), \"float32\")");
  EXPECT_EQ(failure("ccl.allgather", {x}, {{"num_workers", 0}}), "E0203");
  EXPECT_EQ(inferred("ccl.scatter_from_worker0", {x}, {{"num_workers", 2}}), "Tensor((2, 3), \"float32\")");
  EXPECT_EQ(failure("ccl.scatter_from_worker0", {x}, {{"num_workers", 3}}), "E0309");
  EXPECT_EQ(inferred("distributed.redistribute_replica_to_shard", {x}, {{"num_workers", 3}, {"axis", 1}}),
            "Tensor((4, 1), \"float32\")");
}

}  // namespace
}  // namespace sunmao
