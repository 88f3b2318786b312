"""Every case of torch_cases/ gives what PyTorch gives."""

from __future__ import annotations

import pytest
import torch_case
from case_tables import parameters


@pytest.mark.parametrize(("key", "index", "case"), parameters("torch_cases"))
def test_torch_case(key: str, index: int, case: torch_case.Case) -> None:
    torch_case.run(key, case, str(index))
