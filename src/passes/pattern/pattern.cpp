#include "passes/pattern/pattern.h"

namespace sunmao {

Pattern::Pattern(Form f) : form(std::move(f)) {}

Ref<Pattern> Pattern::make(Form form) { return Ref<Pattern>(new Pattern(std::move(form))); }

Ref<Pattern> Pattern::duplicate() const { return make(form); }

}  // namespace sunmao
