#include "passes/schedule/contraction/words.h"

#include "loop/builder.h"
#include "loop/calls.h"
#include "loop/walk.h"
#include "support/diagnostic.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

const DType kWord = DType::uint(32), kHalf = DType::uint(16);

/// Returns the indices of an element of a bundle by its number.
std::vector<Scalar> indices_of(const Bundle& bundle, const BufferLoad& load, int64_t number) {
  Analyzer analyzer;
  std::vector<Scalar> at;
  for (const Scalar& index : load.indices)
    at.push_back(uses(index, *bundle.rest)
                     ? analyzer.simplify(substitute(index, {{bundle.rest, IntImm::make(bundle.rest->dtype, number)}}))
                     : index);
  return at;
}

/// Returns a bundle as an element of a view of the buffer; null where it is none.
Scalar as_element(const Bundle& bundle, const Scalar& operand, BufferViews& views) {
  const auto& load = *find<BufferLoad>(operand);
  const int64_t* size = find_int(load.buffer->shape.back());
  if (!size || *size % kHalvesOfWord != 0 || !lies_at_distance(operand, bundle.rest, 1)) return nullptr;
  std::vector<Scalar> at = indices_of(bundle, load, 0), shape = load.buffer->shape;
  const auto typed = [&](int64_t n) { return IntImm::make(at.back()->dtype, n); };
  Analyzer analyzer;
  if (!analyzer.can_prove_equal(floor_mod(at.back(), typed(kHalvesOfWord)), typed(0))) return nullptr;
  at.back() = analyzer.simplify(floor_div(at.back(), typed(kHalvesOfWord)));
  shape.back() = int_imm(*size / kHalvesOfWord);
  return sunmao::load(views.of(load.buffer, shape, kWord), std::move(at));
}

}  // namespace

Scalar word_of_halves(const Scalar& low, const Scalar& high) {
  const Scalar moved = ScalarCall::make("shift_left", kWord, {high, IntImm::make(kWord, kHalf.bits)});
  return ScalarCall::make("bitwise_or", kWord, {low, moved});
}

Scalar half_of(const BufferLoad& load, BufferViews& views) {
  return Cast::make(kWord, sunmao::load(views.of(load.buffer, load.buffer->shape, kHalf), load.indices));
}

Scalar as_word(const Bundle& bundle, const Scalar& operand, BufferViews& views) {
  const auto* load = find<BufferLoad>(operand);
  SUNMAO_CHECK(load && load->buffer->data && !load->buffer->elem_offset, "pairs of what has no view");
  if (Scalar element = as_element(bundle, operand, views)) return element;
  const auto half = [&](int64_t number) {
    const Scalar element = sunmao::load(load->buffer, indices_of(bundle, *load, number));
    return half_of(*find<BufferLoad>(element), views);
  };
  return word_of_halves(half(0), half(1));
}

std::optional<Contraction> in_words(const Contraction& c, BufferViews& views) {
  if (!c.bundle || c.bundle->size != kHalvesOfWord || !c.nest.buffer->dtype.is_float()) return std::nullopt;
  Contraction out = c;
  out.left = as_word(*c.bundle, c.left, views);
  out.right = as_word(*c.bundle, c.right, views);
  out.bundle.reset();
  out.has_words = true;
  return out;
}

}  // namespace sunmao
