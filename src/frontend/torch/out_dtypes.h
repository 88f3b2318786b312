// Products and convolutions that state the dtype of their result, as TVM's importers of PyTorch models write them.
#pragma once
#include "ir/module.h"

namespace sunmao::torch {

/// States `out_dtype` of each product and convolution whose operands are float32, and which does not state it.
Module with_stated_out_dtypes(const Module& module);

}  // namespace sunmao::torch
