#include "tests/random/constructs.h"

#include "ir/walk.h"

namespace sunmao {
namespace {

class Finder final : public Visitor {
 public:
  explicit Finder(const Module& module) : module_(module) {}
  unsigned run() {
    for (const FunctionEntry& e : module_.functions()) {
      own_ = e.var.get();
      if (const auto* f = find<Function>(Expr(e.func))) Visitor::visit(Expr(f->body));
    }
    return found_;
  }

 private:
  enum Bit : unsigned { Branch = 1, Loop = 2, CallOfFunction = 4, LocalFunction = 8, Tuples = 16, RuntimeSize = 32 };

  using Visitor::visit;
  void visit(const If& e) override {
    found_ |= Branch;
    Visitor::visit(e);
  }
  void visit(const Function& f) override {
    found_ |= LocalFunction;
    Visitor::visit(f);
  }
  void visit(const Tuple& t) override {
    if (!t.fields.empty()) found_ |= Tuples;
    Visitor::visit(t);
  }
  void visit(const Call& call) override {
    if (const auto* callee = find<GlobalVar>(call.callee); callee && module_.find_as<Function>(callee->name))
      found_ |= callee->name == own_->name ? Loop : CallOfFunction;
    Visitor::visit(call);
  }
  void visit(const Binding& b) override {
    if (b.is_match_cast()) found_ |= RuntimeSize;
    Visitor::visit(b);
  }

  const Module& module_;
  const GlobalVar* own_ = nullptr;
  unsigned found_ = 0;
};

}  // namespace

unsigned constructs_of(const Module& module) { return Finder(module).run(); }

}  // namespace sunmao
