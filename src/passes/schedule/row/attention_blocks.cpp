#include "passes/schedule/row/attention_blocks.h"

#include <algorithm>

#include "loop/calls.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/loop_writing.h"
#include "passes/loop/monotonic.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

constexpr int64_t kFewestQueries = 8;  // half of the widest vector of float32
constexpr int64_t kKeysOfBlock = 128, kLongestBlock = 256, kWidest = 256;
constexpr int64_t kFewKeys = 128;  // where a bias costs more to transpose than all scores to keep; so may any number
/// Returns how many bytes of keys and values a block has, and of queries and sums a task: both stay in the second
/// cache.
int64_t block_bytes(const Machine& machine) { return machine.l2_bytes / 2; }
int64_t query_bytes(const Machine& machine) { return machine.l2_bytes * 3 / 16; }

int64_t known_size(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n ? *n : 0;
}
/// True when scores use elements of other tensors that depend on the query.
bool has_bias_of_rows(const Attention& a) {
  bool found = false;
  for_each_load(a.score, [&](const BufferLoad& l) {
    const auto moves = [&](const Scalar& i) { return uses(i, *a.row.var); };
    found = found || (l.buffer != a.product && std::ranges::any_of(l.indices, moves));
  });
  return found;
}
/// True for bfloat16 as float32.
bool widens_bfloat(const Scalar& s) {
  const auto* cast = find<Cast>(s);
  return cast && cast->dtype == DType::float_(32) && cast->value->dtype == DType{TypeCode::BFloat, 16};
}
int64_t round_up(int64_t n, int64_t by) { return (n + by - 1) / by * by; }

}  // namespace

bool suits_blocks(const AttentionSizes& s) {
  if (s.width == 0 || s.columns == 0 || std::max(s.width, s.columns) > kWidest) return false;
  if (s.queries > 0 && s.queries < kFewestQueries) return false;
  return s.keys > kFewKeys || !s.has_bias_of_rows;
}

bool suits_blocks(const Attention& a) {
  const int64_t queries = known_size(a.row.extent), keys = known_size(a.key.extent);
  // Queries that are fewer than keys may be one at a time.
  if (queries == 0 && keys == 0 && !Analyzer().can_prove_equal(a.row.extent, a.key.extent)) return false;
  return suits_blocks({.queries = queries,
                       .keys = keys,
                       .width = known_size(a.width.extent),
                       .columns = known_size(a.column.extent),
                       .dtype = a.product->dtype,
                       .has_bias_of_rows = has_bias_of_rows(a)});
}

AttentionBlocks choose_blocks(const Attention& a, const Target& target, const BlocksWish& wish) {
  const int64_t queries = known_size(a.row.extent), keys = known_size(a.key.extent);
  AttentionBlocks b{};
  b.lanes = target.isa.lanes(a.product->dtype.bits);
  b.panel = 2 * b.lanes;
  b.rows = target.isa.vector_registers >= 32 ? 8 : 4;
  b.width = known_size(a.width.extent);
  b.columns = known_size(a.column.extent);
  b.wide = round_up(b.columns, b.lanes);
  b.has_words = target.isa.has(Instruction::DotPairs) && a.rounds_weights && b.width % kHalvesOfWord == 0 &&
                widens_bfloat(a.query) && widens_bfloat(a.key_element) && widens_bfloat(a.value);
  b.steps = b.has_words ? b.width / kHalvesOfWord : b.width;
  const bool is_narrow = std::max(b.width, b.wide) <= kWidest / 4;
  const int64_t of_key = (b.width + b.wide) * a.product->dtype.bytes();
  const int64_t in_block = std::max<int64_t>(1, block_bytes(target.machine) / of_key / b.rows) * b.rows;
  const int64_t longest = wish.keys > 0 ? round_up(wish.keys, b.rows)
                                        : std::min(in_block, is_narrow && !a.seen ? kLongestBlock : kKeysOfBlock);
  const int64_t blocks = (keys + longest - 1) / longest;
  b.keys = keys > 0 ? round_up((keys + blocks - 1) / blocks, b.rows) : longest;
  b.is_single = blocks == 1;
  const int64_t bytes = a.product->dtype.bytes() * b.panel * (b.width + b.wide);
  const int64_t most = wish.panels > 0 ? wish.panels : std::max<int64_t>(1, query_bytes(target.machine) / bytes);
  if (queries == 0) {
    b.panels = std::min<int64_t>(most, 4);
    b.groups = ceil_div(as_index(a.row.extent), b.panels * b.panel);
    return b;
  }
  const int64_t panels = (queries + b.panel - 1) / b.panel;
  int64_t heads = 1;
  for (const Attention::Loop& loop : a.outer) heads *= known_size(loop.extent);
  const int64_t tasks = target.machine.wanted_tasks();
  int64_t groups = (panels + most - 1) / most;
  if (wish.panels == 0 && heads > 0 && heads * groups < tasks) groups = std::min(panels, (tasks + heads - 1) / heads);
  b.panels = (panels + groups - 1) / groups;
  b.groups = int_imm((panels + b.panels - 1) / b.panels);
  return b;
}

std::optional<Attention> find_attention(const PrimFunc& func, const RootBody& root) {
  for (size_t i = 0; i < root.stmts.size(); ++i)
    if (std::optional<Attention> a = read_attention(func, root, i); a && suits_blocks(*a)) return a;
  return std::nullopt;
}

Scalar may_see(const Attention& a, const std::pair<Scalar, Scalar>& queries, const std::pair<Scalar, Scalar>& keys) {
  Scalar all;
  const auto add = [&](const auto& self, const Scalar& condition) -> void {
    const auto* n = find<Binary>(condition);
    if (n && n->op == BinaryOp::And) {
      self(self, n->a);
      return self(self, n->b);
    }
    if (!is_monotonic(condition)) return;
    Scalar any;
    for (const Scalar& row : {queries.first, queries.second})
      for (const Scalar& key : {keys.first, keys.second}) {
        const Scalar corner =
            substitute(condition, {{a.row.var, as_type_of(a.row.var, row)}, {a.key.var, as_type_of(a.key.var, key)}});
        any = any ? Binary::make(BinaryOp::Or, any, corner) : corner;
      }
    all = all ? Binary::make(BinaryOp::And, all, any) : any;
  };
  if (a.seen) add(add, a.seen);
  return all;
}

}  // namespace sunmao
