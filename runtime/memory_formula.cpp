#include "runtime/memory_formula.h"

#include <algorithm>
#include <map>
#include <optional>

#include "io/concat.h"
#include "runtime/instruction.h"
#include "runtime/slot_places.h"

namespace sunmao::runtime {
namespace {

using abi::Opcode;
using io::concat;

constexpr size_t kMostTerms = 12;      // of a sum that people read
constexpr size_t kMostCandidates = 4;  // of a maximum

/// A sum of products of factors that are not negative: symbols, and texts of what is no sum of products.
class Sum {
 public:
  using Product = std::vector<std::string>;  // sorted

  static Sum number(int64_t value) { return product({}, value); }
  static Sum factor(std::string text) { return product({std::move(text)}, 1); }

  /// Nullopt where numbers do not fit, or the sum becomes long.
  static std::optional<Sum> add(const Sum& a, const Sum& b, int64_t times) {
    Sum out = a;
    for (const auto& [factors, count] : b.terms_) {
      int64_t more = 0;
      int64_t& have = out.terms_[factors];
      if (__builtin_mul_overflow(count, times, &more) || __builtin_add_overflow(have, more, &have)) return std::nullopt;
      if (have == 0) out.terms_.erase(factors);
    }
    return out.terms_.size() > kMostTerms ? std::nullopt : std::optional(std::move(out));
  }

  static std::optional<Sum> multiply(const Sum& a, const Sum& b) {
    std::optional<Sum> out = Sum();
    for (const auto& [factors, count] : a.terms_)
      for (const auto& [others, times] : b.terms_) {
        Product all = factors;
        all.insert(all.end(), others.begin(), others.end());
        std::sort(all.begin(), all.end());
        int64_t value = 0;
        if (__builtin_mul_overflow(count, times, &value)) return std::nullopt;
        out = add(*out, product(std::move(all), value), 1);
        if (!out) return std::nullopt;
      }
    return out;
  }

  bool is_multiple_of(int64_t number) const {
    return std::all_of(terms_.begin(), terms_.end(), [&](const auto& term) { return term.second % number == 0; });
  }
  std::optional<int64_t> as_number() const {
    if (terms_.empty()) return 0;
    return terms_.size() == 1 && terms_.begin()->first.empty() ? std::optional(terms_.begin()->second) : std::nullopt;
  }
  /// True when the sum is at least as large as the other one for all values of the factors.
  bool covers(const Sum& other) const {
    const std::optional<Sum> more = add(*this, other, -1);
    return more && std::all_of(more->terms_.begin(), more->terms_.end(), [](const auto& t) { return t.second > 0; });
  }

  std::string text() const {
    std::string out;
    for (auto term = terms_.rbegin(); term != terms_.rend(); ++term) {
      const auto& [factors, count] = *term;
      const bool is_less = count < 0;
      const std::string size = concat(is_less ? -static_cast<uint64_t>(count) : static_cast<uint64_t>(count));
      std::string product = size == "1" && !factors.empty() ? "" : size;
      for (const std::string& f : factors) product += (product.empty() ? "" : "*") + f;
      out += out.empty() ? (is_less ? "-" : "") : (is_less ? " - " : " + ");
      out += product;
    }
    return out.empty() ? "0" : out;
  }

 private:
  static Sum product(Product factors, int64_t count) {
    Sum out;
    if (count != 0) out.terms_.emplace(std::move(factors), count);
    return out;
  }
  std::map<Product, int64_t> terms_;
};

class FormulaMaker {
 public:
  FormulaMaker(const ProgramTables& tables, const FunctionView& function)
      : t_(tables), f_(function), dims_(function.dim_registers), slots_(function.storage_slots) {}

  std::string run() {
    for (size_t at = 0; opcode_of(f_.words[at]) != Opcode::Layout; at += length_of(f_.words[at]))
      run_entry(f_.words.data() + at);
    const std::vector<SlotLife> lives = slot_lives(t_, f_);
    std::vector<Sum> most;
    for (const SlotLife& begin : lives) {
      if (begin.first > begin.last) continue;
      const std::optional<Sum> live = live_at(lives, begin.first);
      if (!live) return {};
      if (std::any_of(most.begin(), most.end(), [&](const Sum& m) { return m.covers(*live); })) continue;
      most.erase(std::remove_if(most.begin(), most.end(), [&](const Sum& m) { return live->covers(m); }), most.end());
      most.push_back(*live);
      if (most.size() > kMostCandidates) return {};
    }
    if (most.size() < 2) return most.empty() ? "0" : most[0].text();
    std::string out = "max(";
    for (const Sum& sum : most) out += (&sum == most.data() ? "" : ", ") + sum.text();
    return out + ")";
  }

 private:
  /// The bytes of the slots that are alive where one begins.
  std::optional<Sum> live_at(const std::vector<SlotLife>& lives, size_t at) const {
    std::optional<Sum> live = Sum();
    for (size_t slot = 0; slot < lives.size() && live; ++slot)
      if (lives[slot].first <= at && at <= lives[slot].last)
        live = slots_[slot] ? Sum::add(*live, *slots_[slot], 1) : std::optional<Sum>();
    return live;
  }

  void run_entry(const uint32_t* w) {
    switch (const Opcode opcode = opcode_of(w[0])) {
      case Opcode::BindDim: {
        const int64_t dim = binds_weight(f_.params[w[2]]) ? t_.shape(t_.weights[f_.params[w[2]].weight])[w[3]]
                                                          : t_.shape(f_.params[w[2]])[w[3]];
        dims_[w[1]] = dim < 0 ? Sum::factor(t_.symbol(dim)) : Sum::number(dim);
        return;
      }
      case Opcode::ConstDim: dims_[w[1]] = Sum::number(immediate_at(w + 2)); return;
      case Opcode::Storage:
        if (dims_[w[2]]) slots_[w[1]] = aligned(*dims_[w[2]]);
        return;
      case Opcode::CheckDim:
      case Opcode::GuardRange:
      case Opcode::CheckTrue: return;
      case Opcode::SelectDim: dims_[w[1]] = std::nullopt; return;
      default:
        if (dims_[w[2]] && dims_[w[3]]) dims_[w[1]] = computed(opcode, *dims_[w[2]], *dims_[w[3]]);
    }
  }

  static std::optional<Sum> computed(Opcode opcode, const Sum& a, const Sum& b) {
    switch (opcode) {
      case Opcode::AddDim: return Sum::add(a, b, 1);
      case Opcode::SubDim: return Sum::add(a, b, -1);
      case Opcode::MulDim: return Sum::multiply(a, b);
      case Opcode::FloorDivDim: return Sum::factor(concat("((", a.text(), ") // (", b.text(), "))"));
      case Opcode::FloorModDim: return Sum::factor(concat("((", a.text(), ") % (", b.text(), "))"));
      case Opcode::MinDim: return Sum::factor(concat("min(", a.text(), ", ", b.text(), ")"));
      case Opcode::MaxDim: return Sum::factor(concat("max(", a.text(), ", ", b.text(), ")"));
      default: return std::nullopt;
    }
  }

  /// Slots begin at multiples of the alignment.
  static Sum aligned(const Sum& bytes) {
    if (bytes.is_multiple_of(io::kStorageAlignment)) return bytes;
    if (const std::optional<int64_t> number = bytes.as_number(); number && *number >= 0)
      return Sum::number(static_cast<int64_t>(io::align_up(static_cast<uint64_t>(*number))));
    return Sum::factor(concat("align(", bytes.text(), ")"));
  }

  const ProgramTables& t_;
  const FunctionView& f_;
  std::vector<std::optional<Sum>> dims_, slots_;  // none: no formula
};

}  // namespace

std::string memory_formula(const ProgramTables& tables, const FunctionView& function) {
  return FormulaMaker(tables, function).run();
}

}  // namespace sunmao::runtime
