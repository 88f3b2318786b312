#include "ops/set_lowering.h"

#include "ops/statements.h"

namespace sunmao {
namespace {

// Emits `body` for each element in row-major order.
Stmt for_each(const std::vector<Scalar>& shape, const std::function<Stmt(const Indices&)>& body, Indices at = {}) {
  if (at.size() == shape.size()) return body(at);
  return repeat("i", shape[at.size()], [&](const Scalar& i) {
    Indices next = at;
    next.push_back(i);
    return for_each(shape, body, std::move(next));
  });
}

// The groups of equal rows. Rows are compared element by element; NaN is the largest value and equals nothing.
class RowGroups {
 public:
  explicit RowGroups(const Call& call)
      : k_("unique_groups"), is_sorted_(input_of(call).bool_attr("sorted")), x_(k_.input("A", call.args[0]->type)),
        order_(x_->shape[0]) {
    const std::vector<Type>& fields = find<TupleType>(call.type)->fields;
    count_ = k_.output("count", fields[0]);
    first_ = k_.output("first", fields[1]);
    group_ = k_.output("group", fields[2]);
    members_ = k_.output("members", fields[3]);
  }

  Ref<PrimFunc> finish() && {
    std::vector<Ref<Buffer>> locals = order_.locals();
    for (const Cell* c : {&found_, &place_, &verdict_, &leader_}) locals.push_back(c->buffer());
    k_.steps({.name = "unique_groups",
              .spatial = {},
              .reads = {x_},
              .writes = {count_, first_, group_, members_},
              .locals = std::move(locals),
              .body = [&](const Indices&) {
                return in_order({sort(), found_.set(int_imm(0)), is_sorted_ ? by_value() : by_place(), fill(),
                                 store(count_, {int_imm(0)}, found_.get())});
              }});
    return std::move(k_).finish();
  }

 private:
  bool has_rows() const { return x_->rank() == 2; }
  const Scalar& rows() const { return x_->shape[0]; }
  static Scalar is_nan(const Scalar& x) { return Binary::make(BinaryOp::Ne, x, x); }

  Stmt sort() const {
    if (has_rows())
      return order_.sort([&](const Scalar& a, const Scalar& b) { return compare(a, b); },
                         less(verdict_.get(), int_imm(0)));
    return order_.sort(
        [&](const Scalar& a, const Scalar& b) { return stands_before(load(x_, {a}), load(x_, {b}), false); });
  }

  // Sets the verdict on rows a and b: below 0, 0 or above 0. Of two NaN that of the lower row stands first.
  Stmt compare(const Scalar& a, const Scalar& b) const {
    const Scalar at = place_.get(), l = load(x_, {a, at}), r = load(x_, {b, at});
    Stmt equal;
    if (x_->dtype.is_float()) equal = when(is_nan(l), verdict_.set(choose(less(a, b), int_imm(-1), int_imm(1))));
    Stmt element = when(stands_before(l, r, false), verdict_.set(int_imm(-1)),
                        when(stands_before(r, l, false), verdict_.set(int_imm(1)), equal));
    const Scalar goes_on = and_then(less(at, as_index(x_->shape[1])), equals(verdict_.get(), int_imm(0)));
    return in_order({verdict_.set(int_imm(0)), place_.set(int_imm(0)),
                     While::make(goes_on, in_order({element, place_.set(at + int_imm(1))}))});
  }

  // Emits `then` when the row at `rank` in order differs from the one before it, or is the first, and `other` when not.
  Stmt on_change(const Scalar& rank, const Stmt& then, const Stmt& other = {}) const {
    const Scalar before = order_.at(max(rank - int_imm(1), int_imm(0))), here = order_.at(rank);
    const Scalar is_first = equals(rank, int_imm(0));
    if (has_rows())
      return in_order({compare(before, here),
                       when(or_else(is_first, Binary::make(BinaryOp::Ne, verdict_.get(), int_imm(0))), then, other)});
    return when(or_else(is_first, Binary::make(BinaryOp::Ne, load(x_, {before}), load(x_, {here}))), then, other);
  }

  Stmt opens_group(const Scalar& row) const {
    const Scalar at = found_.get();
    return in_order({store(first_, {at}, row), store(members_, {at}, int_imm(1)), found_.set(at + int_imm(1))});
  }

  Stmt joins_group(const Scalar& at) const { return store(members_, {at}, load(members_, {at}) + int_imm(1)); }

  Stmt by_value() const {
    return repeat("rank", rows(), [&](const Scalar& rank) {
      const Scalar last = found_.get() - int_imm(1);
      return in_order(
          {on_change(rank, opens_group(order_.at(rank)), joins_group(last)), store(group_, {order_.at(rank)}, last)});
    });
  }

  // First each row gets the first row of its group, then that one's number, which by then is known.
  Stmt by_place() const {
    Stmt lead = repeat("rank", rows(), [&](const Scalar& rank) {
      return in_order({on_change(rank, leader_.set(order_.at(rank))), store(group_, {order_.at(rank)}, leader_.get())});
    });
    Stmt number = repeat("row", rows(), [&](const Scalar& row) {
      const Scalar leader = load(group_, {row});
      Stmt opens = in_order({opens_group(row), store(group_, {row}, found_.get() - int_imm(1))});
      Stmt joins = in_order({store(group_, {row}, load(group_, {leader})), joins_group(load(group_, {row}))});
      return when(equals(leader, row), opens, joins);
    });
    return in_order({lead, number});
  }

  // What stands behind the last group.
  Stmt fill() const {
    return repeat("rest", rows() - found_.get(), [&](const Scalar& rest) {
      const Indices at{found_.get() + rest};
      return in_order({store(first_, at, int_imm(0)), store(members_, at, int_imm(0))});
    });
  }

  KernelBuilder k_;
  const bool is_sorted_;
  Ref<Buffer> x_;
  PlacesInOrder order_;
  Ref<Buffer> count_, first_, group_, members_;
  Cell found_{"found", kInt64}, place_{"place", kInt64}, verdict_{"verdict", kInt64}, leader_{"leader", kInt64};
};

}  // namespace

Ref<BaseFunc> lower_nonzero_sized(const Call& call) {
  KernelBuilder k("nonzero_sized");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_nonzero", call.type);
  const Scalar room = y->shape[1];
  Cell found("found", kInt64);
  auto write = [&](const Scalar& to, const std::function<Scalar(size_t axis)>& index) {
    std::vector<Stmt> stores;
    for (size_t i = 0; i < x->shape.size(); ++i)
      stores.push_back(store(y, {int_imm(static_cast<int64_t>(i)), to}, index(i)));
    return stores;
  };
  k.steps({.name = "nonzero_sized",
           .spatial = {},
           .reads = {x},
           .writes = {y},
           .locals = {found.buffer()},
           .body = [&](const Indices&) {
             Stmt walk = for_each(x->shape, [&](const Indices& at) {
               std::vector<Stmt> take = write(found.get(), [&](size_t i) { return at[i]; });
               take.push_back(found.set(found.get() + int_imm(1)));
               const Scalar is_nonzero = Binary::make(BinaryOp::Ne, load(x, at), constant(x->dtype, 0));
               return when(both(is_nonzero, less(found.get(), room)), in_order(std::move(take)));
             });
             std::vector<Stmt> steps{found.set(int_imm(0)), walk};
             if (!x->shape.empty())
               steps.push_back(repeat("rest", room - found.get(), [&](const Scalar& i) {
                 return in_order(write(found.get() + i, [](size_t) { return int_imm(-1); }));
               }));
             return in_order(std::move(steps));
           }});
  return std::move(k).finish();
}

Ref<BaseFunc> lower_unique_groups(const Call& call) { return RowGroups(call).finish(); }

}  // namespace sunmao
