#include "passes/schedule/contraction/step.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/calls.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/loop_writing.h"
#include "passes/loop/vector_axis.h"
#include "passes/loop/vectorize_loops.h"
#include "passes/schedule/contraction/split_loops.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

bool is_byte(DType dtype) { return dtype == DType::int_(8) || dtype == DType::uint(8); }
bool is_short(DType dtype) { return dtype == DType::int_(16); }
bool is_byte_or_short(DType dtype) { return is_byte(dtype) || is_short(dtype); }
bool is_float16(DType dtype) { return dtype == DType::float_(16); }
bool is_bfloat16(DType dtype) { return dtype.code == TypeCode::BFloat && dtype.lanes == 1; }

/// True when an operand widens elements of such a dtype, which it loads.
bool widens(const Scalar& operand, bool (*is_narrow)(DType)) {
  const auto* cast = find<Cast>(operand);
  const auto* load = cast ? find<BufferLoad>(cast->value) : nullptr;
  const bool is_dense = load && load->buffer->is_dense() && !load->buffer->elem_offset;
  return is_dense && is_narrow(load->dtype) && !load->predicate;
}

/// Returns neighbouring elements of a row of memory, from the one that `first` loads on.
Scalar elements_from(const Scalar& first, int64_t count) {
  const auto* load = find<BufferLoad>(first);
  std::vector<Scalar> at = load->indices;
  at.back() = Ramp::make(at.back(), IntImm::make(at.back()->dtype, 1), static_cast<int>(count));
  return BufferLoad::make(load->buffer, std::move(at));
}

/// Returns how many iterations whole bundles leave.
Scalar rest_of(const Bundle& bundle) {
  return compare(BinaryOp::FloorMod, as_type_of(bundle.rest, bundle.steps),
                 IntImm::make(bundle.rest->dtype, bundle.size));
}

/// Returns an element of a bundle by its number; of a rest the last one in place of those that are not there.
Scalar element(const Bundle& bundle, const Scalar& of_bundle, int64_t number, Taken taken = Taken::All) {
  const auto* load = find<BufferLoad>(of_bundle);
  Analyzer analyzer;
  std::vector<Scalar> at;
  Scalar place = IntImm::make(bundle.rest->dtype, number);
  if (taken == Taken::Rest && number > 0) place = min(place, rest_of(bundle) - IntImm::make(bundle.rest->dtype, 1));
  for (const Scalar& index : load->indices)
    at.push_back(uses(index, *bundle.rest) ? analyzer.simplify(substitute(index, {{bundle.rest, place}})) : index);
  return BufferLoad::make(load->buffer, std::move(at));
}

/// Replaces the lanes from `limit` on by 0, unless it is null.
Scalar lanes_below(const Scalar& vector, const Scalar& limit) {
  if (!limit) return vector;
  const int lanes = vector->dtype.lanes;
  const Scalar are_there =
      Binary::make(BinaryOp::Lt, Ramp::make(int_imm(0), int_imm(1), lanes), Broadcast::make(limit, lanes));
  const Scalar zeros = Broadcast::make(constant(vector->dtype.with_lanes(1), 0), lanes);
  return ScalarCall::make("if_then_else", vector->dtype, {are_there, vector, zeros});
}

/// Interleaves two vectors in pieces of `piece` lanes.
Scalar by_turns(const Scalar& a, const Scalar& b, int64_t piece) {
  Shuffle parts{.vectors = {a, b}, .lanes = {}};
  for (int64_t first = 0; first < a->dtype.lanes; first += piece)
    for (const int64_t from : {first, first + a->dtype.lanes})
      for (int64_t i = 0; i < piece; ++i) parts.lanes.push_back(from + i);
  return shuffle(std::move(parts));
}

Scalar as_shorts(const Scalar& vector) { return Cast::make(DType::int_(16, vector->dtype.lanes), vector); }

/// True when a step adds products of pairs of int16.
bool has_shorts(const Contraction& c) { return c.bundle && c.bundle->size == kShortsOfDot; }

std::vector<Scalar> places_in(const Bundle& bundle, std::vector<Scalar> at, int64_t elements) {
  at.back() = Ramp::make(product(at.back(), int_imm(bundle.size)), int_imm(1), static_cast<int>(elements));
  return at;
}

}  // namespace

int64_t bundle_size(const Contraction& c) {
  const auto both_widen = [&](bool (*is_narrow)(DType)) {
    return widens(c.left, is_narrow) && widens(c.right, is_narrow);
  };
  const DType sum = c.nest.buffer->dtype;
  if (sum == DType::int_(32) && both_widen(is_byte)) return kBytesOfDot;
  if (sum == DType::int_(32) && widens(c.left, is_short) && widens(c.right, is_byte_or_short)) return kShortsOfDot;
  return sum == DType::float_(32) && both_widen(is_bfloat16) ? kHalvesOfWord : 1;
}

std::optional<size_t> find_bundled_loop(const Contraction& c) {
  const int64_t size = bundle_size(c);
  if (size == 1 || c.is_left_vector || c.groups || !c.guards.empty()) return std::nullopt;
  for (size_t i = c.nest.loops.size(); i-- > 0;) {
    if (c.nest.kinds[i] != IterKind::Reduce || !uses(c.left, *c.loop(i)) || !uses(c.right, *c.loop(i))) continue;
    if (c.known_extent(i) >= size && c.known_extent(i) % size == 0 && is_contiguous(c.left, c.loop(i))) return i;
  }
  return std::nullopt;
}

std::optional<size_t> find_ragged_loop(const Contraction& c) {
  if (bundle_size(c) != kBytesOfDot || c.is_left_vector || c.groups || c.panels || !c.guards.empty()) return {};
  if (c.steps.size() != 1 || find_int(c.extent(c.steps[0]))) return std::nullopt;
  const Ref<SymVar>& step = c.loop(c.steps[0]);
  const bool are_plain = uses(c.left, *step) && uses(c.right, *step) && is_contiguous(c.left, step);
  return are_plain ? std::optional(c.steps[0]) : std::nullopt;
}

Contraction with_bundles(const Contraction& c, size_t loop) {
  const Ref<SymVar> before = c.loop(loop), number = SymVar::make(before->name, before->dtype);
  Bundle bundle{bundle_size(c), SymVar::make(before->name + "_rest", before->dtype)};
  if (!find_int(c.extent(loop))) bundle.steps = c.extent(loop);
  const Scalar size = IntImm::make(before->dtype, bundle.size);
  const auto in_bundles = [&](const Scalar& operand) {
    const Scalar split = rewrite(find<Cast>(operand)->value, [&](const Scalar& s) -> Scalar {
      const auto* n = find<Binary>(s);
      if (!n || n->a.get() != before.get() || !structural_equal(n->b, size)) return nullptr;
      return n->op == BinaryOp::FloorDiv ? number : n->op == BinaryOp::FloorMod ? bundle.rest : Ref<SymVar>();
    });
    return substitute(split, {{before, number * size + bundle.rest}});
  };
  Contraction out = c;
  out.left = in_bundles(c.left);
  out.right = in_bundles(c.right);
  out.nest.loops[loop] = number;
  out.nest.extents[loop] = compare(BinaryOp::FloorDiv, c.extent(loop), size);
  out.bundle = bundle;
  return out;
}

std::optional<Contraction> read_bundles(const Contraction& c) {
  const std::optional<size_t> loop = find_bundled_loop(c);
  if (!loop || common_divisor({c.right}, c.loop(*loop)) != bundle_size(c)) return std::nullopt;
  Contraction out = with_bundles(c, *loop);
  return !c.panels || are_columns_side_by_side(out) ? std::optional(std::move(out)) : std::nullopt;
}

bool are_columns_side_by_side(const Contraction& c) {
  const Scalar columns = right_in_panel(c);
  if (!c.bundle) return is_contiguous(columns, c.loop(c.column));
  return lies_at_distance(columns, c.bundle->rest, 1) && lies_at_distance(columns, c.loop(c.column), c.bundle->size);
}

int64_t step_lanes(const Contraction& c, const Target& target) {
  if (c.bundle || c.has_words) return target.isa.lanes(c.nest.buffer->dtype.bits);
  return vector_lanes(BufferStore::make(c.nest.buffer, c.left * c.right, c.nest.indices), target);
}

int64_t step_registers(const Contraction& c, const Target& target, int64_t vectors) {
  if (c.has_words) return target.isa.has(Instruction::DotPairs) ? 0 : vectors + 2;
  if (!c.bundle) return 0;
  if (!has_shorts(c) && target.isa.has(Instruction::DotBytes)) return c.left->dtype == c.right->dtype ? vectors + 2 : 0;
  return vectors + 2;
}

int64_t step_bytes(const Contraction& c) { return c.right->dtype.bytes() * (c.bundle ? c.bundle->size : 1); }

bool is_multiply_add(const Contraction& c) { return !c.bundle && !c.has_words; }

int64_t columns_at_once(const Contraction& c, int64_t lanes) { return c.bundle ? lanes : 1; }

bool has_vector_step(const Contraction& c, int64_t lanes) {
  if (c.bundle) return true;
  const Ref<SymVar>& column = c.loop(c.column);
  const Scalar product = c.left * right_in_panel(c);
  const Ref<Buffer> probe = Buffer::make("probe", product->dtype, {c.extent(c.column)});
  return vectorize(BufferStore::make(probe, product, {column}), column, IntImm::make(column->dtype, 0),
                   static_cast<int>(lanes))
      .has_value();
}

Scalar step_sum(const Contraction& c, const Scalar& sum, const Scalar& left, const Scalar& right) {
  if (c.has_words) return pair_dots({.a = left, .b = right, .sum = sum});
  if (has_shorts(c)) return short_dots({.a = left, .b = as_shorts(right), .sum = sum});
  return c.bundle ? byte_dots({.a = left, .b = right, .sum = sum}) : sum + left * right;
}

bool adds_pairs(const Contraction& c, const Target& target) {
  return c.bundle && !c.bundle->steps && !has_shorts(c) && !target.isa.has(Instruction::DotBytes) &&
         target.isa.has(Instruction::AddPairs);
}

Scalar pair_sums(const Scalar& sums, const Scalar& left, const Scalar& right) {
  return short_dots({.a = left, .b = as_shorts(right), .sum = sums});
}

Scalar sums_of_pairs(const Scalar& sums) {
  Shuffle even{.vectors = {sums}, .lanes = {}}, odd = even;
  for (int64_t i = 0; i < sums->dtype.lanes; i += 2) {
    even.lanes.push_back(i);
    odd.lanes.push_back(i + 1);
  }
  return shuffle(std::move(even)) + shuffle(std::move(odd));
}

bool converts_left(const Contraction& c) { return !c.bundle && !c.has_words && widens(c.left, is_float16); }

bool has_adjacent_steps(const Contraction& c, size_t loop) {
  const Scalar& narrow = c.bundle ? c.left : find<Cast>(c.left)->value;
  const Scalar& last = find<BufferLoad>(narrow)->indices.back();
  return uses(last, *c.loop(loop)) && lies_at_distance(narrow, c.loop(loop), c.bundle ? c.bundle->size : 1);
}

Scalar widened(const Contraction& c, const Scalar& value, int64_t count) {
  if (c.bundle) return as_shorts(step_operands(c, value, count));
  const Scalar& narrow = find<Cast>(value)->value;
  return Cast::make(value->dtype.with_lanes(static_cast<int>(count)),
                    count == 1 ? narrow : elements_from(narrow, count));
}

Scalar step_operands(const Contraction& c, const Scalar& value, int64_t count, Taken taken) {
  if (!c.bundle) return value;
  if (taken == Taken::All && lies_at_distance(value, c.bundle->rest, 1))
    return elements_from(element(*c.bundle, value, 0), c.bundle->size * count);
  Shuffle parts;
  for (int64_t i = 0; i < c.bundle->size; ++i) {
    Scalar part = element(*c.bundle, value, i, taken);
    if (taken == Taken::Rest && i > 0)
      part = ScalarCall::make("if_then_else", part->dtype,
                              {compare(BinaryOp::Gt, rest_of(*c.bundle), IntImm::make(c.bundle->rest->dtype, i)), part,
                               constant(part->dtype, 0)});
    parts.vectors.push_back(std::move(part));
    parts.lanes.push_back(i);
  }
  return shuffle(std::move(parts));
}

Scalar first_operand(const Contraction& c, const Scalar& value) {
  return c.bundle ? element(*c.bundle, value, 0) : value;
}

Scalar interleaved(const Contraction& c, const Scalar& value, int64_t count, const Scalar& limit, Taken taken) {
  std::vector<Scalar> parts;
  for (int64_t i = 0; i < c.bundle->size; ++i)
    parts.push_back(lanes_below(elements_from(element(*c.bundle, value, i, taken), count), limit));
  for (int64_t piece = 1; parts.size() > 1; piece *= 2) {
    std::vector<Scalar> pairs;
    for (size_t i = 0; i < parts.size(); i += 2) pairs.push_back(by_turns(parts[i], parts[i + 1], piece));
    parts = std::move(pairs);
  }
  return parts[0];
}

Scalar bundles_below(const Contraction& c, const Scalar& bundles, const Scalar& limit) {
  return lanes_below(bundles, limit ? product(limit, int_imm(c.bundle->size)) : limit);
}

Scalar extent_of_copy(const Contraction& c, const Scalar& count) {
  return c.bundle ? product(count, int_imm(c.bundle->size)) : count;
}

Scalar load_copied(const Contraction& c, const Ref<Buffer>& copy, std::vector<Scalar> at, int64_t count) {
  return load(copy, c.bundle ? places_in(*c.bundle, std::move(at), c.bundle->size * count) : std::move(at));
}

Stmt store_copied(const Contraction& c, const Ref<Buffer>& copy, std::vector<Scalar> at, const Scalar& operands) {
  const int lanes = operands->dtype.lanes;
  if (c.bundle)
    at = places_in(*c.bundle, std::move(at), lanes);
  else if (lanes > 1)
    at.back() = Ramp::make(at.back(), int_imm(1), lanes);
  return BufferStore::make(copy, operands, std::move(at));
}

}  // namespace sunmao
