#include "passes/upstream/update_param_type.h"

#include "ir/type_relation.h"
#include "ir/walk.h"

namespace sunmao {

Module update_param_type(const Module& m, const std::function<Type(const Ref<Var>&)>& update) {
  class Retyper final : public Rewriter {
   public:
    Ref<Function> run(const Ref<Function>& f, const std::function<Type(const Ref<Var>&)>& update_type) {
      std::vector<Ref<Var>> params;
      for (const Ref<Var>& p : f->params) {
        Type type = update_type(p);
        params.push_back(type ? p->with_type(type) : p);
        if (params.back() != p) replace(p, params.back());
      }
      if (params == f->params) return f;
      Ref<SeqExpr> body = visit_seq(f->body);
      Analyzer analyzer;
      bool keep = f->result_type && body->type && fits(f->result_type, body->type, analyzer) != Fit::No;
      return Function::make(std::move(params), std::move(body), keep ? f->result_type : Type(), f->is_pure, f->attrs,
                            f->span);
    }
  };
  return map_functions(m, [&](const Ref<Function>& f) { return Retyper().run(f, update); });
}

}  // namespace sunmao
