"""Mutator: replaces parts of a module by others."""

from __future__ import annotations

from typing import Any

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn.containers import ModuleDict, ModuleList, ParameterDict, ParameterList
from sunmao.compat.relax.frontend.nn.effect import Effect
from sunmao.compat.relax.frontend.nn.module import Module
from sunmao.compat.relax.frontend.nn.parameter import Parameter
from sunmao.compat.relax.frontend.nn.tree import parts_of


class Mutator:
    """Visits the parts of a module, each under its dotted name; what a method returns takes the place of the part.
    Derived classes define methods for the kinds that they replace; `visit` goes on with the parts inside."""

    def visit_module(self, name: str, node: Module) -> Any:
        return self.visit(name, node)

    def visit_effect(self, name: str, node: Effect) -> Any:
        return self.visit(name, node)

    def visit_param(self, name: str, node: Parameter) -> Any:
        return self.visit(name, node)

    def visit_moduledict(self, name: str, node: ModuleDict) -> Any:
        return self.visit(name, node)

    def visit_modulelist(self, name: str, node: ModuleList) -> Any:
        return self.visit(name, node)

    def visit_parameterdict(self, name: str, node: ParameterDict) -> Any:
        return self.visit(name, node)

    def visit_parameterlist(self, name: str, node: ParameterList) -> Any:
        return self.visit(name, node)

    def visit(self, name: str, node: Any) -> Any:
        """Visits what a module holds, and returns the module."""
        for key, part in parts_of(node):
            visit = self._visitor_of(part)
            if visit is not None:
                _put(node, key, visit(f"{name}.{key}" if name else key, part))
        return node

    def _visitor_of(self, part: Any) -> Any:
        kinds = (
            (ParameterDict, self.visit_parameterdict),
            (ParameterList, self.visit_parameterlist),
            (ModuleDict, self.visit_moduledict),
            (ModuleList, self.visit_modulelist),
            (Module, self.visit_module),
            (Effect, self.visit_effect),
            (Parameter, self.visit_param),
        )
        return next((visit for kind, visit in kinds if isinstance(part, kind)), None)


def _put(node: Any, key: str, part: Any) -> None:
    if isinstance(node, ModuleList | ParameterList):
        node[int(key)] = part
    elif isinstance(node, ModuleDict | ParameterDict):
        node[key] = part
    else:
        setattr(node, key, part)


__getattr__ = attribute_of(__name__)
