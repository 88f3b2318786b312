"""Module: a part of a model, with weights, effects and further modules as attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn.effect import Effect
from sunmao.compat.relax.frontend.nn.parameter import Parameter
from sunmao.compat.relax.frontend.nn.subroutine import SubroutineMixin
from sunmao.compat.relax.frontend.nn.tree import named_members
from sunmao.errors import Error, fail

if TYPE_CHECKING:
    from sunmao.compat.ir.module import IRModule
    from sunmao.compat.relax.frontend.nn.extern import ExternModule


class Module(SubroutineMixin):
    """A part of a model: `forward`, or any other method that a spec names, says what it computes. Modules, parameters
    and effects are attributes, or stand in the containers `ModuleList`, `ModuleDict` and so on."""

    def _parts(self) -> Iterable[tuple[Any, Any]]:
        return vars(self).items()

    @checked
    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Parameter]]:
        """Yields the parameters of the module and those inside it, by name."""
        yield from named_members(self, prefix, Parameter)

    def parameters(self) -> Iterator[Parameter]:
        for _, parameter in self.named_parameters():
            yield parameter

    @checked
    def state_dict(self, *, prefix: str = "", destination: dict[str, Parameter] | None = None) -> dict[str, Parameter]:
        """Returns the parameters by name, added to `destination` where that is given."""
        found: dict[str, Parameter] = {} if destination is None else destination
        found.update(self.named_parameters(prefix))
        return found

    @checked
    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> tuple[list[str], list[str]]:
        """Sets the data of parameters from parameters or arrays by name. Returns names that are missing and names that
        are not known; with `strict` there must be none (E0522)."""
        own = self.state_dict()
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        if strict and (missing or unexpected):
            raise fail("E0522", "the names are not those of the parameters: "
                       f"missing are {_names(missing)}, unknown are {_names(unexpected)}",
                       "`strict=False` loads those that are known")  # fmt: skip
        for name, value in state_dict.items():
            data = value.data if isinstance(value, Parameter) else value
            if data is None:
                raise fail("E0520", f"the parameter `{name}` that is loaded has no data")
            if name in own:
                _set_data(name, own[name], data)
        return missing, unexpected

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        forward = getattr(self, "forward", None)
        if forward is None:
            raise fail("E0034", f"the module {type(self).__name__} has no `forward`", "define it, or call a method")
        return forward(*args, **kwargs)

    @checked
    def to(self, dtype: str | None = None) -> None:
        """Changes the dtype of the parameters and effects, which must have no data."""
        for _, part in self._parts():
            if isinstance(part, Module | Parameter | Effect):
                part.to(dtype=dtype)
        if dtype is not None and isinstance(getattr(self, "dtype", None), str):
            self.dtype = dtype

    @checked
    def export_tvm(
        self, spec: Any, debug: bool = False, allow_extern: bool = False
    ) -> tuple[IRModule, list[tuple[str, Parameter]]] | tuple[IRModule, list[Any], list[ExternModule]]:
        """Returns a module with a function for each method of the spec, and the parameters by name, in the order in
        which the functions take them. With `debug` methods may print and call `nn.op.debug_func`. With `allow_extern`
        the external modules that methods have added follow; without it there may be none."""
        from sunmao.compat.relax.frontend.nn.exporter import Exporter
        from sunmao.compat.relax.frontend.nn.spec import ModuleSpec

        module, params, extern = Exporter(debug=debug).build(ModuleSpec.from_raw(spec, self))
        if allow_extern:
            return module, params, extern
        if extern:
            raise fail("E0034", "the module uses external modules", "say `allow_extern=True`, which returns them too")
        return module, params

    @checked
    def jit(
        self,
        spec: Any,
        device: Any = "cpu",
        pipeline: Any = "default_build",
        out_format: str = "torch",
        debug: bool = False,
    ) -> Any:
        """Compiles the methods of the spec; `jit(spec)["forward"](x)` takes and gives torch tensors. All parameters
        have data. The pipeline is run before the compiler; "default_build" and None mean the compiler alone."""
        from sunmao.compat.relax.frontend.nn.torch import TorchModule, compiled

        if out_format != "torch":
            raise fail("E0032", f"jit: `out_format={out_format!r}` is not supported", 'there is "torch"')
        return TorchModule(*compiled(self, spec, device, pipeline, debug))


def _set_data(name: str, parameter: Parameter, data: Any) -> None:
    try:
        parameter.data = data
    except Error as error:
        raise fail(error.code, f"`{name}`: {error.message}", error.help) from error


def _names(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown or "none"


__getattr__ = attribute_of(__name__)
