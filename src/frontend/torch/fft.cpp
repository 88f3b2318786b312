// Converters of Fourier transforms.
#include "frontend/torch/rows.h"

namespace sunmao::torch {

std::vector<Converter> fft_converters() { return {}; }

}  // namespace sunmao::torch
