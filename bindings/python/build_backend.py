"""Builds a wheel of the package with CMake: the hooks that pip calls (PEP 517), without anything but Python's own library.

Needs what tools/setup.sh installs for `run` and `python`: a C++ compiler, CMake, Ninja, Eigen, the header-only parsers, pybind11.
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bindings/python/armature"


def version():
    return re.search(r"project\(armature VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def metadata():
    return (f"Metadata-Version: 2.1\nName: armature\nVersion: {version()}\n"
            "Summary: Kinematic linkages: describe anything jointed, pose it, and make it reach\n"
            "License: BSD-3-Clause\nRequires-Python: >=3.9\nRequires-Dist: numpy\n"
            "Description-Content-Type: text/markdown\n\n" + (ROOT / "docs/python.md").read_text(encoding="utf-8"))


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def compiled():
    """The module, built in a directory of its own for each Python."""
    build = ROOT / "build" / f"wheel-{sys.implementation.cache_tag}"
    settings = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_CXX_FLAGS_RELEASE": "-O3 -DNDEBUG", "ARMATURE_PYTHON": "ON", "ARMATURE_WHEEL": "ON",
                "ARMATURE_CLI": "OFF", "ARMATURE_TESTS": "OFF", "ARMATURE_EXAMPLES": "OFF", "Python_EXECUTABLE": sys.executable}
    jobs = os.environ.get("ARMATURE_JOBS", str(os.cpu_count() or 2))
    configure = ["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", *(f"-D{key}={value}" for key, value in settings.items())]
    try:
        subprocess.run(configure, check=True)
        subprocess.run(["cmake", "--build", str(build), "-j", jobs, "--target", "armature_python"], check=True)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise SystemExit(f"Building the module failed ({problem}). What it needs is installed by: tools/setup.sh run python") from problem
    return next((build / "python/armature").glob("_core*.so"))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"armature-{version()}"
    files = {f"armature/{path.name}": path.read_bytes() for path in sorted(PACKAGE.iterdir()) if path.suffix in (".py", ".pyi", ".typed")}
    studio = ROOT / "build/studio/armature_studio.html"  # what views show, where `./run studio` has built it
    if studio.is_file():
        files[f"armature/{studio.name}"] = studio.read_bytes()
    module = compiled()
    files[f"armature/{module.name}"] = module.read_bytes()
    info = f"{name}.dist-info"
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: armature\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()
    for text in ("LICENSE", "THIRD_PARTY.md"):
        files[f"{info}/{text}"] = (ROOT / text).read_bytes()
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{name}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)  # the same bytes from the same sources: no clock
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    name = f"armature-{version()}"
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in filter(None, listed.split("\0")):
            archive.add(ROOT / path, f"{name}/{path}", recursive=False)
    return f"{name}.tar.gz"
