// PrimReader for buffers: T.Buffer, T.match_buffer, T.alloc_buffer, T.decl_buffer, T.allocate.
#include "script/prim_reader.h"
#include "sym/analyzer.h"

namespace sunmao::script {

Ref<Buffer> PrimReader::make_buffer(const std::string& name, const PyExpr& call, const std::string& function,
                                    bool has_source, const BufferRegion* source) {
  static const std::vector<std::string> kBuffer{"shape",           "dtype", "data",  "strides",       "elem_offset",
                                                "byte_offset",     "scope", "align", "offset_factor", "buffer_type",
                                                "axis_separators", "layout"};
  static const std::vector<std::string> kMatch{"param",         "shape",       "dtype",           "data",
                                               "strides",       "elem_offset", "scope",           "align",
                                               "offset_factor", "buffer_type", "axis_separators", "layout"};
  static const std::vector<std::string> kAlloc{"shape",       "dtype",           "data",        "strides",
                                               "elem_offset", "scope",           "align",       "offset_factor",
                                               "buffer_type", "axis_separators", "annotations", "layout"};
  static const std::vector<std::string> kAllocate{"shape", "dtype", "scope", "condition", "annotations"};
  const std::vector<std::string>& names = function == "Buffer"     ? kBuffer
                                          : has_source             ? kMatch
                                          : function == "allocate" ? kAllocate
                                                                   : kAlloc;
  std::vector<std::string> spelled = names;
  if (function == "allocate" && call.find_keyword("extents")) spelled[0] = "extents";
  std::vector<const PyExpr*> given = bind_arguments(ctx_, call, "T." + function, spelled);
  auto at = [&](std::string_view wanted) -> const PyExpr* {
    for (size_t i = 0; i < names.size(); ++i)
      if (names[i] == wanted) return given[i] && !given[i]->is_literal("None") ? given[i] : nullptr;
    return nullptr;
  };
  // `data=` of `T.Buffer` is ignored: the caller provides the memory of a parameter.
  const PyExpr* data = function == "Buffer" ? nullptr : at("data");
  std::string scope = function == "alloc_local" ? "local" : function == "alloc_shared" ? "shared" : "global";
  return make_buffer(name,
                     {at("shape"), at("dtype"), data, at("strides"), at("elem_offset"), at("scope"), at("align"),
                      at("offset_factor"), at("axis_separators"), source},
                     call, std::move(scope));
}

Ref<Buffer> PrimReader::make_buffer(const std::string& name, const BufferArgs& args, const PyExpr& at,
                                    std::string scope) {
  if (!args.shape && !args.source) error("E0115", at, "a buffer needs a shape", "write `(16, 16), \"float32\"`");
  DType type = args.dtype ? dtype(*args.dtype) : args.source ? args.source->buffer->dtype : DType::float_(32);
  if (type.is_void()) error("E0115", *args.dtype, "the elements of a buffer need a type");
  auto integers = [&](const PyExpr& e) {
    std::vector<Scalar> out = scalars(e);
    for (const Scalar& s : out)
      if (!s->dtype.is_integral() || s->dtype.lanes != 1)
        error("E0115", e, fmt::format("a shape is made of integers, got {}", s->dtype.str()));
    return out;
  };
  Buffer::Options options;
  std::vector<Scalar> shape;
  if (args.shape)
    shape = integers(*args.shape);
  else
    for (const Range& r : args.source->region) shape.push_back(r.extent);
  if (args.strides) options.strides = integers(*args.strides);
  if (!options.strides.empty() && options.strides.size() != shape.size())
    error("E0115", *args.strides, fmt::format("{} strides for {} dimensions", options.strides.size(), shape.size()));
  if (args.elem_offset)
    options.elem_offset =
        args.elem_offset->kind == PyKind::String ? quoted(*args.elem_offset) : scalar(*args.elem_offset);
  options.scope = args.scope ? text(*args.scope, "`scope`") : std::move(scope);
  if (args.align) {
    int64_t align = integer(*args.align, "`align`");
    if (align > 0) options.align = align;
  }
  // With only `offset_factor` given, the offset becomes a new symbol, printed as `A.elem_offset`. A factor of 1 carries
  // no information.
  int64_t factor = args.offset_factor ? integer(*args.offset_factor, "`offset_factor`") : 0;
  if (factor != 0 && !options.elem_offset)
    options.elem_offset =
        SymVar::make(name + "_elem_offset", shape.empty() ? DType::int_(32) : shape[0]->dtype, span(at));
  options.offset_factor = factor == 1 ? 0 : factor;
  if (const int64_t* zero = find_int(options.elem_offset); zero && *zero == 0 && options.offset_factor == 0)
    options.elem_offset = nullptr;
  if (args.axis_separators)
    for (const PyExpr* e : elements(*args.axis_separators))
      options.axis_separators.push_back(integer(*e, "an axis separator"));
  if (args.data) {
    const Ref<Buffer>* owner = args.data->kind == PyKind::Name ? scope_.find_as<Ref<Buffer>>(args.data->text) : nullptr;
    Scalar data = owner ? Scalar((*owner)->data) : scalar(*args.data);
    options.data = find_ref<SymVar>(data);
    if (!options.data && pointer_) options.data = std::exchange(pointer_, nullptr);
    if (!options.data)
      error("E0115", *args.data, fmt::format("`{}` is no memory", unparse(*args.data)),
            "name it with `A.data`, or bind the pointer first: `p: T.let[T.handle] = …`");
  } else if (data_names_.contains(name) || !ctx_.macros.empty() || !macros_.empty() || !host_macros_.empty()) {
    options.data = SymVar::make(name, DType::handle(), span(at));
  }
  options.span = span(at);
  return Buffer::make(name, type, std::move(shape), std::move(options));
}

// Reads a buffer visible in the rest of the sequence: `A = T.alloc_buffer(…)`, `B = T.decl_buffer(…, data=A.data)`.
PrimReader::Item PrimReader::scoped_buffer(const std::string& name, const PyExpr& call, const std::string& function) {
  const PyExpr* data = call.find_keyword("data");
  // A computed data pointer is first bound to a variable.
  Scalar memory = data && data->kind == PyKind::Call ? scalar(*data) : nullptr;
  Ref<SymVar> pointer;
  if (memory && memory->dtype.code == TypeCode::Handle)
    pointer_ = pointer = SymVar::make(name + "_data", DType::handle(), span(*data));
  Ref<Buffer> buffer = make_buffer(name, call, function, false);
  scope_.set(name, buffer);
  Span at = span(call);
  if (pointer)
    return {nullptr,
            [=](Stmt body) { return Bind::make(pointer, memory, DeclBuffer::make(buffer, std::move(body), at), at); }};
  const PyExpr* notes = call.find_keyword("annotations");
  Attrs annotations = notes && !notes->is_literal("None") ? Attrs(map(*notes)) : Attrs();
  if (function == "decl_buffer")
    return {nullptr, [buffer, at](Stmt body) { return DeclBuffer::make(buffer, std::move(body), at); }};
  return {nullptr,
          [buffer, annotations, at](Stmt body) { return AllocBuffer::make(buffer, std::move(body), annotations, at); }};
}

// Reads `B = A.view(4, -1)`: the same memory with another shape, in which one dimension may be inferred.
bool PrimReader::view_assignment(const PyStmt& s, const PyExpr& call, Items& out) {
  const PyExpr& callee = *call.items[0];
  const Ref<Buffer>* whole = callee.kind == PyKind::Attribute ? find_buffer(*callee.items[0]) : nullptr;
  if (!whole || callee.text != "view" || s.target->kind != PyKind::Name) return false;
  const Buffer& from = **whole;
  std::vector<Scalar> shape;
  std::optional<size_t> open;
  int64_t known = 1;
  for (size_t i = 0; i < call.arg_count(); ++i) {
    shape.push_back(scalar(call.arg(i)));
    const int64_t* extent = find_int(shape.back());
    if (!shape.back()->dtype.is_integral() || (extent && *extent < 1 && (*extent != -1 || open)))
      error("E0115", call.arg(i), fmt::format("`{}` is no dimension of a view", unparse(call.arg(i))),
            "a view has positive dimensions, one of which may be -1");
    if (extent && *extent == -1) open = i;
    if (extent && *extent > 0 && __builtin_mul_overflow(known, *extent, &known))
      error("E0115", call, "the dimensions of a view multiply to more than 64 bits");
  }
  if (shape.empty() || !call.keywords.empty()) error("E0108", call, "a view has a shape", "write `A.view(4, -1)`");
  if (open) {
    Scalar all = IntImm::make(defaults_.integer, 1);
    for (const Scalar& extent : from.shape) all = Binary::make(BinaryOp::Mul, all, extent);
    shape[*open] = Analyzer().simplify(floor_div(all, IntImm::make(all->dtype, known)));
  }
  Ref<Buffer> view = Buffer::make(s.target->text, from.dtype, std::move(shape),
                                  {.elem_offset = from.elem_offset,
                                   .scope = from.scope,
                                   .align = from.align,
                                   .offset_factor = from.offset_factor,
                                   .data = from.data,
                                   .span = span(call)});
  scope_.set(s.target->text, view);
  Span at = span(call);
  out.push_back({nullptr, [view, at](Stmt body) { return DeclBuffer::make(view, std::move(body), at); }});
  return true;
}

bool PrimReader::buffer_assignment(const PyStmt& s, const PyExpr& call, const std::string& function, Items& out) {
  if (function == "match_buffer") {
    if (match_param(s, call) || match_region(s, call)) return true;
    error("E0116", call, "`T.match_buffer` takes a handle parameter or a region of a buffer",
          "write `A = T.match_buffer(a, (n,))` or `T.match_buffer(A[0:4], (4,))`");
  }
  if (function == "sblock_alloc_buffer" || (function == "alloc_buffer" && old_blocks_ && block_)) {
    if (!around_) error("E0116", call, fmt::format("`T.{}` stands in a block or in the function", function));
    if (block_) require_head(call, "T." + function);
    Ref<Buffer> buffer = make_buffer(s.target->text, call, function, false);
    around_->parts.alloc_buffers.push_back(buffer);
    scope_.set(s.target->text, buffer);
    return true;
  }
  if (function == "Buffer") {  // memory that the function does not define
    scope_.set(s.target->text, make_buffer(s.target->text, call, function, false));
    return true;
  }
  bool is_scoped = function == "alloc_buffer" || function == "decl_buffer" || function == "allocate" ||
                   function == "alloc_local" || function == "alloc_shared";
  if (!is_scoped) return false;
  out.push_back(scoped_buffer(s.target->text, call, function));
  return true;
}

}  // namespace sunmao::script
