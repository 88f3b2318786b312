// Converters of sequences, which are tuples, and of optional values, which are themselves or no value.
#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

constexpr int64_t kMostParts = 4096;  // of a sequence

std::vector<Expr> fields_of(const NodeContext& n, size_t input) {
  const Expr sequence = n.tensor(input);
  if (const auto* tuple = find<Tuple>(sequence)) return tuple->fields;
  const auto* type = find<TupleType>(sequence->type);
  if (!type) n.fail(fmt::format("input {} is no sequence", input));
  return n.fields(sequence, type->fields.size()).values;
}

/// Returns a place in a sequence, which counts from the end if it is negative.
std::ptrdiff_t place_of(const NodeContext& n, size_t input, size_t count) {
  const int64_t given = n.integer(input, "places"), size = static_cast<int64_t>(count);
  if (given < -size || given >= size) n.fail(fmt::format("place {} in a sequence of {}", given, size));
  return static_cast<std::ptrdiff_t>(given < 0 ? given + size : given);
}

Results construct(const NodeContext& n) {
  std::vector<Expr> fields;
  for (size_t i = 0; i < n.input_count(); ++i) fields.push_back(n.tensor(i));
  return tuple_of(n, std::move(fields));
}

Results empty(const NodeContext& n) { return tuple_of(n, {}); }

Results insert(const NodeContext& n) {
  std::vector<Expr> fields = fields_of(n, 0);
  const bool is_behind_all = !n.has_input(2) || n.integer(2, "places") == static_cast<int64_t>(fields.size());
  const auto at = is_behind_all ? fields.end() : fields.begin() + place_of(n, 2, fields.size());
  fields.insert(at, n.tensor(1));
  return tuple_of(n, std::move(fields));
}

Results erase(const NodeContext& n) {
  std::vector<Expr> fields = fields_of(n, 0);
  if (fields.empty()) n.fail("the sequence is empty");
  fields.erase(n.has_input(1) ? fields.begin() + place_of(n, 1, fields.size()) : fields.end() - 1);
  return tuple_of(n, std::move(fields));
}

Results at(const NodeContext& n) {
  const std::vector<Expr> fields = fields_of(n, 0);
  return fields[static_cast<size_t>(place_of(n, 1, fields.size()))];
}

Results length(const NodeContext& n) {
  return integer_constant(DType::int_(64), static_cast<int64_t>(fields_of(n, 0).size()), n.span);
}

Results concat_all(const NodeContext& n) {
  std::vector<Expr> fields = fields_of(n, 0);
  if (fields.empty()) throw UnsupportedUse{"of an empty sequence"};
  const int64_t axis = n.int_attr("axis", 0), new_axis = n.int_attr("new_axis", 0);
  if (new_axis != 0 && new_axis != 1)
    n.fail(fmt::format("ConcatFromSequence only supports new_axis in [0, 1], got {}", new_axis));
  if (new_axis == 0) return joined(n, std::move(fields), axis);
  return n.call("stack", {tuple_of(n, std::move(fields))}, {{"axis", axis}});
}

/// Returns the sizes of the parts: those that are given, or equal ones of which the last may be smaller.
std::vector<int64_t> part_sizes(const NodeContext& n, int64_t size) {
  const bool is_listed = n.has_input(1) && n.rank(1) == 1;
  if (is_listed) return n.ints(1, "sizes of parts");
  const std::vector<int64_t> given{n.has_input(1) ? n.integer(1, "sizes of parts") : 1};
  if (given[0] < 1) n.fail(fmt::format("parts of {}", given[0]));
  if (size / given[0] >= kMostParts) throw UnsupportedUse{fmt::format("into more than {} parts", kMostParts)};
  std::vector<int64_t> sizes;
  for (int64_t begin = 0; begin < size; begin += given[0]) sizes.push_back(std::min(given[0], size - begin));
  return sizes;
}

Results split_apart(const NodeContext& n) {
  const int64_t axis = axis_of(n, n.int_attr("axis", 0), n.rank(0));
  const int64_t* size = find_int(n.dims(0).at(static_cast<size_t>(axis)));
  if (!size) throw UnsupportedUse{"along an axis of symbolic size"};
  const std::vector<int64_t> sizes = part_sizes(n, *size);
  if (static_cast<int64_t>(sizes.size()) > kMostParts)
    throw UnsupportedUse{fmt::format("into more than {} parts", kMostParts)};
  const bool drops_axis = !n.has_input(1) && n.int_attr("keepdims", 1) == 0;
  std::vector<Expr> fields;
  int64_t begin = 0;
  for (int64_t s : sizes) {
    if (s < 0 || s > *size - begin) n.fail(fmt::format("a part of {} of an axis of size {}", s, *size));
    const Expr part =
        sliced(n.builder, n.tensor(0), {{.axis = axis, .begin = int_imm(begin), .end = int_imm(begin + s)}}, n.span);
    fields.push_back(drops_axis ? without_axes(n.builder, part, {axis}, n.span) : part);
    begin += s;
  }
  if (begin != *size) n.fail(fmt::format("parts of {} of an axis of size {}", begin, *size));
  return tuple_of(n, std::move(fields));
}

Results optional(const NodeContext& n) {
  if (n.has_input(0)) return n.tensor(0);
  if (!n.has_attr("type")) n.fail("it has no input and no type attribute");
  return n.call("null_value", {});
}

bool has_value(const NodeContext& n) {
  if (!n.has_input(0)) return false;
  const Type type = n.tensor(0)->type;
  return find<TensorType>(type) || find<TupleType>(type);
}

Results get_element(const NodeContext& n) {
  if (!has_value(n)) n.fail("it takes the value of an empty optional");
  return n.tensor(0);
}

Results has_element(const NodeContext& n) { return n.constant(DType::bool_(), has_value(n) ? 1 : 0); }

}  // namespace

std::vector<Converter> sequence_converters() {
  const char* kPlace = "the place must be constant";
  return {{"SequenceConstruct", 11, construct, "a tuple"},
          {"SequenceEmpty", 11, empty, "a tuple"},
          {"SequenceInsert", 11, insert, "a tuple", kPlace},
          {"SequenceErase", 11, erase, "a tuple", kPlace},
          {"SequenceAt", 11, at, "a field of the tuple", kPlace},
          {"SequenceLength", 11, length, "a number"},
          {"ConcatFromSequence", 11, concat_all, "`R.concat`, `R.stack`"},
          {"SplitToSequence", 11, split_apart, "a tuple of `R.strided_slice`", "the sizes must be constant"},
          {"Optional", 15, optional, "its input, `R.null_value`"},
          {"OptionalGetElement", 15, get_element, "its input"},
          {"OptionalHasElement", 15, has_element, "true or false"}};
}

}  // namespace sunmao::onnx
