// Printer: base of the printers of both levels; prints names, scalars, types, attribute values and constants.
#pragma once
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "loop/buffer.h"
#include "script/name_table.h"
#include "script/print.h"

namespace sunmao::script {

/// Lines of text at a current level of indentation.
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
  /// Applies the marks of `node` to the text written since it had length `from`.
  void mark(size_t from, const Node* node, const std::vector<PrintMark>& marks);
  bool empty() const { return text_.empty(); }

 private:
  std::string text_;
  int level_ = 0;
  int indent_spaces_;
};

/// State that is shared by all functions of a module while it is printed.
struct PrintState {
  const PrintOptions& options;
  const Module* module = nullptr;
  std::vector<Array> constants = {};
  std::unordered_map<const std::byte*, size_t> constant_at = {};
  std::unordered_map<std::string, std::string> function_names = {};
  bool uses_tir = false, uses_relax = false;

  /// Returns the printed name of a function: its own name, or a similar Python identifier.
  std::string function_name(const std::string& name) const;
};

/// Returns `global_name="…"` for a function that is printed under another name; else an empty string.
std::string global_name_argument(const PrintState& state, const std::string& name);

class Printer {
 public:
  Printer(PrintState& state, DType default_int) : state_(state), default_int_(default_int) {
    if (state.options.show_addresses) names_.show_addresses();
  }
  virtual ~Printer() = default;
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;

  /// Prints a part on its own by calling `print`, preceded by declarations of its free names if the options ask for
  /// them.
  std::string alone(const std::function<std::string()>& print);

  std::string scalar(const Scalar& s);
  /// Prints a scalar, or a string argument in quotes; with `explicit_type` a literal of the default integer type gets
  /// its type.
  std::string argument(const Scalar& s, bool explicit_type = false);
  std::string type(const Type& t);
  std::string value(const AttrValue& v);
  /// Prints the value of the parameter or attribute `name`. Where the name marks a dtype or a device (`…dtype`,
  /// `…vdevice`), such a value is printed as quoted text. A string that could be taken for one, and that of `format`,
  /// is printed as `R.str("…")`.
  std::string named_value(const std::string& name, const AttrValue& v);
  std::string map(const AttrMap& m, const std::string* without = nullptr);
  std::string global_info(const Ref<GlobalInfo>& info);
  std::string constant(const Array& data);
  std::string expression(const Expr& e) { return expr(e); }
  /// Returns the definition `f = R.ExternFunc("f")` in the class of a module.
  std::string extern_definition(const ExternFunc& f, const std::string& name);
  /// Returns the name of a buffer; a free one is declared at the head of the function, or before a part printed on its
  /// own if the options ask for it.
  std::string buffer(const Ref<Buffer>& b);
  /// Returns a range as "Range(0, 8)".
  std::string range(const Range& r);

 protected:
  /// Returns the name of a symbol; a free one is declared at the head of the function, or before a part printed on its
  /// own if the options ask for it.
  std::string symbol(const SymVar& var);
  /// Returns the declared type of a symbol: `T.int64`, `T.handle("float32", "global")`.
  std::string scalar_type(const SymVar& var) const;
  /// Returns the arguments of a buffer declaration, such as `(n, 4), "int8", scope="local"`. The dtype float32 is
  /// printed only with `says_dtype` or in a signature; a signature omits the data pointer.
  std::string buffer_args(const Buffer& b, bool says_dtype = false, bool in_signature = false);
  std::string scalars(const std::vector<Scalar>& values);
  std::string indices(const std::vector<Scalar>& values);
  virtual std::string load_text(const BufferLoad& load);
  /// Returns a Python tuple of the parts: "(a, b)", "(a,)", "()".
  static std::string tuple(const std::vector<std::string>& parts);
  virtual std::string expr(const Expr& e);
  /// True when the buffer's offset is a symbol of the dtype of its indices without a name so far, which is printed as
  /// `A.elem_offset`.
  bool owns_offset(const Buffer& b) const;
  bool declares_free() const { return is_lone_ && state_.options.declare_free; }

  PrintState& state_;
  NameTable names_;
  bool quote_dims_ = false;                // in a signature, where symbols are quoted
  bool declares_buffers_ = false;          // in a function, which declares its free buffers at its head
  bool is_lone_ = false;                   // printing a part on its own, whose free names may be declared
  std::vector<std::string> declarations_;  // declarations of free names, such as `n = T.int64()`, in order of first use

  struct Text {
    std::string text;
    int precedence;
  };
  Text scalar_text(const Scalar& s);
  /// Prints `s` as an operand, in brackets when its precedence is lower than `precedence`.
  std::string operand(const Scalar& s, int precedence);
  /// Prints an operand; an integer literal needs no explicit type beside an operand of its type that is no literal.
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

/// True when the type says of an extern function only that it is callable.
bool is_plain_extern_type(const Type& type);

/// The precedence of expressions that never need brackets.
constexpr int kAtom = 9;

/// Prints one function; `name` is its name in the module.
void print_relax_function(PrintState& state, const Ref<BaseFunc>& f, const std::string& name, Lines& out);
void print_prim_function(PrintState& state, const Ref<BaseFunc>& f, const std::string& name, Lines& out);
// Parts printed on their own, with the declarations that the options ask for.
std::string print_lone_expr(PrintState& state, const Expr& e);
std::string print_lone_binding(PrintState& state, const Binding& b);
std::string print_lone_block(PrintState& state, const Ref<BindingBlock>& block);
std::string print_lone_stmt(PrintState& state, const Stmt& s);
std::string print_lone_region(PrintState& state, const BufferRegion& r);
std::string print_lone_view(PrintState& state, const MatchBufferRegion& view);

}  // namespace sunmao::script
