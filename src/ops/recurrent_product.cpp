#include "ops/recurrent_product.h"

#include <algorithm>

#include "ops/statements.h"

namespace sunmao {
namespace {

constexpr int64_t kLanes = kRecurrentLanes;
constexpr int64_t kMembers = 4;  // whose sums of a panel fill the registers of AVX2, with 24 rows

/// Rows of a panel: sums of each for each sequence stay in registers, 12 of AVX2, or 8 or 9 where more would leave none
/// for what is multiplied. Where groups have different numbers of sequences, fewer of them multiply several panels at a
/// time.
int64_t panel_width(const SequenceGroups& groups) {
  if (!groups.rest.empty() || groups.members == 3) return 24;
  if (groups.members == 1) return 64;
  return groups.members <= kMembers ? 96 / groups.members : 16;
}

}  // namespace

SequenceGroups sequence_groups(const Scalar& batch, const Scalar& hidden) {
  if (!find_int(hidden)) return {.members = 1, .rest = {}, .count = batch};
  const int64_t* known = find_int(batch);
  const auto of = [&](int64_t members, std::vector<int64_t> rest) {
    Scalar count = known ? int_imm((*known + members - 1) / members)
                         : floor_div(as_index(batch) + int_imm(members - 1), int_imm(members));
    return SequenceGroups{.members = members, .rest = std::move(rest), .count = std::move(count)};
  };
  if (!known) return of(kMembers, {3, 2, 1});
  if (*known <= 6) return of(std::max<int64_t>(*known, 1), {});  // 6 fill the registers with 16 rows
  for (const int64_t members : {kMembers, int64_t{3}})
    if (*known % members == 0) return of(members, {});
  return of(kMembers, {*known % kMembers});
}

Stmt vector_of(int64_t lanes, const std::function<Stmt(const Scalar&)>& body) {
  const Ref<SymVar> lane = SymVar::make("l", DType::int_(64));
  return For::make(lane, int_imm(lanes), body(lane), lanes > 1 ? ForKind::Vectorized : ForKind::Serial);
}

Stmt for_each_unit(const Scalar& count, const std::function<Stmt(const Scalar&)>& body) {
  const int64_t* known = find_int(count);
  if (!known) return repeat("k", count, body);
  const auto at = [&](const Scalar& first, int64_t lanes) {
    return vector_of(lanes, [&](const Scalar& l) { return body(first + l); });
  };
  std::vector<Stmt> all;
  int64_t done = *known / kLanes * kLanes;
  if (done > 0)
    all.push_back(
        repeat("v", int_imm(done / kLanes), [&](const Scalar& v) { return at(v * int_imm(kLanes), kLanes); }));
  for (int64_t lanes = kLanes / 2; lanes > 0; lanes /= 2)
    if (*known - done >= lanes) {
      all.push_back(at(int_imm(done), lanes));
      done += lanes;
    }
  return in_order(std::move(all));
}

void RecurrentWeight::store_panels(KernelBuilder& builder, const SequenceGroups& groups, int64_t gates) {
  const int64_t* hidden = find_int(size_);
  if (!hidden || *hidden < kLanes) return;
  const int64_t rows = *find_int(given_->shape[0]), part_rows = gates * *hidden, width = panel_width(groups);
  const int64_t part = part_rows % width == 0 ? rows : part_rows;
  width_ = width, part_ = part;
  panels_ = builder.alloc("panels", given_->dtype, {int_imm(rows * *hidden)});
  builder.relayout(given_, panels_, [&](const Indices& at) {
    const Scalar in_part = floor_mod(at[0], int_imm(part)), row = floor_mod(in_part, int_imm(width));
    const Scalar start = in_part - row;
    const Scalar count = part % width == 0 ? int_imm(width) : min(int_imm(width), int_imm(part) - start);
    return Indices{(at[0] - row) * size_ + at[1] * count + row};
  });
}

Stmt RecurrentWeight::multiply(const Ref<Buffer>& source, const Ref<Buffer>& target, const Part& part) const {
  if (panels_) return multiply_panels(source, target, part);
  if (find_int(size_)) return multiply_given(source, target, part);
  return dot_products(source, target, part.members,
                      {.start = size_ * int_imm(part.first), .turns = size_ * int_imm(part.count), .together = 1});
}

Stmt RecurrentWeight::multiply_panels(const Ref<Buffer>& source, const Ref<Buffer>& target, const Part& part) const {
  const int64_t hidden = *find_int(size_), first = hidden * part.first, count = hidden * part.count;
  const int64_t together = std::max<int64_t>(1, 96 / (width_ * part.members));
  std::vector<Stmt> all;
  for (int64_t done = 0; done < count; done += part_) {
    const int64_t rows = std::min(part_, count - done), left = rows % width_;
    const int64_t panels = rows / width_, tasks = panels / together, alone = panels % together;
    const auto tile = [&](const Scalar& row, int64_t width, int64_t number) {
      return multiply_tile(
          source, target,
          {.start = int_imm(first + done) + row, .width = width, .panels = number, .members = part.members});
    };
    const Ref<SymVar> task = SymVar::make("task", DType::int_(64));
    if (tasks > 0)
      all.push_back(
          For::make(task, int_imm(tasks), tile(task * int_imm(together * width_), width_, together), part.tasks));
    if (alone > 0) all.push_back(tile(int_imm(tasks * together * width_), width_, alone));
    if (left > 0) all.push_back(tile(int_imm(rows - left), left, 1));
  }
  return in_order(std::move(all));
}

// Lanes are rows, and each column is multiplied by its element of `source`.
Stmt RecurrentWeight::multiply_tile(const Ref<Buffer>& source, const Ref<Buffer>& target, const Tile& tile) const {
  const int64_t rows = tile.width * tile.panels;
  const Ref<Buffer> sums = Buffer::make("sums", wide_, {int_imm(rows * tile.members)}, {.scope = "local"});
  const Ref<SymVar> k = SymVar::make("k", DType::int_(64));
  std::vector<Stmt> begin, add, end;
  const auto vector = [&](int64_t m, int64_t panel, int64_t row, int64_t count) {
    const int64_t in_tile = panel * tile.width + row;
    const auto at = [&](const Scalar& lane) { return Indices{int_imm(m * rows + in_tile) + lane}; };
    begin.push_back(vector_of(count, [&](const Scalar& l) { return store(sums, at(l), constant(wide_, 0)); }));
    add.push_back(vector_of(count, [&](const Scalar& l) {
      const Scalar panel_start = (tile.start + int_imm(panel * tile.width)) * size_;
      const Scalar weight = load(panels_, {panel_start + k * int_imm(tile.width) + int_imm(row) + l});
      return store(sums, at(l), load(sums, at(l)) + cast_to(wide_, weight) * load(source, {int_imm(m), k}));
    }));
    end.push_back(vector_of(count, [&](const Scalar& l) {
      return store(target, {int_imm(m), tile.start + int_imm(in_tile) + l}, load(sums, at(l)));
    }));
  };
  // What an inner loop reads stays in registers: the elements of `source`, or the weights where these are fewer.
  const auto rows_of = [&](int64_t first, int64_t last) {
    for (int64_t panel = 0; panel < tile.panels; ++panel)
      for (int64_t row = 0, count = kLanes; row < tile.width; row += count) {
        while (count > tile.width - row) count /= 2;
        for (int64_t m = first; m < last; ++m) vector(m, panel, row, count);
      }
  };
  const int64_t inner = tile.members >= kMembers ? 1 : tile.members;
  for (int64_t m = 0; m < tile.members; m += inner) rows_of(m, m + inner);
  begin.push_back(For::make(k, size_, in_order(std::move(add))));
  begin.insert(begin.end(), end.begin(), end.end());
  return AllocBuffer::make(sums, in_order(std::move(begin)));
}

Stmt RecurrentWeight::multiply_given(const Ref<Buffer>& source, const Ref<Buffer>& target, const Part& part) const {
  constexpr int64_t kRowsOfTask = 32;
  const int64_t hidden = *find_int(size_), rows = hidden * part.count;
  const int64_t together = std::max<int64_t>(1, kMembers / part.members);  // AVX2 needs two registers for a vector
  const int64_t tasks = rows / kRowsOfTask, left = rows % kRowsOfTask, alone = left % together;
  const Scalar start = int_imm(hidden * part.first);
  const Ref<SymVar> task = SymVar::make("task", DType::int_(64));
  const auto products = [&](const Scalar& first, int64_t count, int64_t at_once) {
    return dot_products(source, target, part.members,
                        {.start = start + first, .turns = int_imm(count / at_once), .together = at_once});
  };
  return in_order(
      {For::make(task, int_imm(tasks), products(task * int_imm(kRowsOfTask), kRowsOfTask, together), part.tasks),
       products(int_imm(rows - left), left - alone, together), products(int_imm(rows - alone), alone, 1)});
}

// Each row has kLanes sums over the columns, which are added up, and the columns that are left one by one.
Stmt RecurrentWeight::dot_products(const Ref<Buffer>& source, const Ref<Buffer>& target, int64_t members,
                                   const Rows& rows) const {
  const int64_t count = rows.together * members;
  const Ref<Buffer> sums = Buffer::make("sums", wide_, {int_imm(count * kLanes)}, {.scope = "local"});
  const int64_t* known = find_int(size_);
  const Scalar vectors = known ? int_imm(*known / kLanes) : floor_div(size_, int_imm(kLanes));
  return repeat("j", rows.turns, [&](const Scalar& turn) {
    const Ref<SymVar> vector = SymVar::make("v", DType::int_(64));
    std::vector<Stmt> begin, add, end;
    for (int64_t i = 0; i < count; ++i) {
      const Scalar row = rows.start + turn * int_imm(rows.together) + int_imm(i / members);
      const Scalar member = int_imm(i % members);
      const auto at = [&](const Scalar& lane) { return Indices{int_imm(i * kLanes) + lane}; };
      const auto term = [&](const Scalar& k) {
        return cast_to(wide_, load(given_, {row, k})) * load(source, {member, k});
      };
      begin.push_back(vector_of(kLanes, [&](const Scalar& l) { return store(sums, at(l), constant(wide_, 0)); }));
      add.push_back(vector_of(kLanes, [&](const Scalar& l) {
        return store(sums, at(l), load(sums, at(l)) + term(vector * int_imm(kLanes) + l));
      }));
      for (int64_t half = kLanes / 2; half > 0; half /= 2)
        end.push_back(vector_of(half, [&](const Scalar& l) {
          return store(sums, at(l), load(sums, at(l)) + load(sums, at(int_imm(half) + l)));
        }));
      end.push_back(store(target, {member, row}, load(sums, at(int_imm(0)))));
      end.push_back(repeat("k", size_ - vectors * int_imm(kLanes), [&](const Scalar& k) {
        return store(target, {member, row}, load(target, {member, row}) + term(vectors * int_imm(kLanes) + k));
      }));
    }
    begin.push_back(For::make(vector, vectors, in_order(std::move(add))));
    begin.insert(begin.end(), end.begin(), end.end());
    return AllocBuffer::make(sums, in_order(std::move(begin)));
  });
}

}  // namespace sunmao
