// The pass `transposed-conv-to-conv`: a transposed convolution becomes a convolution with a step of one that computes
// all phases of its strides as channels, or one for each phase where their taps differ by much, and a kernel that puts
// the phases in their places.
#include <algorithm>

#include "ops/axis_layout.h"
#include "ops/ops.h"
#include "passes/analysis/kernel_call.h"
#include "passes/analysis/op_pattern.h"
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

/// A phase of each axis as a convolution with a step of one: output o of the phase, which is output
/// (o + skipped) * stride + phase - before % stride of the whole, takes taps phase, phase + stride and so on.
struct Phase {
  Sizes numbers, taps, skipped, before, behind;  // by axis; the last two are padding
};

/// Returns the phases; empty where one would have negative padding.
std::vector<Phase> phases_of(const Transposed& t) {
  std::vector<Phase> all{Phase{}};
  for (size_t i = 0; i < t.spatial; ++i) {
    std::vector<Phase> more;
    const int64_t stride = t.strides[i], whole = t.before[i] / stride, rest = t.before[i] % stride;
    for (const Phase& outer : all)
      for (int64_t number = 0; number < stride; ++number) {
        Phase p = outer;
        const int64_t taps = (t.kernel[i] - number + stride - 1) / stride, skipped = number < rest ? 1 : 0;
        const int64_t reach = t.dilation[i] * (t.kernel[i] - 1) + t.more[i] - t.behind[i] - t.before[i] - number + rest;
        p.numbers.push_back(number);
        p.taps.push_back(taps);
        p.skipped.push_back(skipped);
        p.before.push_back(t.dilation[i] * (taps - 1) - whole - skipped);
        p.behind.push_back(reach + whole * stride < 0 ? -1 : (reach + whole * stride) / stride);
        if (p.before.back() < 0 || p.behind.back() < 0) return {};
        more.push_back(std::move(p));
      }
    all = std::move(more);
  }
  return all;
}

/// True when the taps of phases differ so much that those which are none cost more than convolutions of their own.
bool pays_apart(const Transposed& t) {
  constexpr int64_t kFewestOutputs = 16, kMostPhases = 9;
  int64_t all = 4, needed = 5;  // taps: a quarter beyond what is needed
  for (size_t i = 0; i < t.spatial; ++i) {
    all *= t.taps[i] * t.strides[i];
    needed *= t.kernel[i];
  }
  return all > needed && t.groups == 1 && t.outputs >= kFewestOutputs && t.phases() <= kMostPhases;
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
    if (pays_apart(t))
      if (const std::vector<Phase> phases = phases_of(t); !phases.empty()) return apart(call, t, phases);
    Sizes padding;
    for (size_t i = 0; i < t.spatial; ++i)
      padding.push_back(t.dilation[i] * (t.taps[i] - 1) - t.before[i] / t.strides[i]);
    for (size_t i = 0; i < t.spatial; ++i)
      padding.push_back((t.dilation[i] * (t.kernel[i] - 1) + t.more[i] - t.behind[i]) / t.strides[i]);
    const Ref<Call> conv = convolution(call, t, padding, phases_as_channels(call, t));
    return t.phases() == 1 ? Expr(conv) : Expr(in_place(emit(conv, "lv"), call, t));
  }

  Ref<Call> convolution(const Call& call, const Transposed& t, const Sizes& padding, const Ref<Call>& weight) {
    AttrMap attrs{
        {"padding", AttrValue::ints(padding)}, {"dilation", AttrValue::ints(t.dilation)}, {"groups", t.groups}};
    for (const char* kept : {"data_layout", "kernel_layout", "out_layout", "out_dtype"})
      attrs[kept] = *call.attrs.find(kept);
    return Call::make(builtin_ops().get(t.name), {call.args[0], emit(weight, "lv")}, Attrs(std::move(attrs)), {},
                      call.span);
  }

  /// A convolution for each phase.
  Expr apart(const Call& call, const Transposed& t, const std::vector<Phase>& phases) {
    std::vector<Expr> parts;
    for (const Phase& p : phases) {
      Sizes padding = p.before;
      padding.insert(padding.end(), p.behind.begin(), p.behind.end());
      parts.push_back(emit(convolution(call, t, padding, taps_of(call, t, p)), "lv"));
    }
    return joined(parts, call, t, phases);
  }

  /// The kernel of a phase, whose taps are those of the whole from behind.
  Ref<Call> taps_of(const Call& call, const Transposed& t, const Phase& p) {
    const Expr& weight = call.args[1];
    std::vector<Scalar> shape;
    for (int64_t n : p.taps) shape.push_back(int_imm(n));
    shape.push_back(int_imm(t.inputs));
    shape.push_back(int_imm(t.outputs));
    const Type type = TensorType::make(shape, find<TensorType>(weight->type)->dtype);
    KernelBuilder k("taps_of_phase");
    const Ref<Buffer> from = k.input("weight", weight->type), to = k.output("taps", type);
    k.compute(to, "taps", [&](const Indices& at) {
      Indices tap = at;
      for (size_t i = 0; i < t.spatial; ++i)
        tap[i] = (int_imm(p.taps[i] - 1) - at[i]) * int_imm(t.strides[i]) + int_imm(p.numbers[i]);
      return load(from, tap);
    });
    return call_kernel(functions_, "taps_of_phase", find_ref<PrimFunc>(Expr(std::move(k).finish())), {weight}, type,
                       call.span);
  }

  Ref<Call> joined(const std::vector<Expr>& parts, const Call& call, const Transposed& t,
                   const std::vector<Phase>& phases) {
    KernelBuilder k("join_phases");
    std::vector<Ref<Buffer>> from;
    for (size_t i = 0; i < parts.size(); ++i) from.push_back(k.input("phase" + std::to_string(i), parts[i]->type));
    const Ref<Buffer> to = k.output("joined", call.type);
    k.compute(to, "joined", [&](const Indices& at) {
      Scalar value;
      for (size_t n = phases.size(); n-- > 0;) {
        Indices source = at;
        Scalar is_here;
        for (size_t i = 0; i < t.spatial; ++i) {
          const Scalar stride = int_imm(t.strides[i]), moved = at[i + 1] + int_imm(t.before[i] % t.strides[i]);
          source[i + 1] = floor_div(moved, stride) - int_imm(phases[n].skipped[i]);
          if (t.strides[i] == 1) continue;
          const Scalar here = Binary::make(BinaryOp::Eq, floor_mod(moved, stride), int_imm(phases[n].numbers[i]));
          is_here = is_here ? both(is_here, here) : here;
        }
        value = value ? choose(is_here, load(from[n], source), value) : load(from[n], source);
      }
      return value;
    });
    const Ref<BaseFunc> built = std::move(k).finish();
    // What only moves elements would not read vectors of one phase any more, were it fused.
    const Ref<PrimFunc> kernel = find_ref<PrimFunc>(
        Expr(built->with_attrs(built->attrs.with(kOpPattern, static_cast<int64_t>(OpPattern::OutputFusible)))));
    return call_kernel(functions_, "join_phases", kernel, parts, call.type, call.span);
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
