// The data of ONNX tensors: in place where the file has it as plain aligned bytes, copied once otherwise; external data
// is mapped.
#pragma once
#include <map>
#include <string>

#include "frontend/onnx/proto.h"
#include "io/bytes.h"
#include "support/array.h"

namespace sunmao::onnx {

/// The dtype of a TensorProto.DataType; void for those that are not read (strings, complex numbers, sub-byte types).
DType dtype_of_element(int64_t data_type);
/// "float", "string", "int4" …: its name in onnx.proto.
std::string name_of_element(int64_t data_type);

class TensorLoader {
 public:
  /// `file` is the model, `folder` where external data stands; empty when there is none.
  TensorLoader(io::Bytes file, std::string folder) : file_(std::move(file)), folder_(std::move(folder)) {}

  /// The tensor's data, whose dtype must be one that is read. E0605, E0606 when the data is not what the shape says.
  Array load(const Tensor& tensor, const Span& span);
  /// The files with external data that were opened.
  std::vector<std::string> files() const;

 private:
  io::Bytes external_bytes(const Tensor& tensor, size_t expected, const Span& span);
  const io::Bytes& external_file(const std::string& location, const Span& span);

  io::Bytes file_;
  std::string folder_;
  std::map<std::string, io::Bytes> mapped_;
};

}  // namespace sunmao::onnx
