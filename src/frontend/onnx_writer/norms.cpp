// Writers of normalisations.
#include "frontend/onnx_writer/onnx_call.h"

namespace sunmao::onnx_writer {
namespace {

/// Returns the axes counted from the front.
std::vector<int64_t> axes_of(const OnnxCall& c) {
  std::vector<int64_t> axes = *c.in.ints_attr("axes");
  for (int64_t& a : axes) a = c.in.normalize_axis(a, static_cast<int>(c.rank()));
  return axes;
}

std::vector<int64_t> sorted(std::vector<int64_t> axes) {
  std::ranges::sort(axes);
  return axes;
}

/// True for the axes from `first` to the last one, in order.
bool are_all_from(const std::vector<int64_t>& axes, int64_t first, int64_t rank) {
  return static_cast<int64_t>(axes.size()) == rank - first && std::ranges::is_sorted(axes) &&
         (axes.empty() || axes.front() == first);
}

/// Returns the first of the axes, which have to be the last ones in their order.
int64_t first_axis(const OnnxCall& c) {
  const std::vector<int64_t> axes = axes_of(c);
  c.require(!axes.empty() && are_all_from(axes, axes.front(), c.rank()),
            "over other axes than the last ones has no counterpart in ONNX");
  return axes.front();
}

void require_scale(const OnnxCall& c) {
  c.require(c.in.bool_attr("scale"), "without a scale has no counterpart in ONNX");
}

/// Channels are the second axis in ONNX, and all behind it is normalised over.
void require_channels_second(const OnnxCall& c) {
  require_scale(c);
  c.require(c.in.bool_attr("center"), "without `center` has no counterpart in ONNX");
  c.require(c.axis("channel_axis", c.rank()) == 1 && are_all_from(sorted(axes_of(c)), 2, c.rank()),
            "over other axes than those behind the channels has no counterpart in ONNX");
}

Values layer_norm(OnnxCall& c) {
  require_scale(c);
  const int64_t axis = first_axis(c);
  Values inputs{c.input(0), c.input(1)};
  if (c.in.bool_attr("center")) inputs.push_back(c.input(2));
  return {c.add("LayerNormalization", inputs, {{"axis", axis}, {"epsilon", c.real_attr("epsilon")}})};
}

Values rms_norm(OnnxCall& c) {
  const int64_t axis = first_axis(c);
  return {c.add("RMSNormalization", c.inputs(), {{"axis", axis}, {"epsilon", c.real_attr("epsilon")}})};
}

Values group_norm(OnnxCall& c) {
  require_channels_second(c);
  return {c.add("GroupNormalization", c.inputs(),
                {{"num_groups", c.in.int_attr("num_groups")}, {"epsilon", c.real_attr("epsilon")}})};
}

Values instance_norm(OnnxCall& c) {
  require_channels_second(c);
  return {c.add("InstanceNormalization", c.inputs(), {{"epsilon", c.real_attr("epsilon")}})};
}

/// Outside of training the moving averages stay.
Values batch_norm(OnnxCall& c) {
  require_scale(c);
  c.require(c.in.bool_attr("center"), "without `center` has no counterpart in ONNX");
  c.require(!c.in.bool_attr("training"), "in training has no counterpart in ONNX");
  c.require(c.axis("axis", c.rank()) == 1, "along another axis than the second has no counterpart in ONNX");
  const Values inputs = c.inputs();
  return {c.add("BatchNormalization", inputs, {{"epsilon", c.real_attr("epsilon")}}), inputs[3], inputs[4]};
}

}  // namespace

std::vector<Row> norm_rows() {
  using enum Dtypes;
  return {{"nn.batch_norm", "BatchNormalization", batch_norm, Floats},
          {"nn.group_norm", "GroupNormalization", group_norm, Floats},
          {"nn.instance_norm", "InstanceNormalization", instance_norm, Floats},
          {"nn.layer_norm", "LayerNormalization", layer_norm, Floats},
          {"nn.rms_norm", "RMSNormalization", rms_norm, Floats}};
}

}  // namespace sunmao::onnx_writer
