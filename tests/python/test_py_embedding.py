"""Where the files for C and C++ are. Tests of packages ask an installed package; this one runs from its sources."""

import pytest
import sunmao


@pytest.mark.parametrize("name", ["get_cmake_dir", "get_include", "get_pkgconfig_dir"])
def test_the_sources_have_no_built_runtime(name: str) -> None:
    with pytest.raises(sunmao.Error, match="E0040.*the package runs from its sources"):
        getattr(sunmao, name)()
