#include <cmath>

#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

TEST(ConvolutionOps, InferInEveryLayout) {
  Ref<SymVar> n = SymVar::make("n"), w = SymVar::make("w");
  Expr x = variable(TensorType::make({n, int_imm(3), w}, DType::float_(32)));
  EXPECT_EQ(inferred("nn.conv1d", {x, tensor({8, 3, 3})}, {{"padding", 1}}), "Tensor((n, 8, w), \"float32\")");
  Expr image = tensor({2, 3, 32, 32}), kernel = tensor({4, 3, 3, 3});
  EXPECT_EQ(inferred("nn.conv2d", {image, kernel}), "Tensor((2, 4, 30, 30), \"float32\")");
  EXPECT_EQ(inferred("nn.conv2d", {image, kernel}, {{"strides", 2}, {"out_dtype", "float16"}}),
            "Tensor((2, 4, 15, 15), \"float16\")");
  EXPECT_EQ(inferred("nn.conv2d", {image, kernel}, list("padding", {0, 1, 2, 3})),
            "Tensor((2, 4, 32, 34), \"float32\")");
  EXPECT_EQ(inferred("nn.conv2d", {tensor({2, 32, 32, 3}), tensor({3, 3, 3, 4})},
                     {{"data_layout", "NHWC"}, {"kernel_layout", "HWIO"}}),
            "Tensor((2, 30, 30, 4), \"float32\")");
  EXPECT_EQ(inferred("nn.conv2d", {tensor({2, 2, 32, 32, 16}), tensor({16, 32, 3, 3})},
                     {{"data_layout", "NCHW16c"}, {"out_layout", "NCHW8c"}}),
            "Tensor((2, 2, 30, 30, 8), \"float32\")");
  EXPECT_EQ(inferred("nn.conv2d", {variable(unknown_type(4)), kernel}), "Tensor(ndim=4, \"float32\")");
  EXPECT_EQ(inferred("nn.conv3d", {tensor({1, 2, 5, 5, 5}), tensor({3, 2, 3, 3, 3})}, {{"dilation", 2}}),
            "Tensor((1, 3, 1, 1, 1), \"float32\")");
  EXPECT_EQ(inferred("nn.conv2d_transpose", {image, tensor({3, 4, 3, 3})}, {{"strides", 2}, {"output_padding", 1}}),
            "Tensor((2, 4, 66, 66), \"float32\")");
}

TEST(ConvolutionOps, RefuseWhatDoesNotFit) {
  Expr x = tensor({2, 4, 8, 8}), w = tensor({6, 4, 3, 3});
  EXPECT_EQ(failure("nn.conv2d", {tensor({2, 4, 8}), w}), "E0307");
  EXPECT_EQ(failure("nn.conv2d", {x, tensor({6, 4, 3, 3}, DType::float_(16))}), "E0304");
  EXPECT_EQ(failure("nn.conv2d", {x, w}, {{"data_layout", "OIHW"}}), "E0203");
  EXPECT_EQ(failure("nn.conv2d", {x, w}, list("strides", {1, 1, 1})), "E0203");
  EXPECT_EQ(failure("nn.conv2d", {x, w}, {{"strides", 0}}), "E0203");
  EXPECT_EQ(failure("nn.conv2d", {x, w}, {{"groups", 0}}), "E0203");
  EXPECT_EQ(failure("nn.conv2d", {x, w}, {{"groups", 2}}), "E0309");
  EXPECT_EQ(failure("nn.conv2d", {x, tensor({5, 2, 3, 3})}, {{"groups", 2}}), "E0309");
  Scalar odd = Scalar(SymVar::make("n")) * int_imm(2) + int_imm(1);
  Expr some = variable(TensorType::make({odd, int_imm(2), int_imm(3), int_imm(3)}, DType::float_(32)));
  EXPECT_EQ(failure("nn.conv2d", {x, some}, {{"groups", 2}}), "E0309");
  EXPECT_EQ(failure("nn.conv2d", {x, w}, {{"data_layout", "NCHW4"}}), "E0203");
  EXPECT_EQ(failure("nn.conv2d_transpose", {x, tensor({4, 2, 3, 3})}, {{"output_padding", 1}}), "E0203");
}

TEST(ConvolutionOps, Values) {
  Expr x = floats({1, 1, 4}, {1, 2, 3, 4}), w = floats({1, 1, 2}, {1, 10});
  EXPECT_EQ(run("nn.conv1d", {x, w}), (F{21, 32, 43}));
  EXPECT_EQ(run("nn.conv1d", {x, w}, {{"padding", 1}, {"strides", 2}}), (F{10, 32, 4}));
  EXPECT_EQ(run("nn.conv1d", {x, w}, {{"dilation", 2}}), (F{31, 42}));
  EXPECT_EQ(run("nn.conv1d", {floats({1, 2, 1}, {3, 5}), floats({2, 1, 1}, {10, 100})}, {{"groups", 2}}), (F{30, 500}));
  Expr nwc = floats({1, 2, 2}, {1, 2, 3, 4}), wio = floats({1, 2, 1}, {1, 10});
  EXPECT_EQ(run("nn.conv1d", {nwc, wio}, {{"data_layout", "NWC"}, {"kernel_layout", "WIO"}}), (F{21, 43}));
  EXPECT_EQ(run("nn.conv2d", {floats({1, 1, 2, 2}, {1, 2, 3, 4}), floats({1, 1, 2, 2}, {1, 1, 1, 1})}), (F{10}));
  EXPECT_EQ(run("nn.conv1d_transpose", {floats({1, 1, 2}, {1, 2}), floats({1, 1, 2}, {1, 10})}, {{"strides", 2}}),
            (F{1, 10, 2, 20}));
  EXPECT_EQ(run("nn.conv1d_transpose", {floats({1, 1, 2}, {1, 2}), floats({1, 1, 2}, {1, 10})}), (F{1, 12, 20}));
}

TEST(PoolOps, InferAndRefuse) {
  Expr x = tensor({2, 3, 32, 32});
  EXPECT_EQ(inferred("nn.max_pool2d", {x}, {{"pool_size", 3}, {"strides", 2}, {"padding", 1}}),
            "Tensor((2, 3, 16, 16), \"float32\")");
  EXPECT_EQ(
      inferred("nn.avg_pool2d", {x}, {{"pool_size", 3}, {"strides", 2}, {"ceil_mode", true}, {"out_layout", "NHWC"}}),
      "Tensor((2, 16, 16, 3), \"float32\")");
  EXPECT_EQ(inferred("nn.max_pool1d", {variable(unknown_type())}), "Tensor(ndim=3, \"float32\")");
  EXPECT_EQ(inferred("nn.adaptive_avg_pool2d", {x}, {{"output_size", 7}}), "Tensor((2, 3, 7, 7), \"float32\")");
  EXPECT_EQ(inferred("nn.adaptive_avg_pool2d", {x}), "Tensor((2, 3, 32, 32), \"float32\")");
  EXPECT_EQ(failure("nn.max_pool2d", {tensor({2, 3})}), "E0307");
  EXPECT_EQ(failure("nn.max_pool2d", {x}, {{"layout", "NCW"}}), "E0203");
  EXPECT_EQ(failure("nn.max_pool2d", {x}, {{"pool_size", 0}}), "E0203");
  EXPECT_EQ(failure("nn.adaptive_avg_pool2d", {x}, list("output_size", {1, 2, 3})), "E0203");
}

TEST(PoolOps, Values) {
  Expr x = floats({1, 1, 5}, {1, 2, 3, 4, 5});
  EXPECT_EQ(run("nn.max_pool1d", {x}, {{"pool_size", 2}, {"strides", 2}}), (F{2, 4}));
  EXPECT_EQ(run("nn.max_pool1d", {x}, {{"pool_size", 2}, {"strides", 2}, {"ceil_mode", true}}), (F{2, 4, 5}));
  EXPECT_EQ(run("nn.max_pool1d", {floats({1, 1, 4}, {1, 2, 3, 4})}, {{"strides", 2}, {"ceil_mode", true}}), (F{1, 3}));
  EXPECT_EQ(run("nn.max_pool1d", {floats({1, 1, 2}, {-1, -2})}, {{"pool_size", 2}, {"padding", 1}}), (F{-1, -1, -2}));
  AttrMap padded{{"pool_size", 2}, {"strides", 2}, {"padding", 1}};
  EXPECT_EQ(run("nn.avg_pool1d", {x}, padded), (F{0.5, 2.5, 4.5}));
  padded["count_include_pad"] = false;
  EXPECT_EQ(run("nn.avg_pool1d", {x}, padded), (F{1, 2.5, 4.5}));
  EXPECT_EQ(run("nn.adaptive_avg_pool1d", {x}, {{"output_size", 2}}), (F{2, 4}));
  EXPECT_EQ(run("nn.adaptive_avg_pool1d", {floats({1, 1, 4}, {1, 2, 3, 4})}, {{"output_size", 2}}), (F{1.5, 3.5}));
}

TEST(NormOps, InferAndRefuse) {
  Expr x = tensor({2, 4, 5}), g = tensor({4, 5}), c = tensor({4});
  AttrMap last = list("axes", {-2, -1});
  EXPECT_EQ(inferred("nn.layer_norm", {x, g, g}, last), "Tensor((2, 4, 5), \"float32\")");
  EXPECT_EQ(failure("nn.layer_norm", {tensor({2, 4, 5}, DType::int_(8)), g, g}, last), "E0306");
  EXPECT_EQ(failure("nn.layer_norm", {x, tensor({4, 5}, DType::float_(16)), g}, last), "E0304");
  EXPECT_EQ(failure("nn.layer_norm", {x, g, g}, list("axes", {1, 3})), "E0203");
  EXPECT_EQ(failure("nn.layer_norm", {x, c, c}, last), "E0307");
  EXPECT_EQ(failure("nn.layer_norm", {x, tensor({4, 6}), g}, last), "E0309");
  EXPECT_EQ(failure("nn.rms_norm", {x, tensor({4})}), "E0309");
  AttrMap group{{"num_groups", 2}, {"channel_axis", 1}, {"axes", AttrValue::ints({2})}};
  EXPECT_EQ(inferred("nn.group_norm", {x, c, c}, group), "Tensor((2, 4, 5), \"float32\")");
  group["num_groups"] = 3;
  EXPECT_EQ(failure("nn.group_norm", {x, c, c}, group), "E0309");
  group["num_groups"] = 0;
  EXPECT_EQ(failure("nn.group_norm", {x, c, c}, group), "E0203");
  group["axes"] = AttrValue::ints({1});
  EXPECT_EQ(failure("nn.group_norm", {x, c, c}, group), "E0203");
  EXPECT_EQ(inferred("nn.batch_norm", {x, c, c, c, c}, axis(1)),
            "Tuple(Tensor((2, 4, 5), \"float32\"), Tensor((4,), \"float32\"), Tensor((4,), \"float32\"))");
  EXPECT_EQ(failure("nn.batch_norm", {x, c, c, c, c}, axis(2)), "E0309");
}

TEST(NormOps, Values) {
  Expr one = floats({2}, {1, 1}), zero = floats({2}, {0, 0}), x = floats({1, 2, 2}, {1, 3, 5, 9});
  AttrMap exact{{"axes", AttrValue::ints({2})}, {"epsilon", 0.0}};
  EXPECT_EQ(run("nn.layer_norm", {x, one, zero}, exact), (F{-1, 1, -1, 1}));
  EXPECT_EQ(run("nn.rms_norm", {floats({2}, {1, 7}), floats({2}, {5, 5})}, {{"axes", 0}, {"epsilon", 0.0}}), (F{1, 7}));
  exact["channel_axis"] = 1;
  EXPECT_EQ(run("nn.instance_norm", {x, floats({2}, {1, 2}), floats({2}, {0, 1})}, exact), (F{-1, 1, -1, 3}));
  exact["num_groups"] = 2;
  EXPECT_EQ(run("nn.group_norm", {x, one, zero}, exact), (F{-1, 1, -1, 1}));
  Expr four = floats({1, 4, 1}, {1, 3, 2, 6}), ones = floats({4}, {1, 1, 1, 1}), zeros = floats({4}, {0, 0, 0, 0});
  EXPECT_EQ(run("nn.group_norm", {four, ones, zeros}, exact), (F{-1, 1, -1, 1}));
  Value b = evaluated("nn.batch_norm", {x, one, zero, zero, one}, {{"axis", 1}, {"epsilon", 0.0}, {"momentum", 0.5}});
  EXPECT_EQ(field(b, 0), (F{-1, 1, -1, 1}));
  EXPECT_EQ(field(b, 1), (F{1, 3.5}));
  EXPECT_EQ(field(b, 2), (F{1, 2.5}));
  b = evaluated("nn.batch_norm", {x, one, zero, zero, one}, {{"axis", 1}, {"epsilon", 0.0}, {"training", false}});
  EXPECT_EQ(field(b, 0), (F{1, 3, 5, 9}));
}

TEST(LossOps, InferRefuseAndEvaluate) {
  EXPECT_EQ(run("nn.cross_entropy_with_logits", {floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {1, 0, 0, 1})}),
            (F{-2.5}));
  EXPECT_EQ(failure("nn.cross_entropy_with_logits", {tensor({2, 3, 4}), tensor({2, 3, 4})}), "E0307");
  EXPECT_EQ(failure("nn.cross_entropy_with_logits", {tensor({2}), tensor({2}, DType::float_(16))}), "E0304");
  EXPECT_EQ(failure("nn.cross_entropy_with_logits", {tensor({2}), tensor({3})}), "E0309");
  Expr p = floats({2, 3}, {1, 2, 3, 4, 5, 6}), t = ints({2}, {0, 2}), w = floats({3}, {1, 2, 3});
  EXPECT_EQ(run("nn.nll_loss", {p, t, w}), (F{-4.75}));
  EXPECT_EQ(run("nn.nll_loss", {p, t}, {{"reduction", "sum"}}), (F{-7}));
  EXPECT_EQ(run("nn.nll_loss", {p, t}, {{"reduction", "none"}, {"ignore_index", 2}}), (F{-1, 0}));
  Expr x = tensor({3, 5, 10}), y = tensor({3, 10}, DType::int_(64));
  EXPECT_EQ(inferred("nn.nll_loss", {x, y}, {{"reduction", "none"}}), "Tensor((3, 10), \"float32\")");
  EXPECT_EQ(failure("nn.nll_loss", {x, y}, {{"reduction", "x"}}), "E0203");
  EXPECT_EQ(failure("nn.nll_loss", {x, tensor({3, 10})}), "E0306");
  EXPECT_EQ(failure("nn.nll_loss", {x, y, tensor({5}, DType::float_(16))}), "E0304");
  EXPECT_EQ(failure("nn.nll_loss", {x, tensor({3}, DType::int_(64))}), "E0307");
  EXPECT_EQ(failure("nn.nll_loss", {x, y, tensor({4})}), "E0309");
}

TEST(NnOps, PadsShufflesAndDropout) {
  Expr x = floats({3}, {1, 2, 3});
  EXPECT_EQ(run("nn.pad", {x}, {{"pad_width", AttrValue::ints({1, 2})}, {"pad_value", 9.0}}), (F{9, 1, 2, 3, 9, 9}));
  EXPECT_EQ(run("nn.pad", {x}, {{"pad_width", AttrValue::ints({2, 1})}, {"pad_mode", "reflect"}}),
            (F{3, 2, 1, 2, 3, 2}));
  EXPECT_EQ(run("nn.pad", {x}, {{"pad_width", AttrValue::ints({1, 1})}, {"pad_mode", "replicate"}}),
            (F{1, 1, 2, 3, 3}));
  EXPECT_EQ(run("nn.pad", {x}, {{"pad_width", AttrValue::ints({1, 1})}, {"pad_mode", "circular"}}), (F{3, 1, 2, 3, 1}));
  EXPECT_EQ(inferred("nn.pad", {variable(unknown_type(1))}, list("pad_width", {1, 1})), "Tensor(ndim=1, \"float32\")");
  EXPECT_EQ(failure("nn.pad", {x}, list("pad_width", {1})), "E0203");
  EXPECT_EQ(failure("nn.pad", {x}, {{"pad_width", AttrValue::ints({1, 1})}, {"pad_mode", "x"}}), "E0203");
  EXPECT_EQ(run("nn.pixel_shuffle", {floats({1, 4, 1, 1}, {1, 2, 3, 4})}, {{"upscale_factor", 2}}), (F{1, 2, 3, 4}));
  EXPECT_EQ(inferred("nn.pixel_shuffle", {tensor({2, 18, 5, 4})}, {{"upscale_factor", 3}}),
            "Tensor((2, 2, 15, 12), \"float32\")");
  EXPECT_EQ(failure("nn.pixel_shuffle", {tensor({2, 2})}, {{"upscale_factor", 2}}), "E0307");
  EXPECT_EQ(failure("nn.pixel_shuffle", {tensor({3, 2, 2})}, {{"upscale_factor", 2}}), "E0309");
  EXPECT_EQ(failure("nn.pixel_shuffle", {tensor({4, 2, 2})}, {{"upscale_factor", 0}}), "E0203");
  Value d = evaluated("nn.dropout", {x});
  EXPECT_EQ(field(d, 0), (F{1, 2, 3}));
  EXPECT_EQ(field(d, 1), (F{1, 1, 1}));
}

TEST(AttentionOps, InferRefuseAndEvaluate) {
  Expr q = tensor({2, 8, 4, 16}), k = tensor({2, 6, 4, 16}), v = tensor({2, 6, 4, 32});
  EXPECT_EQ(inferred("nn.attention", {q, k, v}), "Tensor((2, 8, 4, 32), \"float32\")");
  EXPECT_EQ(inferred("nn.attention", {q, k, v, tensor({1, 4, 1, 6})}), "Tensor((2, 8, 4, 32), \"float32\")");
  EXPECT_EQ(failure("nn.attention", {q, k, v}, {{"causal_mask", "x"}}), "E0203");
  EXPECT_EQ(failure("nn.attention", {q, k, tensor({2, 6, 4})}), "E0307");
  EXPECT_EQ(failure("nn.attention", {q, k, tensor({2, 6, 4, 32}, DType::float_(16))}), "E0304");
  EXPECT_EQ(failure("nn.attention", {q, tensor({2, 6, 4, 8}), v}), "E0309");
  EXPECT_EQ(failure("nn.attention", {q, k, v, tensor({1, 4, 8, 5})}), "E0309");
  // One query and two keys with equal scores yield the mean of the values, or only the first value where the mask
  // hides the second.
  Expr one = floats({1, 1, 1, 1}, {0}), keys = floats({1, 2, 1, 1}, {1, 2}), values = floats({1, 2, 1, 1}, {10, 20});
  EXPECT_EQ(run("nn.attention", {one, keys, values}), (F{15}));
  EXPECT_EQ(run("nn.attention", {one, keys, values}, {{"causal_mask", "TopLeft"}}), (F{10}));
  EXPECT_EQ(run("nn.attention", {one, keys, values}, {{"causal_mask", "BottomRight"}}), (F{15}));
  EXPECT_EQ(run("nn.attention", {one, keys, values, floats({1, 1, 1, 2}, {0, -INFINITY})}), (F{10}));
}

}  // namespace
}  // namespace sunmao
