// The data of ONNX tensors: used in place if it is raw and aligned, otherwise copied; external data is mapped.
#pragma once
#include <map>
#include <string>

#include "frontend/onnx/proto.h"
#include "io/bytes.h"
#include "support/array.h"

namespace sunmao::onnx {

/// Returns the dtype of a TensorProto.DataType; void for unsupported ones, such as strings and complex numbers.
DType dtype_of_element(int64_t data_type);
/// Returns the type's name in onnx.proto: "float", "string", "int4", …
std::string name_of_element(int64_t data_type);

class TensorLoader {
 public:
  /// `file` is the model, `folder` the directory of external data; empty if there is none.
  TensorLoader(io::Bytes file, std::string folder) : file_(std::move(file)), folder_(std::move(folder)) {}

  /// Returns the tensor's data, whose dtype must be supported. Fails with E0605 when the data does not match the shape,
  /// E0606 when external data is wrongly described, or a code of io/ when its file cannot be opened.
  Array load(const Tensor& tensor, const Span& span);
  /// Returns the external data files that were opened.
  std::vector<std::string> files() const;

 private:
  io::Bytes external_bytes(const Tensor& tensor, size_t expected, const Span& span);
  const io::Bytes& external_file(const std::string& location, const Span& span);

  io::Bytes file_;
  std::string folder_;
  std::map<std::string, io::Bytes> mapped_;
};

}  // namespace sunmao::onnx
