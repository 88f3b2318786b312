// Calls in loop-level functions: those of module functions, which name the callee by a string, checks of indices,
// shuffles of vectors, and dot products of bytes, of pairs of int16 and of pairs of bfloat16.
#pragma once
#include <map>
#include <optional>

#include "loop/prim_func.h"

namespace sunmao {

/// Returns the names of the called functions in order, once per call.
std::vector<std::string> called_functions(const PrimFunc& f);
/// Renames callees by the map `names`; returns the same pointer when nothing changes.
Ref<PrimFunc> rename_called_functions(const Ref<PrimFunc>& f, const std::map<std::string, std::string>& names);

/// `T.checked_index(place, size, given, what)` is `place` if that is in [0, size). Otherwise the function fails (E0919)
/// and reports the index `given`, which was passed to the op `what`. A size of -1 stands for no range: any place but -1
/// holds, and what is reported is a number that `what` cannot be.
struct IndexCheck {
  Scalar place, size, given;
  std::string what;
};
bool is_index_check(const ScalarCall& call);
/// True when a part of the scalar is an index check.
bool checks_indices(const Scalar& s);
IndexCheck index_check(const ScalarCall& call);
Scalar checked_index(IndexCheck check);
/// Returns `value`; the function fails (E0919) where `is_refused` holds.
Scalar checked_number(const Scalar& value, const Scalar& is_refused, std::string what);

/// `T.Shuffle(vectors, lanes)`: lane i is the lane of number `lanes[i]` of the vectors one after the other.
struct Shuffle {
  std::vector<Scalar> vectors;
  std::vector<int64_t> lanes;
};
/// Returns the parts of a shuffle; nullopt for other calls, and unless the numbers are constants that name lanes.
std::optional<Shuffle> find_shuffle(const ScalarCall& call);
Scalar shuffle(Shuffle parts);

/// `T.dp4a(a, b, sum)`: lane i is that of `sum` plus the products of lanes 4 * i to 4 * i + 3 of `a` and `b`, int8 or
/// uint8 each, where an operand of four lanes is the same for all i. The int32 sum wraps around.
struct ByteDots {
  Scalar a, b, sum;
};
/// The number of products that a lane of such a call adds.
inline constexpr int kBytesOfDot = 4;
/// Returns the parts of a dot product of bytes; nullopt for other calls, and for operands of other types.
std::optional<ByteDots> find_byte_dots(const ScalarCall& call);
Scalar byte_dots(ByteDots parts);

/// `T.dp2a(a, b, sum)` of int16: lane i is that of the int32 `sum` plus the products of lanes 2 * i and 2 * i + 1 of
/// `a` and `b`, where an operand of fewer lanes is repeated. The sum wraps around.
struct ShortDots {
  Scalar a, b, sum;
};
/// The number of products that a lane of such a call adds.
inline constexpr int kShortsOfDot = 2;
/// Returns the parts of a dot product of int16; nullopt for other calls, and for operands of other types.
std::optional<ShortDots> find_short_dots(const ScalarCall& call);
Scalar short_dots(ShortDots parts);

/// `T.dp2a(a, b, sum)` of words: lane i is that of the float32 `sum`, plus the product of the high halves of `a` and
/// `b`, plus that of the low halves; each lane of these uint32 is two bfloat16. The products are exact, each addition
/// rounds.
struct PairDots {
  Scalar a, b, sum;
};
/// The number of products that a lane of such a call adds.
inline constexpr int kHalvesOfWord = 2;
/// Returns the parts of a dot product of pairs; nullopt for other calls, and for operands of other types.
std::optional<PairDots> find_pair_dots(const ScalarCall& call);
Scalar pair_dots(PairDots parts);

}  // namespace sunmao
