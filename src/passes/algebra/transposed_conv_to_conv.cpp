// The pass `transposed-conv-to-conv`: a transposed convolution becomes a convolution with a step of one that computes
// all phases of its strides as channels, and a kernel that puts the phases in their places.
#include <algorithm>

#include "ops/axis_layout.h"
#include "ops/ops.h"
#include "passes/analysis/kernel_call.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

using Sizes = std::vector<int64_t>;

/// A transposed convolution in the layouts of `channels-last`. Along each axis, output o is in phase (o + before) %
/// stride, and takes the taps of that phase: these are `taps` at most.
struct Transposed {
  std::string name;  // of the convolution
  size_t spatial;
  Sizes strides, dilation, before, behind, more, kernel;
  int64_t groups, inputs, outputs;  // channels of a group
  Sizes taps;

  int64_t phases() const {
    int64_t all = 1;
    for (int64_t s : strides) all *= s;
    return all;
  }
  int64_t channels() const { return groups * phases() * outputs; }  // of the convolution
};

/// Returns the sizes of a dense tensor; empty unless all from `first` on are known.
Sizes known_sizes(const Expr& e, size_t first = 0) {
  const auto* type = find<TensorType>(e->type);
  Sizes out;
  for (size_t i = first; type && type->dims() && i < type->dims()->size(); ++i) {
    const int64_t* n = find_int((*type->dims())[i]);
    if (!n) return {};
    out.push_back(*n);
  }
  return out;
}

std::optional<Transposed> read_transposed(const Call& call) {
  const Op* op = op_of(call);
  if (!op || !op->name().starts_with("nn.conv") || !op->name().ends_with("d_transpose")) return std::nullopt;
  const auto* data = find<TensorType>(call.args[0]->type);
  const auto* result = find<TensorType>(call.type);
  const Sizes weight = known_sizes(call.args[1]);
  if (!data || !data->dims() || !result || !result->dims() || data->dtype.is_void() || weight.empty())
    return std::nullopt;
  Transposed t{.name = op->name().substr(0, op->name().find('_')), .spatial = data->dims()->size() - 2};
  const std::string axes = std::string("DHW").substr(3 - t.spatial);
  const auto has_layout = [&](const char* attr, const std::string& wanted) {
    const auto* given = call.attrs.find<std::string>(attr);
    return given && *given == wanted;
  };
  if (!has_layout("data_layout", "N" + axes + "C") || !has_layout("out_layout", "N" + axes + "C") ||
      !has_layout("kernel_layout", axes + "IO"))
    return std::nullopt;
  const InferInput in = input_of(call);
  const Sizes padding = spatial_attr(in, "padding", 2 * t.spatial, 0);
  t.strides = spatial_attr(in, "strides", t.spatial, 1);
  t.dilation = spatial_attr(in, "dilation", t.spatial, 1);
  t.more = spatial_attr(in, "output_padding", t.spatial, 0);
  t.groups = in.int_attr("groups");
  t.inputs = weight[t.spatial] / t.groups;
  t.outputs = weight[t.spatial + 1];
  for (size_t i = 0; i < t.spatial; ++i) {
    t.kernel.push_back(weight[i]);
    t.before.push_back(padding[i]);
    t.behind.push_back(padding[i + t.spatial]);
    t.taps.push_back((weight[i] + t.strides[i] - 1) / t.strides[i]);
  }
  return t;
}

/// True when the convolution computes little in vain, and has no negative padding.
bool is_worth_it(const Transposed& t) {
  for (size_t i = 0; i < t.spatial; ++i) {
    if (t.kernel[i] < t.strides[i] || (t.strides[i] > 1 && t.dilation[i] > 1)) return false;
    const int64_t reach = t.dilation[i] * (t.taps[i] - 1);
    if (reach < t.before[i] / t.strides[i] || t.dilation[i] * (t.kernel[i] - 1) + t.more[i] < t.behind[i]) return false;
  }
  const bool is_depthwise = t.groups > 1 && t.inputs == 1;
  return !is_depthwise || t.phases() == 1;
}

class Converter final : public Rewriter {
 public:
  explicit Converter(BlockBuilder& functions) : functions_(functions) {}

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    const Expr visited = Rewriter::visit(call);
    const auto* own = find<Call>(visited);
    const std::optional<Transposed> t = own ? read_transposed(*own) : std::nullopt;
    return t && is_worth_it(*t) ? converted(*own, *t) : visited;
  }

  Expr converted(const Call& call, const Transposed& t) {
    Sizes padding;
    for (size_t i = 0; i < t.spatial; ++i)
      padding.push_back(t.dilation[i] * (t.taps[i] - 1) - t.before[i] / t.strides[i]);
    for (size_t i = 0; i < t.spatial; ++i)
      padding.push_back((t.dilation[i] * (t.kernel[i] - 1) + t.more[i] - t.behind[i]) / t.strides[i]);
    AttrMap attrs{
        {"padding", AttrValue::ints(padding)}, {"dilation", AttrValue::ints(t.dilation)}, {"groups", t.groups}};
    for (const char* kept : {"data_layout", "kernel_layout", "out_layout", "out_dtype"})
      attrs[kept] = *call.attrs.find(kept);
    const Expr weight = emit(phases_as_channels(call, t), "lv");
    const Ref<Call> conv =
        Call::make(builtin_ops().get(t.name), {call.args[0], weight}, Attrs(std::move(attrs)), {}, call.span);
    return t.phases() == 1 ? Expr(conv) : Expr(in_place(emit(conv, "lv"), call, t));
  }

  /// The kernel of the convolution: what is no tap is 0.
  Ref<Call> phases_as_channels(const Call& call, const Transposed& t) {
    const Expr& weight = call.args[1];
    std::vector<Scalar> shape;
    for (int64_t n : t.taps) shape.push_back(int_imm(n));
    shape.push_back(int_imm(t.inputs));
    shape.push_back(int_imm(t.channels()));
    const Type type = TensorType::make(shape, find<TensorType>(weight->type)->dtype);
    KernelBuilder k("phases_of_weight");
    const Ref<Buffer> from = k.input("weight", weight->type), to = k.output("phases", type);
    k.compute(to, "phases", [&](const Indices& at) {
      const Indices channel = channel_of(at.back(), t);
      Indices tap;
      Scalar is_tap;
      for (size_t i = 0; i < t.spatial; ++i) {
        const Scalar from_behind = int_imm(t.taps[i] - 1) - at[i];
        const bool has_phases = t.strides[i] > 1;
        tap.push_back(has_phases ? channel[i + 1] + int_imm(t.strides[i]) * from_behind : from_behind);
        if (t.kernel[i] % t.strides[i] == 0) continue;
        const Scalar here = less(tap.back(), int_imm(t.kernel[i]));
        is_tap = is_tap ? both(is_tap, here) : here;
      }
      tap.push_back(t.groups == 1 ? at[t.spatial] : channel[0] * int_imm(t.inputs) + at[t.spatial]);
      tap.push_back(channel.back());
      const Scalar value = load(from, tap);
      return is_tap ? choose(is_tap, value, constant(value->dtype, 0)) : value;
    });
    return call_kernel(functions_, "phases_of_weight", find_ref<PrimFunc>(Expr(std::move(k).finish())), {weight}, type,
                       call.span);
  }

  /// Takes a channel of the convolution apart: the group, the phase along each axis, and the channel of the group.
  static Indices channel_of(const Scalar& channel, const Transposed& t) {
    Scalar rest = channel;
    const auto take = [&](int64_t size) {
      if (size == 1) return int_imm(0);
      const Scalar part = floor_mod(rest, int_imm(size));
      rest = floor_div(rest, int_imm(size));
      return part;
    };
    Indices out(t.spatial + 2);
    out.back() = take(t.outputs);
    for (size_t i = t.spatial; i > 0; --i) out[i] = take(t.strides[i - 1]);
    out[0] = rest;
    return out;
  }

  Ref<Call> in_place(const Expr& phases, const Call& call, const Transposed& t) {
    KernelBuilder k("join_phases");
    const Ref<Buffer> from = k.input("phases", phases->type), to = k.output("joined", call.type);
    k.compute(to, "joined", [&](const Indices& at) {
      Indices source{at[0]};
      const Scalar outputs = int_imm(t.outputs);
      const bool is_one_group = t.groups == 1;
      Scalar channel = is_one_group ? Scalar() : floor_div(at.back(), outputs);
      for (size_t i = 0; i < t.spatial; ++i) {
        const int64_t skipped = t.before[i] % t.strides[i];
        const Scalar stride = int_imm(t.strides[i]), moved = skipped == 0 ? at[i + 1] : at[i + 1] + int_imm(skipped);
        source.push_back(t.strides[i] == 1 ? moved : floor_div(moved, stride));
        if (t.strides[i] == 1) continue;
        const Scalar phase = floor_mod(moved, stride);
        channel = channel ? channel * stride + phase : phase;
      }
      source.push_back(channel * outputs + (is_one_group ? at.back() : floor_mod(at.back(), outputs)));
      return load(from, source);
    });
    return call_kernel(functions_, "join_phases", find_ref<PrimFunc>(Expr(std::move(k).finish())), {phases}, call.type,
                       call.span);
  }

  BlockBuilder& functions_;
};

}  // namespace

Module transposed_conv_to_conv(const Module& m, const PassContext&) {
  BlockBuilder functions(m);
  std::vector<FunctionEntry> changed, entries = m.functions();
  // By name, so that the names of kernels do not depend on the order of the functions.
  std::ranges::sort(entries, {}, [](const FunctionEntry& e) { return e.var->name; });
  for (const FunctionEntry& e : entries) {
    const Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f) continue;
    const Ref<Function> converted = Converter(functions).rewrite(f);
    if (converted != f) changed.push_back({e.var, converted});
  }
  return changed.empty() ? m : functions.module().with_functions(std::move(changed));
}

}  // namespace sunmao
