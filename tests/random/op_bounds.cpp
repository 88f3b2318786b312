#include "tests/random/op_bounds.h"

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "support/diagnostic.h"

namespace sunmao {
namespace {

const std::array<std::string, 3> kClasses{"narrow", "float32", "float64"};

size_t class_of(DType dtype) { return dtype.bits < 32 ? 0 : dtype.bits == 32 ? 1 : 2; }

// Parameters of a float format: bits of the fraction, exponent of the smallest normal number, largest number.
struct Format {
  int fraction, smallest;
  double largest;
};
Format format_of(DType dtype) {
  if (dtype.code == TypeCode::BFloat) return {7, -126, 0x1.fep127};
  if (dtype.code == TypeCode::Float8E4M3FN) return {3, -6, 448};
  if (dtype.code == TypeCode::Float8E5M2) return {2, -14, 57344};
  SUNMAO_CHECK(dtype.code == TypeCode::Float, "the format of {}", dtype.str());
  if (dtype.bits == 16) return {10, -14, 65504};
  if (dtype.bits == 32) return {23, -126, 0x1.fffffep127};
  return {52, -1022, 0x1.fffffffffffffp1023};
}

class Bounds {
 public:
  Bounds() {
    std::ifstream file(SUNMAO_OP_BOUNDS);
    SUNMAO_CHECK(file, "{} cannot be read", SUNMAO_OP_BOUNDS);
    for (std::string line; std::getline(file, line);)
      if (!line.empty() && line.front() != '#') add(line);
  }
  OpBound get(const std::string& op, size_t dtypes) const {
    const auto found = table_.find({op, dtypes});
    return found == table_.end() ? table_.at({"*", dtypes}) : found->second;
  }

 private:
  void add(const std::string& line) {
    std::istringstream words(line);
    std::string ops, dtypes, spacings, op;
    double steps = 0;
    SUNMAO_CHECK(words >> ops >> dtypes >> spacings >> steps, "not a bound: {}", line);
    for (std::istringstream each(ops); std::getline(each, op, ',');)
      for (size_t i = 0; i < kClasses.size(); ++i)
        if (dtypes == "all" || dtypes == kClasses[i])
          table_[{op, i}] = {spacings == "-" ? table_.at({"*", i}).spacings : std::stod(spacings), steps};
  }

  std::map<std::pair<std::string, size_t>, OpBound> table_;
};

}  // namespace

OpBound bound_of(const std::string& op, DType dtype) {
  static const Bounds bounds;
  return bounds.get(op, class_of(dtype));
}

double spacing(DType dtype, double value) {
  const Format format = format_of(dtype);
  const int exponent = std::isfinite(value) && value != 0 ? std::ilogb(value) : value == 0 ? format.smallest : 0;
  return std::ldexp(1.0, std::max(exponent, format.smallest) - format.fraction);
}

double largest_of(DType dtype) { return format_of(dtype).largest; }

double allowed(const std::string& op, DType dtype, double value, double scale) {
  const OpBound bound = bound_of(op, dtype);
  const double of_sums = bound.steps == 0 ? 0 : bound.steps * spacing(DType::float_(dtype.bits == 64 ? 64 : 32), scale);
  return bound.spacings * spacing(dtype, value) + of_sums;
}

}  // namespace sunmao
