// The step of a contraction, its innermost multiply-accumulate. Element types, the size of a bundle and how a sum is
// computed are known here alone; tiles, packing and layouts of weights ask.
#pragma once
#include "passes/schedule/contraction/contraction.h"
#include "target/target.h"

namespace sunmao {

/// Returns how many iterations of a loop one step takes of operands of these types: four where products of bytes are
/// added to int32, two where those of int16 are, or of bfloat16 to float32, else 1, a multiply-add.
int64_t bundle_size(const Contraction& c);

/// Returns the loop whose iterations fill bundles, and along which the left operand is contiguous.
std::optional<size_t> find_bundled_loop(const Contraction& c);

/// The same for the only reduced loop, of as many iterations as a run says: their last bundle may have a part of them.
std::optional<size_t> find_ragged_loop(const Contraction& c);

/// Returns the contraction with the iterations of a loop in bundles.
Contraction with_bundles(const Contraction& c, size_t loop);

/// Returns the contraction in bundles where the right operand is indexed by their numbers and the places in them; in
/// panels, columns must lie side by side as well.
std::optional<Contraction> read_bundles(const Contraction& c);

/// True when what steps take of neighbouring columns lies side by side.
bool are_columns_side_by_side(const Contraction& c);

/// Returns the number of columns that a vector of sums holds.
int64_t step_lanes(const Contraction& c, const Target& target);

/// Returns the registers that steps on so many vectors of columns need beside those of sums, columns and a row.
int64_t step_registers(const Contraction& c, const Target& target, int64_t vectors);

/// Returns the bytes that a step takes of an operand for a row or a column.
int64_t step_bytes(const Contraction& c);

/// True when a step is a multiply-add of one element of each operand.
bool is_multiply_add(const Contraction& c);

/// Returns how many columns a step takes at once, of vectors of `lanes`: all of a vector where it is an instruction,
/// one where it is an expression that a vectorised loop computes.
int64_t columns_at_once(const Contraction& c, int64_t lanes);

/// True when a step has a form on vectors of columns that are read in place.
bool has_vector_step(const Contraction& c, int64_t lanes);

/// Returns a sum, or a vector of sums, after a step.
Scalar step_sum(const Contraction& c, const Scalar& sum, const Scalar& left, const Scalar& right);

/// The iterations of a step: all of a bundle, or those that are left behind the whole bundles.
enum class Taken { All, Rest };

/// True when a target adds products of pairs of int16 in place of those of four bytes, which it has no instruction for.
bool adds_pairs(const Contraction& c, const Target& target);

/// Returns two sums for each column after a step: of a bundle of the left operand as int16, and bundles of the right.
Scalar pair_sums(const Scalar& sums, const Scalar& left, const Scalar& right);

/// Returns the sums of columns that have two each.
Scalar sums_of_pairs(const Scalar& sums);

/// True when the left operand is float16: widening it in each step takes as many instructions as a step has rows.
bool converts_left(const Contraction& c);

/// True when what the iterations of this loop take of a left operand with narrow elements follows each other in a row
/// of memory.
bool has_adjacent_steps(const Contraction& c, size_t loop);

/// Returns what `count` steps take of the left operand with wider elements: adjacent bundles as int16, or float32.
Scalar widened(const Contraction& c, const Scalar& value, int64_t count);

/// Returns what a step takes of `count` rows or columns that lie side by side, of which `value` is an operand in place;
/// of a row or column with a rest, 0 in place of iterations that are not there.
Scalar step_operands(const Contraction& c, const Scalar& value, int64_t count = 1, Taken taken = Taken::All);

/// Returns the first element that a step takes, of which `value` is an operand in place.
Scalar first_operand(const Contraction& c, const Scalar& value);

/// Returns what a step takes of `count` adjacent columns whose bundles are not contiguous: the rows of the bundle,
/// interleaved. The bundles of columns from `limit` on, unless it is null, are 0. Of a rest the last row stands for
/// those that are not there, which the other operand multiplies by 0.
Scalar interleaved(const Contraction& c, const Scalar& value, int64_t count, const Scalar& limit,
                   Taken taken = Taken::All);

/// Replaces the bundles of columns from `limit` on by 0, unless it is null.
Scalar bundles_below(const Contraction& c, const Scalar& bundles, const Scalar& limit);

/// Copies of operands hold what steps take of rows or columns in their last dimension; `at` ends with a number of one.
Scalar extent_of_copy(const Contraction& c, const Scalar& count);
Scalar load_copied(const Contraction& c, const Ref<Buffer>& copy, std::vector<Scalar> at, int64_t count = 1);
Stmt store_copied(const Contraction& c, const Ref<Buffer>& copy, std::vector<Scalar> at, const Scalar& operands);

}  // namespace sunmao
