// ScalarReader: reads expressions over numbers, symbols and buffer elements, for dimensions and loop-level arithmetic.
#pragma once
#include "loop/buffer.h"
#include "script/scope.h"
#include "script/script_context.h"

namespace sunmao::script {

/// A number known while reading: a literal, the value of a name that the host or the script binds, or arithmetic on
/// these.
struct PlainNumber {
  enum class Kind : uint8_t { Bool, Int, Float } kind;
  int64_t integer = 0;
  double real = 0;
};

/// Returns the number that an attribute value holds, if it is one.
std::optional<PlainNumber> plain_number(const AttrValue& v);

class ScalarReader {
 public:
  /// The dtypes of literals such as `1` and `1.0` when the context determines none.
  struct Defaults {
    DType integer, real;
  };
  ScalarReader(ScriptContext& context, Scope& scope, Defaults defaults)
      : ctx_(context), scope_(scope), defaults_(defaults) {}
  virtual ~ScalarReader() = default;
  ScalarReader(const ScalarReader&) = delete;
  ScalarReader& operator=(const ScalarReader&) = delete;

  /// Reads a scalar; E0106 for unknown names, E0110 when the expression is not a scalar.
  Scalar scalar(const PyExpr& e);
  /// Reads an argument of an intrinsic: a scalar, or quoted text.
  Scalar argument(const PyExpr& e);
  /// Reads quoted text as an expression; unknown names in it define symbols.
  Scalar quoted(const PyExpr& text);
  Scalar boolean(const PyExpr& e);
  std::vector<Scalar> scalars(const PyExpr& sequence);
  std::optional<PlainNumber> number(const PyExpr& e);
  int64_t integer(const PyExpr& e, const std::string& what);
  std::string text(const PyExpr& e, const std::string& what);
  bool flag(const PyExpr& e, const std::string& what);
  /// Reads a dtype in any spelling, such as "float32", T.float32, R.dtype("float32"), None (void), the dtype of a
  /// buffer, or a value of the host.
  DType dtype(const PyExpr& e);

  Ref<Buffer> buffer(const PyExpr& e);
  /// Returns the buffer that `e` names, or null.
  const Ref<Buffer>* find_buffer(const PyExpr& e) const;
  /// Returns the scalars that `*e` unpacks to: those of `A.shape` or `A.strides`, of a name for several scalars, of a
  /// list in the script, or of a list of the host; absent for anything else.
  std::optional<std::vector<Scalar>> several(const PyExpr& e);
  BufferRegion region(const PyExpr& e);
  /// Reads the indices of a load or store of `buffer`; slices of several elements become ramps.
  std::vector<Scalar> indices(const PyExpr& index, const Buffer& buffer);
  /// Returns stop - start, simplified such that `start + n` yields `n`.
  Scalar distance(const Scalar& start, const Scalar& stop, const Place& place);

 protected:
  Span span(const PyExpr& e) const { return ctx_.span(e.place); }
  [[noreturn]] void error(const char* code, const PyExpr& e, const std::string& message,
                          const std::string& help = {}) const {
    ctx_.error(code, e.place, message, help);
  }
  [[noreturn]] void unknown_name(const PyExpr& e) const;
  /// Splits a dialect name into its dialect ('R', 'T' or 'I') and the rest, in all spellings; else empty.
  std::pair<char, std::string> dialect_name(const PyExpr& e) const;
  /// True when the name is a root of the dialect (R, T, I, relax, tir or tirx) that the script does not bind
  /// otherwise.
  bool is_dialect_root(const PyExpr& name) const;
  Scalar immediate(const PlainNumber& n, const Span& at) const;
  Scalar from_host(const HostValue& value, const PyExpr& e);
  std::optional<HostValue> ask_host(const PyExpr& e) const;
  /// True when `e` is left to the host: its root is a name of neither the script nor the dialect, and no quoted
  /// dimension is being read.
  bool is_of_host(const PyExpr& e) const;
  AttrMap scalar_names(const PyExpr& e) const;
  Scalar binary(BinaryOp op, Scalar a, Scalar b, const PyExpr& e);
  Scalar binary(BinaryOp op, const PyExpr& a, const PyExpr& b, const PyExpr& e);
  /// Fails (E0110) for text and for calls without a value.
  void check_operand(const Scalar& s, const PyExpr& e) const;
  /// Returns `a op b` for any Python operator, including bitwise ones; E0110 for operators that scalars lack.
  Scalar combine(const std::string& op, Scalar a, Scalar b, const PyExpr& e);
  /// Returns `value` converted to `type`: literals adopt it where they can, other values are cast. E0110 for an integer
  /// literal that does not fit.
  Scalar converted(Scalar value, DType type) const;
  /// Returns an integer literal of `type`; E0110 when it does not fit.
  Scalar integer_of(DType type, int64_t value, const Span& at) const;
  std::vector<Scalar> unpacked(const PyExpr& starred);
  std::vector<Scalar> vector_indices(const Buffer& b, const PyExpr& begin, DType type);
  /// Reads the mask of a load or store; null when absent.
  Scalar mask(const PyExpr* predicate);
  Lanes vector_length(const PyExpr& e);
  /// Returns what `T.handle("float32", "shared")` points to; empty for other types.
  Pointee pointee(const PyExpr& type);
  /// Adapts two operands to each other: a literal that fits takes the element type of an operand that is no literal,
  /// and a single value beside a vector is broadcast.
  void unify(Scalar& a, Scalar& b) const;
  void promote(Scalar& a, Scalar& b) const;
  void check_arity(const PyExpr& call, const std::string& name, size_t least, size_t most) const;
  /// True when functions of the module may be called in scalars: at the loop level.
  virtual bool calls_functions() const { return false; }
  /// True when `e` names the module being read, by its class or an alias.
  bool is_module(const PyExpr& e) const;
  /// Returns the function of the module that `e` names, or null; E0106 for `Module.f` when it does not exist.
  FunctionDecl* module_function(const PyExpr& e) const;
  /// Returns the scalar that a graph-level variable stands for; fails (E0110) when it is no scalar of known value.
  virtual Scalar variable(const Ref<Var>& var, const PyExpr& e);

  ScriptContext& ctx_;
  Scope& scope_;
  std::unordered_set<std::string> later_names_;  // names of later parameters, which only quoted dimensions may use
  const Defaults defaults_;

 private:
  bool is_pointer_type(const PyExpr& e) const;
  Scalar name(const PyExpr& e);
  Scalar attribute(const PyExpr& e);
  Scalar subscript(const PyExpr& e);
  Scalar unary(const PyExpr& e);
  Scalar operation(const PyExpr& e);
  Scalar chain(const PyExpr& e);
  void check_division(const Scalar& result, const PyExpr& e) const;
  Scalar buffer_attribute(const Buffer& b, const PyExpr& e);
  Scalar buffer_method(const Ref<Buffer>& b, const PyExpr& call, const std::string& method);
  Scalar vector_load(const Ref<Buffer>& b, const PyExpr& call);
  Scalar access_pointer(const Buffer& b, const PyExpr& call);
  /// Reads a call of a function of the module, with the arguments from `first` on.
  Scalar function_call(const PyExpr& e, const FunctionDecl& decl, size_t first = 0);
  Scalar call(const PyExpr& e);
  Scalar intrinsic(const PyExpr& e, const std::string& name);
  Scalar plain_call(const PyExpr& e, const std::string& name);
  Scalar cast_call(const PyExpr& e, const std::string& name);
  Scalar first_element(const Ref<Buffer>& b, const PyExpr& at) const;
  Scalar intrinsic_call(const PyExpr& e, const std::string& name);
  Scalar conversion(const PyExpr& e, DType to);
  Scalar cast(const PyExpr& e, const PyExpr& value, DType to, bool always);
  Scalar let(const PyExpr& e);
  Scalar vector(const PyExpr& e, const std::string& name);
  Scalar extreme(const PyExpr& e, const std::string& name);
  Scalar immediate_node(const PyExpr& e, const std::string& name);
  Scalar shuffle(const PyExpr& e);
  Range range(const PyExpr& e, const Buffer& buffer, size_t dim);

  bool defining_ = false;
};

}  // namespace sunmao::script
