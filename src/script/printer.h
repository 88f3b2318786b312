// Printer: what the printers of both levels share: names, scalars, types, attribute values, constants.
#pragma once
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "loop/buffer.h"
#include "script/name_table.h"
#include "script/print.h"

namespace sunmao::script {

/// Lines of text at a level of indentation.
class Lines {
 public:
  explicit Lines(int indent_spaces = 4) : indent_spaces_(indent_spaces) {}
  void add(const std::string& line);
  void append(const Lines& other);
  void append_blank() { text_ += "\n"; }
  void indent() { ++level_; }
  void dedent() { --level_; }
  int level() const { return level_; }
  void set_level(int level) { level_ = level; }
  const std::string& text() const { return text_; }
  /// Puts the marks of `node` on what was written since the text was `from` long.
  void mark(size_t from, const Node* node, const std::vector<PrintMark>& marks);
  bool empty() const { return text_.empty(); }

 private:
  std::string text_;
  int level_ = 0;
  int indent_spaces_;
};

/// What one printing of a module shares between its functions.
struct PrintState {
  const PrintOptions& options;
  const Module* module = nullptr;
  std::vector<Array> constants = {};
  std::unordered_map<const std::byte*, size_t> constant_at = {};
  std::unordered_map<std::string, std::string> function_names = {};
  bool uses_tir = false, uses_relax = false;

  /// What a function is called in the text: its own name, or one near it where that is no name in Python.
  std::string function_name(const std::string& name) const;
};

/// `global_name="class"`, where the text calls a function otherwise; empty where it does not.
std::string global_name_argument(const PrintState& state, const std::string& name);

class Printer {
 public:
  Printer(PrintState& state, DType default_int) : state_(state), default_int_(default_int) {
    if (state.options.show_addresses) names_.show_addresses();
  }
  virtual ~Printer() = default;
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;

  /// Prints a part that stands alone, after the declarations that it needs: `print` writes it.
  std::string alone(const std::function<std::string()>& print);

  std::string scalar(const Scalar& s);
  /// The same, or text in quotes.
  std::string argument(const Scalar& s, bool explicit_type = false);
  std::string type(const Type& t);
  std::string value(const AttrValue& v);
  /// The value of parameter or attribute `name`, where dtypes and devices are text.
  std::string named_value(const std::string& name, const AttrValue& v);
  std::string map(const AttrMap& m, const std::string* without = nullptr);
  std::string global_info(const Ref<GlobalInfo>& info);
  std::string constant(const Array& data);
  std::string expression(const Expr& e) { return expr(e); }
  /// `f = R.ExternFunc("f")`, in the class of a module.
  std::string extern_definition(const ExternFunc& f, const std::string& name);
  /// The name of a buffer; one that nothing defines is declared where a part stands alone.
  std::string buffer(const Ref<Buffer>& b);
  /// "Range(0, 8)"
  std::string range(const Range& r);

 protected:
  /// The name of a symbol; one that nothing defines is declared at the head of the function.
  std::string symbol(const SymVar& var);
  /// What a declaration of the symbol says: `T.int64`, `T.handle("float32", "global")`.
  std::string scalar_type(const SymVar& var) const;
  /// "(n, 4), "int8", scope="local"": what stands in the brackets of a declaration. float32 goes without saying, but in
  /// a signature, which does not say the memory either.
  std::string buffer_args(const Buffer& b, bool says_dtype = false, bool in_signature = false);
  std::string scalars(const std::vector<Scalar>& values);
  std::string indices(const std::vector<Scalar>& values);
  virtual std::string load_text(const BufferLoad& load);
  /// "(a, b)", "(a,)", "()".
  static std::string tuple(const std::vector<std::string>& parts);
  virtual std::string expr(const Expr& e);
  /// Whether the buffer's offset is a symbol that nothing else names: `A.elem_offset`.
  bool owns_offset(const Buffer& b) const;
  bool declares_free() const { return is_lone_ && state_.options.declare_free; }

  PrintState& state_;
  NameTable names_;
  bool quote_dims_ = false;                // in a signature, where symbols are text
  bool declares_buffers_ = false;          // in a function, whose free buffers stand at its head
  bool is_lone_ = false;                   // a part that stands alone, whose free names may be declared
  std::vector<std::string> declarations_;  // `n = T.int64()` of what nothing defines, in order of first use

  struct Text {
    std::string text;
    int precedence;
  };
  Text scalar_text(const Scalar& s);
  /// `s` as an operand: in brackets where it binds less tightly than `precedence`.
  std::string operand(const Scalar& s, int precedence);
  /// An integer beside an operand of its own type needs no type.
  std::string operand_beside(const Scalar& s, const Scalar& other, int precedence);

 private:
  Text int_text(const IntImm& i);
  Text float_text(const FloatImm& f);
  Text binary_text(const Binary& b);
  Text call_text(const ScalarCall& c);
  std::optional<std::string> special_call(const ScalarCall& c);
  std::string tensor_type(const TensorType& t);
  std::string dims(const std::vector<Scalar>& values);
  std::string dim(const Scalar& s);
  std::string device(const Ref<VDevice>& d);
  std::string scalar_value(const Scalar& s);
  std::string expr_value(const Expr& e);
  std::string extern_function(const ExternFunc& f, const std::string& global_name = {});
  std::string index_map(const IndexMap& m);
  std::optional<std::string> reducer(const AttrMap& m);
  bool is_inline(const Array& data) const;

  const DType default_int_;
};

/// Whether the type says no more of an extern function than that it can be called.
bool is_plain_extern_type(const Type& type);

/// The precedence of what needs no brackets anywhere.
constexpr int kAtom = 9;

/// Prints one function; `name` is its own in the module.
void print_relax_function(PrintState& state, const Ref<BaseFunc>& f, const std::string& name, Lines& out);
void print_prim_function(PrintState& state, const Ref<BaseFunc>& f, const std::string& name, Lines& out);
// Parts that stand alone, with the declarations that the options ask for.
std::string print_lone_expr(PrintState& state, const Expr& e);
std::string print_lone_binding(PrintState& state, const Binding& b);
std::string print_lone_block(PrintState& state, const Ref<BindingBlock>& block);
std::string print_lone_stmt(PrintState& state, const Stmt& s);
std::string print_lone_region(PrintState& state, const BufferRegion& r);
std::string print_lone_view(PrintState& state, const MatchBufferRegion& view);

}  // namespace sunmao::script
