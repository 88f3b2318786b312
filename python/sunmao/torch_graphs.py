"""Graphs that PyTorch captures (torch.fx, of ATen ops, without effects) as programs of torch.export, which are read as
`.pt2` files are."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sunmao.errors import fail


class Passed(NamedTuple):
    """A result that is an argument."""

    argument: int


class Fixed(NamedTuple):
    """A result that is known: an integer, or None."""

    value: int | None


class Computed(NamedTuple):
    """A result of the program. `kind` is "tensor", "complex" (whose last dimension holds the parts) or "number"."""

    place: int
    kind: str


class Viewed(NamedTuple):
    """A result that shares its memory with an argument or with another result: what `views` returns at this place."""

    place: int


Result = Passed | Fixed | Computed | Viewed


class CapturedGraph(NamedTuple):
    """A graph as a program, and how it is called. `program` is None when nothing is computed. It takes the arguments
    `inputs`, of which those in `numbers` are integers, which it takes as tensors of rank 0; behind them the arguments
    `weights`, and tensors that the graph holds itself, `constants`. `views` is PyTorch's code for results that are
    views: it takes all arguments, and behind them the program's results at `viewed`."""

    program: Any
    inputs: list[int]
    numbers: set[int]
    weights: list[int]
    constants: list[Any]
    results: list[Result]
    views: Any
    viewed: list[Computed]


def _refuse(reason: str) -> Exception:
    return fail("E0713", f"the graph has {reason}")


def _value(node: Any) -> Any:
    return node.meta.get("val")


def _check_value(value: Any, place: str) -> None:
    torch: Any = importlib.import_module("torch")
    if isinstance(value, torch.Tensor):
        if value.device.type != "cpu":
            raise _refuse(f"{place} on `{value.device}`; programs run on the CPU")
        if value.layout is not torch.strided or value.is_quantized:
            raise _refuse(f"{place} that is no dense tensor")
    elif isinstance(value, list | tuple):
        for part in value:
            _check_value(part, place)


def _is_attention_without_dropout(node: Any) -> bool:
    if "_scaled_dot_product" not in str(node.target):
        return False
    names = [argument.name for argument in node.target._schema.arguments]
    given: dict[str, Any] = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    return bool(given.get("dropout_p", 0.0) == 0)


def _check_nodes(graph: Any) -> None:
    """Refuses values that no program has, and random ops: their numbers are those of PyTorch's generators."""
    torch: Any = importlib.import_module("torch")
    for node in graph.nodes:
        _check_value(_value(node), f"a value, `{node.name}`,")
        tags = getattr(node.target, "tags", ()) if node.op == "call_function" else ()
        if torch.Tag.nondeterministic_seeded in tags and not _is_attention_without_dropout(node):
            raise _refuse(f"random numbers (`{node.target}`), which PyTorch's generators draw")


def _tidy_origins(graph: Any) -> None:
    """Names classes of modules by texts, as programs of torch.export do."""
    for node in graph.nodes:
        node.meta.pop("source_fn_stack", None)
        stack = node.meta.get("nn_module_stack") or {}
        node.meta["nn_module_stack"] = {
            key: (path, kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}")
            for key, (path, kind) in stack.items()
        }


class _Views:
    """The results of a graph whose layout (sizes, strides and offset) is not what a program gives, which is row-major
    order: views of arguments and of other results, which the graph's own nodes make, since PyTorch makes the tensors
    that a caller gets from their layouts; and computed ones in another order. Callers see the first `seen` results; of
    the others, which a backward graph takes, the order does not matter."""

    def __init__(self, torch: Any, placeholders: Sequence[Any], results: Sequence[Any], seen: int | None) -> None:
        self._torch = torch
        self._placeholders = placeholders
        nodes = [r for r in dict.fromkeys(results) if isinstance(r, torch.fx.Node) and r.op == "call_function"]
        self._computed = [node for node in nodes if not self._is_view(node)]
        self._needed = {node: needed for node in nodes if self._is_view(node) and (needed := self._needed_for(node))}
        under_views = {node for needed in self._needed.values() for node in needed}
        seen_results = set(results[:seen])
        # What the program computes, and others are views of or lies in another order.
        self.sources = [
            node
            for node in nodes
            if node not in self._needed and (node in under_views or (node in seen_results and self._order(node)))
        ]
        self._made = [*self.sources, *self._needed]

    def place_of(self, result: Any) -> int | None:
        return self._made.index(result) if result in self._made else None

    def code(self, module: Any) -> Any:
        """Returns what computes the views of arguments and of computed results; None where there are none."""
        if not self._made:
            return None
        graph = self._torch.fx.Graph()
        copies = {node: graph.placeholder(f"argument_{i}") for i, node in enumerate(self._placeholders)}
        for i, node in enumerate(self.sources):
            copies[node] = self._laid_out(graph, graph.placeholder(f"result_{i}"), self._order(node))
        for needed in self._needed.values():
            for node in needed:
                if node not in copies:
                    copies[node] = graph.node_copy(node, copies.__getitem__)
        graph.output(tuple(copies[node] for node in self._made))
        return self._torch.fx.GraphModule(module, graph)

    def _is_view(self, node: Any) -> bool:
        """Whether a node is a view of what its first argument is; a part of one is, too."""
        if node.op != "call_function":
            return False
        if node.target is operator.getitem:
            return self._is_view(node.args[0])
        return bool(getattr(node.target, "is_view", False))

    def _needed_for(self, view: Any) -> list[Any]:
        """Returns the nodes that make a view, in order, from arguments and computed results; an empty list where others
        are needed."""
        needed: dict[Any, None] = {}

        def is_made(node: Any) -> bool:
            if node in needed or node in self._placeholders:
                return True
            is_source = node in self._computed and isinstance(_value(node), self._torch.Tensor)
            if not is_source and not (self._is_view(node) or isinstance(_value(node), self._torch.SymInt)):
                return False
            if not is_source and not all(is_made(argument) for argument in node.all_input_nodes):
                return False
            needed[node] = None
            return True

        return list(needed) if is_made(view) else []

    def _order(self, node: Any) -> list[int]:
        """Returns the axes of a dense tensor from the outermost to the innermost; an empty list for row-major order,
        and for a tensor that is not dense."""
        value = _value(node)
        if not isinstance(value, self._torch.Tensor):
            return []

        def hint(size: Any) -> int:
            return size if isinstance(size, int) else int(size.node.hint or 0)

        sizes, strides = [*map(hint, value.shape)], [*map(hint, value.stride())]
        order = sorted(range(len(sizes)), key=lambda axis: -strides[axis])
        step = 1
        for axis in reversed(order):
            if sizes[axis] != 1 and strides[axis] != step:
                return []
            step *= sizes[axis]
        return order if order != sorted(order) else []

    def _laid_out(self, graph: Any, tensor: Any, order: Sequence[int]) -> Any:
        """Brings a tensor in row-major order into another one."""
        if not order:
            return tensor
        aten = self._torch.ops.aten
        row_major = {"memory_format": self._torch.contiguous_format}
        turned = graph.call_function(aten.permute.default, (tensor, list(order)))
        laid = graph.call_function(aten.clone.default, (turned,), row_major)
        return graph.call_function(aten.permute.default, (laid, [order.index(axis) for axis in range(len(order))]))


class _Maker:
    def __init__(self, module: Any, weights: Collection[int], seen: int | None) -> None:
        self._torch: Any = importlib.import_module("torch")
        self._signature: Any = importlib.import_module("torch.export.graph_signature")
        self._module = module
        self._graph = self._torch.fx.Graph()
        self._graph.output(self._graph.graph_copy(module.graph, {}))
        self._placeholders = [node for node in self._graph.nodes if node.op == "placeholder"]
        self._weights = set(weights)
        self._seen = seen
        self._out = next(node for node in reversed(self._graph.nodes) if node.op == "output")
        self._constants: list[Any] = []

    def make(self) -> CapturedGraph:
        _check_nodes(self._graph)
        _tidy_origins(self._graph)
        views = _Views(self._torch, self._placeholders, self._out.args[0], self._seen)
        code = views.code(self._module)  # before nodes go
        results, outputs = self._take_results(views)
        self._graph.eliminate_dead_code()
        self._take_constants()
        numbers = self._take_numbers()
        used = [i for i, node in enumerate(self._placeholders) if node.users]
        for node in self._placeholders:
            if not node.users:
                self._graph.erase_node(node)
        weights = [i for i in used if i in self._weights]
        inputs = [i for i in used if i not in self._weights]
        self._put_weights_last(weights)
        program = self._program(outputs) if outputs else None
        viewed = [Computed(outputs.index(node), self._kind(node)) for node in views.sources]
        return CapturedGraph(program, inputs, numbers, weights, self._constants, results, code, viewed)

    def _put_weights_last(self, weights: Sequence[int]) -> None:
        body = next(node for node in self._graph.nodes if node.op != "placeholder")
        constants = [node for node in self._graph.nodes if node.op == "placeholder" and node not in self._placeholders]
        for node in [*(self._placeholders[i] for i in weights), *constants]:
            body.prepend(node)

    def _take_results(self, views: _Views) -> tuple[list[Result], list[Any]]:
        """Returns what each result is, and the nodes of those that are computed, which the graph then returns."""
        results: list[Result] = []
        outputs: list[Any] = list(views.sources)
        for result in self._out.args[0]:
            if result is None or isinstance(result, int):
                results.append(Fixed(result))
            elif not isinstance(result, self._torch.fx.Node):
                raise _refuse(f"a result that is a {type(result).__name__}")
            elif result in self._placeholders:
                results.append(Passed(self._placeholders.index(result)))
            elif (place := views.place_of(result)) is not None:
                results.append(Viewed(place))
            else:
                if result not in outputs:
                    outputs.append(result)
                results.append(Computed(outputs.index(result), self._kind(result)))
        self._out.args = (tuple(outputs),)
        return results, outputs

    def _kind(self, node: Any) -> str:
        value = _value(node)
        if isinstance(value, self._torch.Tensor):
            return "complex" if value.is_complex() else "tensor"
        if isinstance(value, self._torch.SymInt | int) and not isinstance(value, bool):
            return "number"
        raise _refuse(f"a result that is a {type(value).__name__}")

    def _take_constants(self) -> None:
        """Makes tensors of the graph placeholders."""
        first = next(iter(self._graph.nodes))
        for node in [n for n in self._graph.nodes if n.op == "get_attr"]:
            owner: Any = self._module
            for part in str(node.target).split("."):
                owner = getattr(owner, part)
            if not isinstance(owner, self._torch.Tensor):
                continue
            with self._graph.inserting_before(first):
                made = self._graph.placeholder(f"constant_{len(self._constants)}")
            made.meta = {**node.meta, "val": _value(node) if _value(node) is not None else owner}
            _check_value(owner, "a constant")
            node.replace_all_uses_with(made)
            self._graph.erase_node(node)
            self._constants.append(owner)

    def _take_numbers(self) -> set[int]:
        """Takes integer arguments from sizes of tensors where they are such sizes; makes the others tensors of rank 0,
        which the program reads. Returns these."""
        sizes: dict[Any, tuple[Any, int]] = {}
        for i, node in enumerate(self._placeholders):
            value = _value(node)
            if isinstance(value, self._torch.Tensor) and i not in self._weights:
                for axis, size in enumerate(value.shape):
                    if isinstance(size, self._torch.SymInt):
                        sizes.setdefault(size.node.expr, (node, axis))
        numbers: set[int] = set()
        aten = self._torch.ops.aten
        after = self._placeholders[-1] if self._placeholders else None
        for i, node in enumerate(self._placeholders):
            value = _value(node)
            if isinstance(value, self._torch.Tensor) or not node.users:
                continue
            if not isinstance(value, self._torch.SymInt):
                raise _refuse(f"an argument that is a {type(value).__name__}")
            of = sizes.get(value.node.expr)
            with self._graph.inserting_after(after):
                if of is not None:
                    made = self._graph.call_function(aten.sym_size.int, of)
                else:
                    made = self._graph.call_function(aten._local_scalar_dense.default, (node,))
            made.meta = {**node.meta, "val": value}
            node.replace_all_uses_with(made, delete_user_cb=lambda user, made=made: user is not made)
            if of is None:
                numbers.add(i)
                node.meta = {**node.meta, "val": self._rank_0()}
        return numbers

    def _rank_0(self) -> Any:
        mode = self._fake_mode()
        if mode is None:
            raise _refuse("a symbolic number and no tensor")
        with mode:
            return self._torch.empty((), dtype=self._torch.int64)

    def _fake_mode(self) -> Any:
        modes = (getattr(_value(node), "fake_mode", None) for node in self._graph.nodes)
        return next((mode for mode in modes if mode is not None), None)

    def _program(self, outputs: Sequence[Any]) -> Any:
        s, pytree = self._signature, importlib.import_module("torch.utils._pytree")
        programs: Any = importlib.import_module("torch.export.exported_program")
        taken = [node for node in self._graph.nodes if node.op == "placeholder"]
        arguments = [s.TensorArgument(name=node.name) for node in taken]
        returned = [self._argument(node) for node in outputs]
        signature = programs.ModuleCallSignature(
            inputs=arguments,
            outputs=returned,
            in_spec=pytree.tree_structure((tuple(range(len(taken))), {})),
            out_spec=pytree.tree_structure(tuple(range(len(outputs)))),
            forward_arg_names=[node.name for node in taken],
        )
        try:
            return programs.ExportedProgram(
                root=self._module,
                graph=self._graph,
                graph_signature=s.ExportGraphSignature(
                    [s.InputSpec(s.InputKind.USER_INPUT, argument, None) for argument in arguments],
                    [s.OutputSpec(s.OutputKind.USER_OUTPUT, argument, None) for argument in returned],
                ),
                state_dict={},
                range_constraints=self._ranges(),
                module_call_graph=[programs.ModuleCallEntry("", signature)],
            )
        except Exception as error:
            raise _refuse(f"what PyTorch writes into no program: {str(error).splitlines()[0]}") from error

    def _argument(self, node: Any) -> Any:
        is_number = self._kind(node) == "number"
        return (self._signature.SymIntArgument if is_number else self._signature.TensorArgument)(name=node.name)

    def _ranges(self) -> dict[Any, Any]:
        mode = self._fake_mode()
        known = getattr(getattr(mode, "shape_env", None), "var_to_range", {})
        used: set[Any] = set()
        for node in self._graph.nodes:
            value = _value(node)
            for size in value.shape if isinstance(value, self._torch.Tensor) else [value]:
                if isinstance(size, self._torch.SymInt):
                    used |= size.node.expr.free_symbols
        return {symbol: known[symbol] for symbol in sorted(used, key=str) if symbol in known}


def captured(module: Any, weights: Collection[int] = (), seen: int | None = None) -> CapturedGraph:
    """Returns a graph as a program. `weights` are the arguments that change seldom; `seen` is how many of the results
    callers see, all by default. Fails (E0713) for what no program has."""
    return _Maker(module, weights, seen).make()


def results_of(graph: CapturedGraph, args: Sequence[Any], computed: Sequence[Any]) -> list[Any]:
    """Returns the results of a call on `args`, for which the program computed torch tensors."""

    def value_of(result: Computed) -> Any:
        value = computed[result.place]
        if result.kind == "number":
            return int(value)
        return importlib.import_module("torch").view_as_complex(value) if result.kind == "complex" else value

    views = graph.views(*args, *map(value_of, graph.viewed)) if graph.views is not None else ()

    def result_of(result: Result) -> Any:
        if isinstance(result, Passed):
            return args[result.argument]
        if isinstance(result, Fixed):
            return result.value
        return views[result.place] if isinstance(result, Viewed) else value_of(result)

    return [result_of(result) for result in graph.results]
