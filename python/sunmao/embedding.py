"""Where an installed package keeps what C and C++ programs need to embed the runtime."""

from pathlib import Path

from sunmao.errors import fail

_PACKAGE = Path(__file__).parent


def get_include() -> str:
    """Returns the folder of the headers: `sunmao/sunmao.hpp` for C++, `sunmao/runtime.h` for C."""
    return _installed("include")


def get_cmake_dir() -> str:
    """Returns the folder of the CMake package, for `cmake -DSunmao_DIR=...`."""
    return _installed("lib/cmake/Sunmao")


def get_pkgconfig_dir() -> str:
    """Returns the folder of `sunmao.pc`, for `PKG_CONFIG_PATH`."""
    return _installed("lib/pkgconfig")


def _installed(name: str) -> str:
    folder = _PACKAGE / name
    if not folder.is_dir():
        problem = f"`{folder}` does not exist: the package runs from its sources, which hold no built runtime"
        raise fail("E0040", problem, "install it by `pip install .`, or take what `make install` installs")
    return str(folder)
