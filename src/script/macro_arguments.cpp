// Binding of macro arguments to the macro's parameters.
#include "script/macro_reader.h"

namespace sunmao::script {

class MacroReader::ArgumentBinder {
 public:
  ArgumentBinder(MacroReader& reader, const PyExpr& call, const Macro& macro)
      : reader_(reader), call_(call), macro_(macro) {
    for (const PyParam& p : macro.def->params) {
      if (!names_.insert(p.name).second)
        reader.ctx_.error("E0111", p.place, fmt::format("parameter `{}` is named twice", p.name));
      if (p.star == PyParam::Star::Args)
        rest_ = p.name;
      else if (p.star == PyParam::Star::Kwargs)
        keywords_ = p.name;
      else if (rest_.empty())
        positional_.push_back(p.name);
    }
  }

  MacroArguments bind() {
    for (at_ = 0; at_ < call_.arg_count(); ++at_) positional(call_.arg(at_));
    for (const PyKeyword& k : call_.keywords) {
      if (k.name.empty())
        unpack_keywords(*k.value);
      else
        keyword(k.name, [&] { return reader_.macro_argument(*k.value, k.name); }, k.place);
    }
    for (const PyParam& p : macro_.def->params)
      if (p.star == PyParam::Star::None && !out_.contains(p.name)) by_default(p);
    // Records the number of extra positional and the names of extra keyword arguments, so that nested calls can pass on
    // `*args` and `**kwargs`.
    if (!rest_.empty()) out_.insert_or_assign("*" + rest_, AttrValue(extra_));
    if (!keywords_.empty()) out_.insert_or_assign("**" + keywords_, AttrValue(std::move(extra_names_)));
    return std::move(out_);
  }

 private:
  void give(const std::string& name, Named value, const Place& place) {
    if (!out_.emplace(name, std::move(value)).second)
      reader_.ctx_.error("E0109", place, fmt::format("`{}` takes `{}` once", macro_.def->name, name));
  }

  template <class F>
  void next(F value, const Place& place) {
    if (next_ < positional_.size()) {
      const std::string& name = positional_[next_++];
      return give(name, value(name), place);
    }
    if (rest_.empty())
      reader_.ctx_.error(
          "E0108", place,
          fmt::format("`{}` takes {} arguments, got {}", macro_.def->name, next_, next_ + call_.arg_count() - at_));
    give(fmt::format("{}[{}]", rest_, extra_), value(rest_), place);
    ++extra_;
  }

  void positional(const PyExpr& e) {
    if (e.kind != PyKind::Starred)
      return next([&](const std::string& name) { return reader_.macro_argument(e, name); }, e.place);
    const PyExpr& what = *e.items[0];
    if (what.is_sequence()) {
      for (const PyExprPtr& item : what.items) positional(*item);
      return;
    }
    for (Named& item : unpacked(what)) next([&](const std::string&) { return std::move(item); }, e.place);
  }

  std::vector<Named> unpacked(const PyExpr& e) {
    std::vector<Named> out;
    const AttrValue* count = e.kind == PyKind::Name ? reader_.scope_.find_as<AttrValue>("*" + e.text) : nullptr;
    if (const int64_t* n = count ? count->find<int64_t>() : nullptr) {
      for (int64_t i = 0; i < *n; ++i) out.push_back(*reader_.scope_.find(fmt::format("{}[{}]", e.text, i)));
      return out;
    }
    std::optional<HostValue> host = reader_.ask_host(e);
    const AttrValue* attr = host ? std::get_if<AttrValue>(&*host) : nullptr;
    if (const AttrList* list = attr ? attr->find<AttrList>() : nullptr) return {list->begin(), list->end()};
    std::optional<std::vector<Scalar>> scalars = host ? std::nullopt : reader_.several(e);
    if (!scalars) reader_.error("E0110", e, fmt::format("`{}` cannot be unpacked here", unparse(e)));
    return {scalars->begin(), scalars->end()};
  }

  template <class F>
  void keyword(const std::string& name, F value, const Place& place) {
    const bool is_own = names_.contains(name) && name != rest_ && name != keywords_;
    if (is_own) return give(name, value(), place);
    if (keywords_.empty())
      reader_.ctx_.error("E0109", place, fmt::format("`{}` has no argument named `{}`", macro_.def->name, name));
    give(fmt::format("{}[\"{}\"]", keywords_, name), value(), place);
    extra_names_.push_back(AttrValue(name));
  }

  void unpack_keywords(const PyExpr& e) {
    if (e.kind == PyKind::Dict) {
      for (size_t i = 0; i + 1 < e.items.size(); i += 2) {
        const std::string name = reader_.text(*e.items[i], "a key");
        keyword(name, [&] { return reader_.macro_argument(*e.items[i + 1], name); }, e.items[i]->place);
      }
      return;
    }
    const AttrValue* names = e.kind == PyKind::Name ? reader_.scope_.find_as<AttrValue>("**" + e.text) : nullptr;
    if (const AttrList* list = names ? names->find<AttrList>() : nullptr) {
      for (const AttrValue& item : *list) {
        const std::string& name = *item.find<std::string>();
        keyword(name, [&] { return *reader_.scope_.find(fmt::format("{}[\"{}\"]", e.text, name)); }, e.place);
      }
      return;
    }
    std::optional<HostValue> host = reader_.ask_host(e);
    const AttrValue* attr = host ? std::get_if<AttrValue>(&*host) : nullptr;
    const AttrMap* map = attr ? attr->find<AttrMap>() : nullptr;
    if (!map) reader_.error("E0110", e, fmt::format("`{}` cannot be unpacked here", unparse(e)));
    for (const auto& [name, value] : *map) keyword(name, [&] { return Named(value); }, e.place);
  }

  // A default value is evaluated in the macro's own file, where no name of the caller is visible.
  void by_default(const PyParam& p) {
    if (!p.default_value) reader_.error("E0108", call_, fmt::format("`{}` needs `{}`", macro_.def->name, p.name));
    FileScope file(reader_.ctx_, macro_.file);
    ScopeLevel level(reader_.scope_, true);
    give(p.name, reader_.macro_argument(*p.default_value, p.name), p.place);
  }

  MacroReader& reader_;
  const PyExpr& call_;
  const Macro& macro_;
  std::unordered_set<std::string> names_;
  std::vector<std::string> positional_;
  std::string rest_, keywords_;
  size_t at_ = 0, next_ = 0;
  int64_t extra_ = 0;
  AttrList extra_names_;
  MacroArguments out_;
};

MacroReader::MacroArguments MacroReader::macro_arguments(const PyExpr& call, const Macro& macro) {
  return ArgumentBinder(*this, call, macro).bind();
}

}  // namespace sunmao::script
