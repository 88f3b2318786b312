"""The wheel for all versions of Python from 3.12 on, in a Debian 13 that has Python and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from empty_machine import first_steps, only, run


def mirror() -> str:
    """Returns where this machine gets its Debian packages from."""
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", f"Codename: {release.get('VERSION_CODENAME')}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[0]


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if os.geteuid() != 0:
        pytest.skip("debootstrap and chroot, which make a Debian 13 to try the wheel in, need root")
    folder = tmp_path_factory.mktemp("debian")
    run(folder, "debootstrap", "--variant=minbase", "--include=python3-venv", "trixie", folder, mirror())
    return folder


def test_first_steps_on_debian_13(debian: Path, dist: Path) -> None:
    wheels = debian / "wheels"
    only_binary = ["--only-binary=:all:", "--python-version=3.13", "--implementation=cp"]
    run(wheels.parent, sys.executable, "-m", "pip", "download", "--quiet", *only_binary, "--dest=wheels", "numpy>=1.26")
    abi3 = only(dist, "*-abi3-*.whl")
    (wheels / abi3.name).write_bytes(abi3.read_bytes())
    program = first_steps(debian / "root")
    run(debian, "chroot", ".", "python3", "-m", "venv", "/env")
    run(debian, "chroot", ".", "/env/bin/pip", "install", "--quiet", "--no-index", "--find-links=/wheels", "sunmao")
    out = run(debian, "chroot", ".", "sh", "-c", 'cd /root && exec /env/bin/python -c "$0"', program)
    assert out.startswith("(8, 3) /env/lib/python3.13/")
    compiled = (
        "cd /root && /env/bin/sunmao compile tests/models/mlp.onnx -o mlp.sunmao && /env/bin/sunmao run mlp.sunmao"
    )
    assert "float32 (1, 3)" in run(debian, "chroot", ".", "sh", "-c", compiled)
