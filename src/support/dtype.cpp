#include "support/dtype.h"

#include <array>
#include <charconv>

namespace sunmao {
namespace {

struct Named {
  std::string_view name;
  TypeCode code;
  uint8_t bits;
};
// The names of dtypes that are not "int", "uint" or "float" followed by a width in bits.
constexpr std::array<Named, 14> kNamed{{{"bool", TypeCode::Bool, 8},
                                        {"bfloat16", TypeCode::BFloat, 16},
                                        {"handle", TypeCode::Handle, 64},
                                        {"float8_e3m4", TypeCode::Float8E3M4, 8},
                                        {"float8_e4m3", TypeCode::Float8E4M3, 8},
                                        {"float8_e4m3b11fnuz", TypeCode::Float8E4M3B11FNUZ, 8},
                                        {"float8_e4m3fn", TypeCode::Float8E4M3FN, 8},
                                        {"float8_e4m3fnuz", TypeCode::Float8E4M3FNUZ, 8},
                                        {"float8_e5m2", TypeCode::Float8E5M2, 8},
                                        {"float8_e5m2fnuz", TypeCode::Float8E5M2FNUZ, 8},
                                        {"float8_e8m0fnu", TypeCode::Float8E8M0FNU, 8},
                                        {"float6_e2m3fn", TypeCode::Float6E2M3FN, 6},
                                        {"float6_e3m2fn", TypeCode::Float6E3M2FN, 6},
                                        {"float4_e2m1fn", TypeCode::Float4E2M1FN, 4}}};

constexpr std::string_view kScalable = "xvscalex";

std::optional<int> parse_number(std::string_view text) {
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<DType> parse_lanes(std::string_view text, DType type) {
  if (text.empty()) return type;
  if (text[0] != 'x') return std::nullopt;
  const bool scales = text.starts_with(kScalable);
  std::optional<int> lanes = parse_number(text.substr(scales ? kScalable.size() : 1));
  if (!lanes || *lanes < 1 || *lanes > 65535) return std::nullopt;
  return type.with_lanes({*lanes, scales});
}

bool is_width(TypeCode code, int bits) {
  if (code == TypeCode::Float) return bits == 16 || bits == 32 || bits == 64;
  return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

}  // namespace

std::optional<DType> DType::parse(std::string_view text) {
  if (text.empty() || text == "void") return DType::void_();
  const Named* best = nullptr;
  for (const Named& n : kNamed)
    if (text.starts_with(n.name) && (!best || n.name.size() > best->name.size())) best = &n;
  if (best) return parse_lanes(text.substr(best->name.size()), DType{best->code, best->bits, 1});
  constexpr std::string_view kBrain = "bfloat";  // has 16 bits, said or not
  if (text.starts_with(kBrain)) return parse_lanes(text.substr(kBrain.size()), DType{TypeCode::BFloat, 16, 1});
  for (auto [stem, code] : {std::pair<std::string_view, TypeCode>{"int", TypeCode::Int},
                            {"uint", TypeCode::UInt},
                            {"float", TypeCode::Float}}) {
    if (!text.starts_with(stem)) continue;
    std::string_view rest = text.substr(stem.size());
    size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    std::optional<int> bits = digits == 0 ? std::optional<int>(32) : parse_number(rest.substr(0, digits));
    if (!bits || !is_width(code, *bits)) return std::nullopt;
    return parse_lanes(rest.substr(digits), DType{code, static_cast<uint8_t>(*bits), 1});
  }
  return std::nullopt;
}

std::string DType::str() const {
  std::string lanes_text = is_scalable  ? std::string(kScalable) + std::to_string(lanes)
                           : lanes == 1 ? ""
                                        : "x" + std::to_string(lanes);
  for (const Named& n : kNamed)
    if (n.code == code) return std::string(n.name) + lanes_text;
  switch (code) {
    case TypeCode::Int: return "int" + std::to_string(bits) + lanes_text;
    case TypeCode::UInt: return "uint" + std::to_string(bits) + lanes_text;
    case TypeCode::Float: return "float" + std::to_string(bits) + lanes_text;
    default: return "";
  }
}

}  // namespace sunmao
