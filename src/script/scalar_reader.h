// ScalarReader: expressions over numbers, symbols and buffer elements, as dimensions and as the arithmetic of loops.
#pragma once
#include "loop/buffer.h"
#include "script/scope.h"
#include "script/script_context.h"

namespace sunmao::script {

/// A number that is known while reading: a literal, or one that the host or the script's own names stand for.
struct PlainNumber {
  enum class Kind : uint8_t { Bool, Int, Float } kind;
  int64_t integer = 0;
  double real = 0;
};

/// The number that a value is, if it is one.
std::optional<PlainNumber> plain_number(const AttrValue& v);

class ScalarReader {
 public:
  /// What a plain `1` and a plain `1.0` are where nothing else says it.
  struct Defaults {
    DType integer, real;
  };
  ScalarReader(ScriptContext& context, Scope& scope, Defaults defaults)
      : ctx_(context), scope_(scope), defaults_(defaults) {}
  virtual ~ScalarReader() = default;
  ScalarReader(const ScalarReader&) = delete;
  ScalarReader& operator=(const ScalarReader&) = delete;

  /// The value; E0106 for unknown names, E0110 where the expression is no scalar.
  Scalar scalar(const PyExpr& e);
  /// The same with text in quotes allowed, as an argument of an intrinsic.
  Scalar argument(const PyExpr& e);
  /// Quoted text as an expression, whose unknown names become symbols.
  Scalar quoted(const PyExpr& text);
  Scalar boolean(const PyExpr& e);
  std::vector<Scalar> scalars(const PyExpr& sequence);
  std::optional<PlainNumber> number(const PyExpr& e);
  int64_t integer(const PyExpr& e, const std::string& what);
  std::string text(const PyExpr& e, const std::string& what);
  bool flag(const PyExpr& e, const std::string& what);
  /// "float32", T.float32, or what the host stands for.
  DType dtype(const PyExpr& e);

  Ref<Buffer> buffer(const PyExpr& e);
  /// The buffer that `e` names, else nullptr.
  const Ref<Buffer>* find_buffer(const PyExpr& e) const;
  /// The scalars that an expression stands for, as `*e` unpacks them: `A.shape`, names of several, lists of the host.
  std::optional<std::vector<Scalar>> several(const PyExpr& e);
  BufferRegion region(const PyExpr& e);
  /// Indices of a load or a store of `buffer`; slices become ramps.
  std::vector<Scalar> indices(const PyExpr& index, const Buffer& buffer);
  /// stop - start, giving back `n` of `start + n`.
  Scalar distance(const Scalar& start, const Scalar& stop, const Place& place);

 protected:
  Span span(const PyExpr& e) const { return ctx_.span(e.place); }
  [[noreturn]] void error(const char* code, const PyExpr& e, const std::string& message,
                          const std::string& help = {}) const {
    ctx_.error(code, e.place, message, help);
  }
  [[noreturn]] void unknown_name(const PyExpr& e) const;
  /// "relax", "tirx" or "ir" and the rest of the name, for R.…, T.…, I.… and their older spellings; else empty.
  std::pair<char, std::string> dialect_name(const PyExpr& e) const;
  /// Whether the name is the R, T or I of the dialect.
  bool is_dialect_root(const PyExpr& name) const;
  Scalar immediate(const PlainNumber& n, const Span& at) const;
  Scalar from_host(const HostValue& value, const PyExpr& e);
  std::optional<HostValue> ask_host(const PyExpr& e) const;
  /// Whether `e` is the host's to say: its root is no name of the script or the dialect.
  bool is_of_host(const PyExpr& e) const;
  AttrMap scalar_names(const PyExpr& e) const;
  Scalar binary(BinaryOp op, Scalar a, Scalar b, const PyExpr& e);
  Scalar binary(BinaryOp op, const PyExpr& a, const PyExpr& b, const PyExpr& e);
  /// E0110 for text and for what gives nothing.
  void check_operand(const Scalar& s, const PyExpr& e) const;
  /// `a op b` for any operator that Python has, bitwise ones included; E0110 for what scalars do not have.
  Scalar combine(const std::string& op, Scalar a, Scalar b, const PyExpr& e);
  /// `value` as an element of `type`: literals take it, others are cast.
  Scalar converted(Scalar value, DType type) const;
  /// An integer of `type`; E0110 where it does not fit.
  Scalar integer_of(DType type, int64_t value, const Span& at) const;
  std::vector<Scalar> unpacked(const PyExpr& starred);
  std::vector<Scalar> vector_indices(const Buffer& b, const PyExpr& begin, DType type);
  /// The mask of a load or a store; null where there is none.
  Scalar mask(const PyExpr* predicate);
  Lanes vector_length(const PyExpr& e);
  /// What `T.handle("float32", "shared")` points to; nothing said for other types.
  Pointee pointee(const PyExpr& type);
  /// Literals take the type of the other side, single values become vectors.
  void unify(Scalar& a, Scalar& b) const;
  void promote(Scalar& a, Scalar& b) const;
  void check_arity(const PyExpr& call, const std::string& name, size_t least, size_t most) const;
  /// Whether scalars may call functions of the module: those of loops do.
  virtual bool calls_functions() const { return false; }
  /// Whether `e` names the module that is read, by its class or by an alias.
  bool is_module(const PyExpr& e) const;
  /// The function of the module that `e` names, else nullptr; E0106 for `Module.f` where there is none.
  FunctionDecl* module_function(const PyExpr& e) const;
  /// Names of a variable of the graph level in a scalar; null when it is none.
  virtual Scalar variable(const Ref<Var>& var, const PyExpr& e);

  ScriptContext& ctx_;
  Scope& scope_;
  std::unordered_set<std::string> later_names_;  // of parameters to come, which only quoted dimensions may name
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
  /// The call of a function of the module on the arguments from `first` on.
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
