// Convolutions and products of random quantised graphs, with their weights and biases.
#pragma once
#include "tests/random/quantised_writer.h"

namespace sunmao {

class ProductWriter : public QuantisedWriter {
 protected:
  using QuantisedWriter::QuantisedWriter;

  /// A convolution of images or a product of other tensors, with what follows it; the data where that would be large.
  NumberTensor product(const NumberTensor& given);
  /// The products of all rows of two computed tensors, as attention has them; the data where that would be large.
  NumberTensor crossed(const NumberTensor& x, const NumberTensor& y);
  /// The products of all pairs of rows, times the rows: of as many steps as there are rows.
  NumberTensor attended(const NumberTensor& x);

 private:
  /// A weight in bytes, dequantised: one scale, or one for each result.
  struct Weight {
    Expr numbers;
    std::vector<double> scales;
    double size;
  };

  Weight drawn_weight(const Shape64& shape, size_t axis, int64_t steps);
  Numbers of_sums(const NumberTensor& x, const Weight& w, int64_t steps);
  NumberTensor convolution(const NumberTensor& x);
  NumberTensor matmul(const NumberTensor& x);
  NumberTensor with_bias(NumberTensor x, const Weight& w, const NumberTensor& data);
  NumberTensor activated(NumberTensor y);
};

}  // namespace sunmao
