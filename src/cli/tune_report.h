// What `sunmao tune` prints: the kernels with their plans before and after, and the gain of the model.
#pragma once
#include <string>

#include "compiler/tuning/tuner.h"

namespace sunmao::cli {

std::string tune_text(const TuneReport& report, const std::string& path);

}  // namespace sunmao::cli
