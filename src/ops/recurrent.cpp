// Recurrent layers: one layer in one direction. The input's contribution to the gates is a matrix product over all time
// steps that precedes the layer; bidirectional layers are two calls, stacked layers a chain of calls.
#include "ops/recurrent.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

// What a layer has besides the parameters that all layers share (gates, weight, hidden state): the number of its gates;
// the positions of the parameters `cell`, `extra` and `lengths`, 0 for one that it lacks; and `extra_count`, the number
// of vectors of the hidden size in `extra`.
struct Places {
  size_t gates = 1;  // the number of gates
  size_t cell = 0, extra = 0, extra_count = 0, lengths = 0;
};

Type infer_layer(const InferInput& in, const Places& p) {
  const TensorType &gates = in.tensor(0), &weight = in.tensor(1);
  for (size_t i = 0; i < in.args.size(); ++i) {
    if (!in.has(i)) continue;
    const DType t = in.tensor(i).dtype;
    if (i == p.lengths) {
      need_dtype(in, t.is_void() || t.is_int(), "lengths", "integer", t);  // C1
      continue;
    }
    need_float(in, in.tensor(i));  // C1
    need_one_dtype(in, i, 0);
  }
  need_rank(in, 0, 3);
  need_rank(in, 1, 2);
  const Scalar size = weight.dims() ? (*weight.dims())[1] : Scalar();
  const Scalar batch = gates.dims() ? (*gates.dims())[1] : Scalar();
  const Scalar rows = size ? in.analyzer().simplify(size * int_imm(static_cast<int64_t>(p.gates))) : Scalar();
  need_dims(in, 0, {nullptr, nullptr, rows});  // C2
  need_dims(in, 1, {rows, nullptr});
  need_dims(in, 2, {batch, size});
  if (p.cell) need_dims(in, p.cell, {batch, size});
  if (p.extra)
    need_dims(in, p.extra,
              {size ? in.analyzer().simplify(size * int_imm(static_cast<int64_t>(p.extra_count))) : Scalar()});
  if (p.lengths) need_dims(in, p.lengths, {batch});
  activations_of(in);                                                                                           // C3
  if (in.float_attr("clip") < 0) in.error("E0203", fmt::format("`clip` cannot be {}", in.float_attr("clip")));  // C4
  std::vector<Type> results;
  const bool known = written(gates) && written(weight);
  results.push_back(known ? TensorType::make({written(gates)->front(), batch, size}, gates.dtype, gates.vdevice)
                          : TensorType::make_unknown(gates.dtype, 3, gates.vdevice));
  for (int i = 0; i < (p.cell ? 2 : 1); ++i)
    results.push_back(known ? TensorType::make({batch, size}, gates.dtype, gates.vdevice)
                            : TensorType::make_unknown(gates.dtype, 2, gates.vdevice));
  return TupleType::make(std::move(results));
}

Type infer_rnn(const InferInput& in) { return infer_layer(in, {.gates = 1, .lengths = 3}); }
Type infer_gru(const InferInput& in) {
  return infer_layer(in, {.gates = 3, .extra = 3, .extra_count = 1, .lengths = 4});
}
Type infer_lstm(const InferInput& in) {
  return infer_layer(in, {.gates = 4, .cell = 3, .extra = 4, .extra_count = 3, .lengths = 5});
}

struct Word {
  const char* name;
  double alpha, beta;  // defaults
};

const std::vector<Word>& words() {
  static const std::vector<Word> all{{"relu", 0, 0},          {"tanh", 0, 0},
                                     {"sigmoid", 0, 0},       {"affine", 1, 0},
                                     {"leaky_relu", 0.01, 0}, {"thresholded_relu", 1, 0},
                                     {"scaled_tanh", 1, 1},   {"hard_sigmoid", 0.2, 0.5},
                                     {"elu", 1, 0},           {"softsign", 0, 0},
                                     {"softplus", 0, 0}};
  return all;
}

std::optional<double> number_at(const AttrValue& list, size_t i) {
  const auto* values = list.find<AttrList>();
  if (!values || i >= values->size()) return std::nullopt;
  if (const auto* f = (*values)[i].find<double>()) return *f;
  if (const auto* n = (*values)[i].find<int64_t>()) return static_cast<double>(*n);
  return std::nullopt;
}

AttrValue words_of(const std::vector<std::string>& values) { return AttrList(values.begin(), values.end()); }

OpSample sample_layer(Sampler& s, int64_t gates, size_t activations, bool has_cell, int64_t extra) {
  const DType dtype = s.one_of<DType>({DType::float_(32), DType::float_(64)});
  const int64_t hidden = s.between(1, 3), steps = s.between(0, 4), batch = s.between(1, 3);
  auto tensor = [&](std::vector<int64_t> dims) {
    return s.tensor({.dims = sizes(dims), .dtype = dtype, .values = Values::Finite});
  };
  OpSample out{{tensor({steps, batch, gates * hidden}), tensor({gates * hidden, hidden}), tensor({batch, hidden})}};
  if (has_cell) out.args.push_back(tensor({batch, hidden}));
  const bool has_extra = extra && s.chance(50), has_lengths = s.chance(50);
  if (has_extra) out.args.push_back(tensor({extra * hidden}));
  if (has_lengths) {
    if (extra && !has_extra) out.args.push_back(Tuple::make({}));  // an empty tuple for an absent optional argument
    out.args.push_back(
        s.tensor({.dims = sizes({batch}), .dtype = DType::int_(64), .values = Values::Index, .limit = steps + 1}));
  }
  static const std::vector<std::string> words{
      "relu",        "tanh",         "sigmoid", "affine",   "leaky_relu", "thresholded_relu",
      "scaled_tanh", "hard_sigmoid", "elu",     "softsign", "softplus"};
  std::vector<std::string> chosen;
  for (size_t i = 0; i < activations; ++i) chosen.push_back(s.one_of(words));
  if (s.chance(60)) out.attrs["activations"] = words_of(chosen);
  if (s.chance(30)) out.attrs["clip"] = 0.5;
  out.attrs["reverse"] = s.chance(50);
  return out;
}

OpSample sample_rnn(Sampler& s) { return sample_layer(s, 1, 1, false, 0); }

OpSample sample_gru(Sampler& s) {
  OpSample out = sample_layer(s, 3, 2, false, 1);
  out.attrs["resets_product"] = s.chance(50);
  return out;
}

OpSample sample_lstm(Sampler& s) {
  OpSample out = sample_layer(s, 4, 3, true, 3);
  out.attrs["couples_gates"] = s.chance(30);
  return out;
}

OpInfo layer(const char* name, const char* summary, std::vector<OpParam> inputs, const char* order,
             std::vector<AttrValue> activations, InferFn infer, LowerFn lower, LowerFn prepared, SampleFn sample) {
  std::vector<OpParam> params{
      {"gates",
       fmt::format("float tensor (time, batch, gates * hidden): what the input adds to each gate{} (C1, C2)", order)},
      {"weight", "float matrix (gates * hidden, hidden) for what was hidden before (C1, C2)"},
      {"hidden", "float matrix (batch, hidden): the state at the start (C1, C2)"}};
  for (OpParam& p : inputs) params.push_back(std::move(p));
  params.push_back(optional_param(
      "lengths", "integers (batch,): time steps of each sequence; what is behind them gives 0; None: all (C1, C2)"));
  params.push_back({"activations",
                    "words: relu, tanh, sigmoid, affine, leaky_relu, thresholded_relu, scaled_tanh, hard_sigmoid, elu, "
                    "softsign or softplus (C3)",
                    ParamKind::Attr, AttrValue(AttrList(std::move(activations)))});
  params.push_back(
      {"alphas", "floats: the first constant of each activation; None: the usual ones", ParamKind::Attr, AttrValue()});
  params.push_back(
      {"betas", "floats: the second constant of each activation; None: the usual ones", ParamKind::Attr, AttrValue()});
  params.push_back(float_param("clip", "what goes into activations lies in [-clip, clip]; 0: anywhere (C4)", 0.0));
  params.push_back(bool_param("reverse", "each sequence from its end to its start", false));
  return {.name = name,
          .summary = summary,
          .params = std::move(params),
          .constraints = {"C1: `lengths` are integers, all else has one float dtype", "C2: the sizes fit each other",
                          "C3: each activation is one of the words", "C4: clip is not negative"},
          .infer = infer,
          .lower = lower,
          .lower_prepared = prepared,
          .prepared = 1,
          .precision = Precision::Follow,
          .sample = sample};
}

}  // namespace

std::vector<Activation> activations_of(const InferInput& in) {
  const auto* wanted = in.op.find_param("activations")->default_value->find<AttrList>();
  const auto* given = in.attr("activations").find<AttrList>();
  if (!given || given->size() != wanted->size())
    in.error("E0203", fmt::format("`activations` must be a list of {} words", wanted->size()));
  std::vector<Activation> out;
  for (size_t i = 0; i < given->size(); ++i) {
    const auto* text = (*given)[i].find<std::string>();
    auto word = std::ranges::find_if(words(), [&](const Word& w) { return text && *text == w.name; });
    if (word == words().end())  // C3
      in.error("E0203", fmt::format("`activations` cannot hold {}", text ? "`" + *text + "`" : "what is no text"));
    out.push_back({word->name, number_at(in.attr("alphas"), i).value_or(word->alpha),
                   number_at(in.attr("betas"), i).value_or(word->beta)});
  }
  return out;
}

void register_recurrent_ops(OpTable& ops) {
  ops.add(layer("nn.rnn", "A plain recurrent layer: h = f(gates + weight h); all outputs and the last.", {}, "",
                {"tanh"}, infer_rnn, lower_rnn, lower_prepared_rnn, sample_rnn));
  OpInfo gru = layer("nn.gru", "A layer of gated recurrent units; all outputs and the last.",
                     {optional_param("reset_bias",
                                     "float vector (hidden,): added to the new gate's part of what was "
                                     "hidden before it is reset; None: 0 (C1, C2)")},
                     ", in the order reset, update, new", {"sigmoid", "tanh"}, infer_gru, lower_gru, lower_prepared_gru,
                     sample_gru);
  gru.params.push_back(
      bool_param("resets_product", "reset what the weight makes of the state, not the state itself", true));
  ops.add(std::move(gru));
  OpInfo lstm = layer("nn.lstm", "A layer of long short-term memory; all outputs, the last output and the last cell.",
                      {{"cell", "float matrix (batch, hidden): the cell at the start (C1, C2)"},
                       optional_param("peepholes",
                                      "float vector (3 * hidden,): what the cell adds to the gates input, "
                                      "output and forget; None: nothing (C1, C2)")},
                      ", in the order input, forget, cell, output", {"sigmoid", "tanh", "tanh"}, infer_lstm, lower_lstm,
                      lower_prepared_lstm, sample_lstm);
  lstm.params.push_back(bool_param("couples_gates", "the forget gate is 1 less the input gate", false));
  ops.add(std::move(lstm));
}

}  // namespace sunmao
