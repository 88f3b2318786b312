// Scan: over a known number of rows its body is read as often; else it becomes a function of the module.
#include <algorithm>

#include "frontend/onnx/bodies.h"
#include "frontend/onnx/compose.h"
#include "frontend/onnx/graph_reader.h"
#include "frontend/onnx/stacks.h"

namespace sunmao::onnx {
namespace {

constexpr int64_t kMostUnrolledNodes = 8192;

struct ScannedInput {
  Expr x;
  int64_t axis = 0;
  bool is_backward = false;
};

struct ScanForm {
  std::vector<Expr> states;
  std::vector<ScannedInput> inputs;
  std::vector<Stack> outputs;
  Scalar length;
};

ScanForm form_of(const NodeContext& n, const Graph& body) {
  const auto scanned = static_cast<size_t>(std::max<int64_t>(n.int_attr("num_scan_inputs", 0), 0));
  if (scanned == 0 || scanned > n.input_count()) n.fail("num_scan_inputs does not fit the inputs");
  const size_t carried = n.input_count() - scanned;
  if (body.outputs.size() < carried) n.fail("the body has fewer outputs than it carries values");
  const std::vector<int64_t> none;
  const auto in_axes = n.ints_attr("scan_input_axes").value_or(none),
             in_back = n.ints_attr("scan_input_directions").value_or(none),
             out_axes = n.ints_attr("scan_output_axes").value_or(none),
             out_back = n.ints_attr("scan_output_directions").value_or(none);
  const auto at = [](const std::vector<int64_t>& list, size_t i) { return i < list.size() ? list[i] : 0; };
  ScanForm form;
  for (size_t i = 0; i < carried; ++i) form.states.push_back(n.tensor(i));
  for (size_t i = 0; i < scanned; ++i)
    form.inputs.push_back({.x = n.tensor(carried + i),
                           .axis = axis_of(n, at(in_axes, i), n.rank(carried + i)),
                           .is_backward = at(in_back, i) != 0});
  for (size_t i = 0; i < body.outputs.size() - carried; ++i)
    form.outputs.push_back({.axis = at(out_axes, i), .is_backward = at(out_back, i) != 0});
  form.length = n.dims(carried).at(static_cast<size_t>(form.inputs[0].axis));
  return form;
}

/// Returns the number of elements of the batch that each input has in opset 8, before its sequence.
int64_t batch_of(const NodeContext& n) {
  if (n.has_input(0)) throw UnsupportedUse{"of opset 8 with lengths of sequences"};
  if (n.input_count() < 2) n.fail("it has no inputs");
  const int64_t* batch = find_int(n.dims(1).at(0));
  if (!batch || *batch < 1 || *batch > kMaxIterations) throw UnsupportedUse{"of opset 8 over a batch of unknown size"};
  return *batch;
}

/// Returns the scan of one element of the batch.
ScanForm form_in_batch(const NodeContext& n, const Graph& body, int64_t element) {
  const auto scanned = static_cast<size_t>(std::max<int64_t>(n.int_attr("num_scan_inputs", 0), 0));
  if (scanned == 0 || scanned >= n.input_count()) n.fail("num_scan_inputs does not fit the inputs");
  const size_t carried = n.input_count() - 1 - scanned;
  if (body.outputs.size() < carried) n.fail("the body has fewer outputs than it carries values");
  const auto back = n.ints_attr("directions").value_or(std::vector<int64_t>{});
  ScanForm form;
  for (size_t i = 0; i < carried; ++i) form.states.push_back(slice_at(n, n.tensor(1 + i), element, 0));
  for (size_t i = 0; i < scanned; ++i)
    form.inputs.push_back(
        {.x = slice_at(n, n.tensor(1 + carried + i), element, 0), .is_backward = i < back.size() && back[i] != 0});
  form.outputs.resize(body.outputs.size() - carried);
  form.length = n.dims(1 + carried).at(1);
  return form;
}

using ReadValues = std::function<std::vector<Value>(const std::vector<Expr>& arguments)>;

Expr row_of(const NodeContext& n, const ScannedInput& input, const Expr& place) {
  return n.call("take", {input.x, place}, {{"axis", input.axis}});
}

std::vector<Value> unrolled_scan(const NodeContext& n, const ScanForm& form, int64_t length, const ReadValues& read) {
  std::vector<Value> state = tensors_of(form.states);
  std::vector<std::vector<Value>> rows(form.outputs.size());
  for (int64_t i = 0; i < length; ++i) {
    std::vector<Expr> arguments = exprs_of(state);
    for (const ScannedInput& input : form.inputs)
      arguments.push_back(
          row_of(n, input, integer_constant(DType::int_(64), input.is_backward ? length - 1 - i : i, n.span)));
    std::vector<Value> given = read(arguments);
    const auto first_row = given.begin() + static_cast<std::ptrdiff_t>(state.size());
    state.assign(given.begin(), first_row);
    for (size_t k = 0; k < rows.size(); ++k) rows[k].push_back(first_row[static_cast<std::ptrdiff_t>(k)]);
  }
  for (size_t k = 0; k < rows.size(); ++k) {
    if (form.outputs[k].is_backward) std::ranges::reverse(rows[k]);
    state.push_back(stacked(n, rows[k], form.outputs[k].axis));
  }
  return state;
}

/// Carries the number of rows that were read, then the states.
std::vector<Value> scan_loop(const NodeContext& n, const ScanForm& form, const ReadValues& read) {
  const Expr length = tensor_of(n.builder, {form.length}, false, n.span);
  std::vector<Expr> start{integer_constant(DType::int_(64), 0, n.span)};
  start.insert(start.end(), form.states.begin(), form.states.end());
  const auto goes_on = [&](const std::vector<Expr>& carried) {
    return std::vector{binary(n, "less", carried[0], length)};
  };
  const auto step = [&](const std::vector<Expr>& carried) {
    std::vector<Expr> next{binary(n, "add", carried[0], 1)}, arguments(carried.begin() + 1, carried.end());
    for (const ScannedInput& input : form.inputs)
      arguments.push_back(row_of(n, input, input.is_backward ? binary(n, "subtract", length, next[0]) : carried[0]));
    const std::vector<Expr> given = exprs_of(read(arguments));
    next.insert(next.end(), given.begin(), given.end());
    return next;
  };
  const std::vector<Expr> end = stacking_loop(n, start, goes_on, step, form.outputs, form.length, "scan");
  return tensors_of({end.begin() + 1, end.end()});
}

std::vector<Value> scan_results(const NodeContext& n, const ScanForm& form, const Graph& body, const ReadValues& read) {
  const int64_t* length = find_int(form.length);
  const auto nodes = static_cast<int64_t>(body.nodes.size()) + 1;
  const bool is_short = length && *length > 0 && *length <= std::min(kMaxIterations, kMostUnrolledNodes / nodes);
  return is_short ? unrolled_scan(n, form, *length, read) : scan_loop(n, form, read);
}

/// Each element of the batch is a scan of its own.
std::vector<Value> batched_scan(const NodeContext& n, const Graph& body, const ReadValues& read) {
  std::vector<std::vector<Value>> parts(body.outputs.size());
  const int64_t batch = batch_of(n);
  for (int64_t i = 0; i < batch; ++i) {
    const std::vector<Value> results = scan_results(n, form_in_batch(n, body, i), body, read);
    for (size_t k = 0; k < parts.size(); ++k) parts[k].push_back(results[k]);
  }
  std::vector<Value> out;
  for (const std::vector<Value>& part : parts) out.push_back(stacked(n, part, 0));
  return out;
}

}  // namespace

std::vector<Value> GraphReader::read_scan(const NodeContext& n, const Place& place, const Scope& scope) {
  const Graph& body = body_of(n, "body");
  const auto read = [&](const std::vector<Expr>& arguments) {
    return read_body(body, tensors_of(arguments), path_of(place.label, "body"), scope);
  };
  return n.opset < 9 ? batched_scan(n, body, read) : scan_results(n, form_of(n, body), body, read);
}

}  // namespace sunmao::onnx
