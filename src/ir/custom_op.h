// Custom ops: functions that stand for ops which Sunmao does not know.
#pragma once

namespace sunmao {

/// The attribute that makes a function a custom op, a dictionary: `onnx` and `torch` name ops (one or a list), and
/// `defaults` holds values of parameters, by name, where a node says none.
inline constexpr const char* kCustomOpAttr = "sunmao.op";

}  // namespace sunmao
