#include "frontend/onnx/proto.h"

#include "frontend/findings.h"

namespace sunmao::onnx {
namespace {

using io::ProtobufField;
using io::ProtobufReader;

class Parser {
 public:
  explicit Parser(Span whole) : whole_(std::move(whole)) {}

  ModelProto model(ProtobufReader r) {
    ModelProto m;
    each(r, [&](const ProtobufField& f) {
      if (f.number == 1) m.ir_version = f.as_int64();
      if (f.number == 2) m.producer = f.as_text();
      if (f.number == 7) m.graph = graph(r.nested(f));
      if (f.number == 8) m.opsets.push_back(opset(r.nested(f)));
      if (f.number == 25) m.functions.push_back(function(r.nested(f)));
    });
    return m;
  }

 private:
  template <class Visit>
  void each(ProtobufReader& r, Visit visit) {
    for (ProtobufField f; r.next(f);) visit(f);
    check(r.status(), whole_);
  }

  OpsetImport opset(ProtobufReader r) {
    OpsetImport o;
    each(r, [&](const ProtobufField& f) {
      if (f.number == 1) o.domain = f.as_text();
      if (f.number == 2) o.version = f.as_int64();
    });
    return o;
  }

  FunctionProto function(ProtobufReader r) {
    FunctionProto p;
    each(r, [&](const ProtobufField& f) {
      switch (f.number) {
        case 1: p.name = f.as_text(); break;
        case 4: p.inputs.push_back(f.as_text()); break;
        case 5: p.outputs.push_back(f.as_text()); break;
        case 7: p.nodes.push_back(node(r.nested(f))); break;
        case 9: p.opsets.push_back(opset(r.nested(f))); break;
        case 10: p.domain = f.as_text(); break;
        case 11: p.defaults.push_back(attribute(r.nested(f))); break;
        case 13: p.overload = f.as_text(); break;
        default: break;
      }
    });
    return p;
  }

  Graph graph(ProtobufReader r) {
    Graph g;
    each(r, [&](const ProtobufField& f) {
      switch (f.number) {
        case 1: g.nodes.push_back(node(r.nested(f))); break;
        case 5: g.initializers.push_back(tensor(r.nested(f), f.bytes)); break;
        case 11: g.inputs.push_back(value_info(r.nested(f))); break;
        case 12: g.outputs.push_back(value_info(r.nested(f))); break;
        case 13: g.values.push_back(value_info(r.nested(f))); break;
        case 15: g.has_sparse_initializers = true; break;
        default: break;
      }
    });
    return g;
  }

  Node node(ProtobufReader r) {
    Node n;
    each(r, [&](const ProtobufField& f) {
      switch (f.number) {
        case 1: n.inputs.push_back(f.as_text()); break;
        case 2: n.outputs.push_back(f.as_text()); break;
        case 3: n.name = f.as_text(); break;
        case 4: n.op = f.as_text(); break;
        case 5: n.attributes.push_back(attribute(r.nested(f))); break;
        case 7: n.domain = f.as_text(); break;
        case 8: n.overload = f.as_text(); break;
        default: break;
      }
    });
    return n;
  }

  Attribute attribute(ProtobufReader r) {
    Attribute a;
    each(r, [&](const ProtobufField& f) {
      switch (f.number) {
        case 1: a.name = f.as_text(); break;
        case 2: a.f = f.as_float(); break;
        case 3: a.i = f.as_int64(); break;
        case 4: a.s = f.as_text(); break;
        case 5: a.tensor = tensor(r.nested(f), f.bytes); break;
        case 6:
        case 11: a.bodies.push_back(graph(r.nested(f))); break;
        case 7: check(append_floats(f, a.floats), whole_); break;
        case 8: check(append_varints(f, a.ints), whole_); break;
        case 9: a.strings.push_back(f.as_text()); break;
        case 20: a.type = f.as_int64(); break;
        case 21: a.reference = f.as_text(); break;
        default: break;
      }
    });
    return a;
  }

  Tensor tensor(ProtobufReader r, std::span<const std::byte> message) {
    Tensor t;
    t.message = message;
    each(r, [&](const ProtobufField& f) {
      switch (f.number) {
        case 1: check(append_varints(f, t.dims), whole_); break;
        case 2: t.data_type = f.as_int64(); break;
        case 8: t.name = f.as_text(); break;
        case 9: t.raw = f.bytes; break;
        case 13: t.external.push_back(pair(r.nested(f))); break;
        case 14: t.is_external = f.as_int64() == 1; break;
        default: break;
      }
    });
    return t;
  }

  std::pair<std::string_view, std::string_view> pair(ProtobufReader r) {
    std::pair<std::string_view, std::string_view> p;
    each(r, [&](const ProtobufField& f) {
      if (f.number == 1) p.first = f.as_text();
      if (f.number == 2) p.second = f.as_text();
    });
    return p;
  }

  ValueInfo value_info(ProtobufReader r) {
    ValueInfo v;
    each(r, [&](const ProtobufField& f) {
      if (f.number == 1) v.name = f.as_text();
      if (f.number == 2) type(r.nested(f), v);
    });
    return v;
  }

  void type(ProtobufReader r, ValueInfo& v) {
    each(r, [&](const ProtobufField& f) {
      if (f.number == 1) tensor_type(r.nested(f), v);
    });
  }

  void tensor_type(ProtobufReader r, ValueInfo& v) {
    v.is_tensor = true;
    each(r, [&](const ProtobufField& f) {
      if (f.number == 1) v.data_type = f.as_int64();
      if (f.number == 2) v.shape = shape(r.nested(f));
    });
  }

  std::vector<Dim> shape(ProtobufReader r) {
    std::vector<Dim> dims;
    each(r, [&](const ProtobufField& f) {
      if (f.number == 1) dims.push_back(dim(r.nested(f)));
    });
    return dims;
  }

  Dim dim(ProtobufReader r) {
    Dim d;
    each(r, [&](const ProtobufField& f) {
      if (f.number == 1) d.value = f.as_int64();
      if (f.number == 2) d.param = f.as_text();
    });
    return d;
  }

  Span whole_;
};

}  // namespace

const Attribute* Node::find(std::string_view attribute) const {
  for (const Attribute& a : attributes)
    if (a.name == attribute) return &a;
  return nullptr;
}

ModelProto parse_model(std::span<const std::byte> file, const Span& whole) {
  return Parser(whole).model(ProtobufReader(file));
}

}  // namespace sunmao::onnx
