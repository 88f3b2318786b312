// Where the temporaries of kernels lie, and how large they may be, in bytes.
#pragma once
#include <cstdint>

namespace sunmao {

/// What the temporaries of a kernel may take on one thread; larger ones become tensors that memory is planned for.
constexpr int64_t kMaxTemporaryBytes = 512 << 10;

/// A temporary of more bytes lies in the scratch memory of its thread, since stacks of callers may be small; also those
/// that would make the temporaries on the stack exceed the second limit.
constexpr int64_t kLargestOnStack = 4 << 10;
constexpr int64_t kMaxStackBytes = 32 << 10;  // of a kernel or the body of a parallel loop

/// The most scratch memory of a thread, for temporaries that cannot become tensors.
constexpr int64_t kMaxScratchBytes = 256 << 20;

}  // namespace sunmao
