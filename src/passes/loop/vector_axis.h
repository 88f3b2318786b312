// vector_axis: emits a loop over one axis as vectors, with a masked vector for the remaining elements.
#pragma once
#include "passes/loop/loop_writing.h"
#include "target/target.h"

namespace sunmao {

/// The lanes of the widest elements in the shortest vectors of all targets. Whether there is a vector form does not
/// depend on the number of lanes.
inline constexpr int kFewestLanes = 2;

/// Returns the number of lanes for vectorizing a statement: the number of elements of its widest dtype that a vector
/// register holds. Floats of less than 32 bits count as 32 bits in arithmetic; int64 arithmetic and indices of loads
/// are ignored.
int vector_lanes(const Stmt& s, const Target& target);

/// Whether a processor has at most 16 vector registers, as without AVX-512.
inline bool has_few_registers(const Target& target) { return target.isa.vector_registers <= 16; }

/// Returns how many vectors are computed together: two where each takes the long chain of dependent instructions of an
/// expanded intrinsic. A processor with few registers holds few waiting instructions, which belong to about three such
/// vectors; those of two come in turn, so that it finds independent ones among them. With 32 registers they are more.
int vectors_together(const Scalar& value, const Target& target);

/// Emits body(i) for every i in [first, first + extent), in vectors of `lanes`.
Stmt vector_axis(const std::string& name, const Scalar& first, const Scalar& extent, int lanes, const LoopBody& body);

}  // namespace sunmao
