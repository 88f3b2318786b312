// Builtins of attention caches: rows of keys or values, one for each position, that grow step by step or override the
// oldest ones in a window.
#include <cstring>
#include <mutex>

#include "eval/builtins/builtin.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

// A limit on rows, which may have no bytes, so that their number is computed in 64 bits.
constexpr int64_t kMostRows = int64_t{1} << 40;

class AttentionCache final : public ProgramObject {
 public:
  AttentionCache(DType dtype, std::vector<int64_t> shape) : dtype_(dtype), shape_(std::move(shape)) {
    ArrayBuilder builder(dtype_, shape_);
    hold(builder);
  }

  std::string describe() const override {
    return fmt::format("attention cache of {} rows of {}", shape_[0], dtype_.str());
  }

  void append(const BuiltinCall& call, const Array& rows) {
    const std::lock_guard guard(lock_);
    need_rows(call, rows);
    reserve(call, filled_ + rows.shape()[0]);
    own(call, filled_);
    write(rows, 0, filled_, rows.shape()[0]);
    filled_ += rows.shape()[0];
  }

  // Replaces all rows, of which there must be as many.
  void update(const BuiltinCall& call, const Array& rows) {
    const std::lock_guard guard(lock_);
    need_rows(call, rows);
    if (rows.shape()[0] != filled_)
      call.fail_with(fmt::format("the cache has {} rows, and {} are given", filled_, rows.shape()[0]));
    own(call, 0);
    write(rows, 0, 0, filled_);
  }

  // Writes rows from the present position on, and, past `limit` rows, over the oldest ones behind the first `sinks`.
  void override_oldest(const BuiltinCall& call, const Array& rows, int64_t limit, int64_t sinks) {
    const std::lock_guard guard(lock_);
    need_rows(call, rows);
    const int64_t count = rows.shape()[0];
    if (sinks < 0 || limit < sinks || count > limit - sinks || position_ > limit)
      call.fail_with(fmt::format("{} rows do not fit in a window of {} with {} sinks", count, limit, sinks));
    const int64_t ahead = std::min(count, limit - position_);
    reserve(call, std::max(position_ + ahead, std::min(filled_ + count, limit)));
    own(call, 0);
    write(rows, 0, position_, ahead);
    filled_ = std::min(filled_ + count, limit);
    position_ += ahead;
    if (ahead == count) return;
    write(rows, ahead, sinks, count - ahead);
    position_ = sinks + count - ahead;
  }

  Array view(const BuiltinCall& call, const ShapeValue* asked) {
    const std::lock_guard guard(lock_);
    std::vector<int64_t> shape = shape_;
    shape[0] = filled_;
    if (asked && *asked != shape)
      call.fail_with(fmt::format("the cache is of shape {}, and a view of {} is asked for", shape_text(shape),
                                 shape_text(*asked)));
    seen_ = std::max(seen_, filled_);
    return Array::wrap(dtype_, std::move(shape), data_, owner_);
  }

  void pop(const BuiltinCall& call, int64_t count) {
    const std::lock_guard guard(lock_);
    if (count < 0 || count > filled_)
      call.fail_with(fmt::format("{} rows cannot go from a cache of {}", count, filled_));
    filled_ -= count;
  }

  void clear() {
    const std::lock_guard guard(lock_);
    filled_ = position_ = 0;
  }

  void set_filled(const BuiltinCall& call, int64_t count) {
    const std::lock_guard guard(lock_);
    if (count > shape_[0]) call.fail_with(fmt::format("a cache of {} rows does not hold {}", shape_[0], count));
    filled_ = position_ = count;
  }

 private:
  size_t row_bytes() const { return static_cast<size_t>(*shape_bytes(std::span(shape_).subspan(1), dtype_)); }

  void hold(ArrayBuilder& builder) {
    begin_ = builder.data();
    const Array array = std::move(builder).finish();
    data_ = array.data();
    owner_ = array.owner();
  }

  [[noreturn]] static void too_many(const BuiltinCall& call) {
    call.fail_with(fmt::format("a cache has at most {} rows", kMostRows));
  }

  void need_rows(const BuiltinCall& call, const Array& rows) const {
    const bool fits = rows.dtype() == dtype_ && rows.rank() == static_cast<int64_t>(shape_.size()) &&
                      std::equal(shape_.begin() + 1, shape_.end(), rows.shape().begin() + 1);
    if (fits && rows.shape()[0] > kMostRows) too_many(call);
    if (!fits) call.fail_with(fmt::format("a {} has no rows of an {}", sunmao::describe(Value(rows)), describe()));
  }

  // Makes room for `rows` rows, doubling the present room.
  void reserve(const BuiltinCall& call, int64_t rows) {
    if (rows > kMostRows) too_many(call);
    std::vector<int64_t> shape = shape_;
    while (shape[0] < rows) shape[0] = std::max<int64_t>(shape[0], 1) * 2;
    if (shape != shape_) move_to(call, std::move(shape));
  }

  // Moves to memory that no view sees, if rows from `begin` on are seen by one: views keep what they saw.
  void own(const BuiltinCall& call, int64_t begin) {
    if (begin < seen_ && owner_.use_count() > 1) move_to(call, shape_);
  }

  void move_to(const BuiltinCall& call, std::vector<int64_t> shape) {
    check_sizes(shape, dtype_, call.span);
    ArrayBuilder builder(dtype_, shape);
    const size_t kept = row_bytes() * static_cast<size_t>(shape_[0]);
    if (kept != 0) std::memcpy(builder.data(), begin_, kept);
    hold(builder);
    shape_ = std::move(shape);
    seen_ = 0;
  }

  void write(const Array& rows, int64_t from, int64_t to, int64_t count) {
    const size_t row = row_bytes();
    if (row == 0 || count <= 0) return;
    std::memcpy(begin_ + row * static_cast<size_t>(to), rows.data() + row * static_cast<size_t>(from),
                row * static_cast<size_t>(count));
  }

  const DType dtype_;
  std::vector<int64_t> shape_;  // rows that there is room for, then the shape of a row
  std::byte* begin_ = nullptr;
  const std::byte* data_ = nullptr;
  std::shared_ptr<const void> owner_;
  int64_t filled_ = 0;
  int64_t position_ = 0;  // where a window continues
  int64_t seen_ = 0;      // rows that views have
  std::mutex lock_;
};

AttentionCache& cache_in(const BuiltinCall& call, const Value& value, size_t i) {
  auto* cache = dynamic_cast<AttentionCache*>(value.object().get());
  return cache ? *cache : (call.wrong(i, "an attention cache"), *cache);
}

AttentionCache& cache(const BuiltinCall& call) {
  if (call.args.empty()) call.wrong(0, "an attention cache");
  return cache_in(call, call.args[0], 0);
}

// Arguments: the first rows, the shape to reserve, how many rows count as filled; below 0: those given.
Value create(const BuiltinCall& call) {
  const Array& rows = call.array(0);
  const ShapeValue& shape = call.shape(1);
  if (shape.empty() || shape[0] > kMostRows || rows.dtype().is_packed())
    call.wrong(1, "a shape of not too many rows of whole bytes");
  check_sizes(shape, rows.dtype(), call.span);
  auto made = std::make_shared<AttentionCache>(rows.dtype(), shape);
  made->append(call, rows);
  const int64_t filled = call.integer(2);
  if (filled >= 0) made->set_filled(call, filled);
  return Value(std::shared_ptr<ProgramObject>(std::move(made)));
}

Value append(const BuiltinCall& call) {
  cache(call).append(call, call.array(1));
  return call.args[0];
}

Value update(const BuiltinCall& call) {
  cache(call).update(call, call.array(1));
  return call.args[0];
}

Value window(const BuiltinCall& call) {
  cache(call).override_oldest(call, call.array(1), call.integer(2), 0);
  return call.args[0];
}

Value window_with_sinks(const BuiltinCall& call) {
  cache(call).override_oldest(call, call.array(1), call.integer(2), call.integer(3));
  return call.args[0];
}

Value view(const BuiltinCall& call) { return cache(call).view(call, call.args.size() > 1 ? &call.shape(1) : nullptr); }

Value pop_all(const BuiltinCall& call) {
  for (const Value& each : *call.tuple(0)) cache_in(call, each, 0).pop(call, call.integer(1));
  return ValueTuple();
}

Value clear_all(const BuiltinCall& call) {
  for (const Value& each : *call.tuple(0)) cache_in(call, each, 0).clear();
  return ValueTuple();
}

}  // namespace

std::span<const Builtin> attention_cache_builtins() {
  static constexpr Builtin kTable[] = {
      {"vm.builtin.attention_kv_cache_create", create},
      {"vm.builtin.attention_kv_cache_append", append},
      {"vm.builtin.attention_kv_cache_update", update},
      {"vm.builtin.attention_kv_cache_window_override", window},
      {"vm.builtin.attention_kv_cache_window_override_with_sinks", window_with_sinks},
      {"vm.builtin.attention_kv_cache_view", view},
      {"vm.builtin.attention_kv_cache_array_popn", pop_all},
      {"vm.builtin.attention_kv_cache_array_clear", clear_all},
  };
  return kTable;
}

}  // namespace sunmao
