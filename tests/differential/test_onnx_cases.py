"""Every case of onnx_cases/ gives what its reference gives."""

from __future__ import annotations

import onnx_case
import pytest
from case_tables import parameters


@pytest.mark.parametrize(("key", "index", "case"), parameters("onnx_cases"))
def test_onnx_case(key: str, index: int, case: onnx_case.Case) -> None:
    onnx_case.run(key, case, str(index))
