#!/usr/bin/env python3
"""Writes the notices of what is compiled into the WebAssembly module: tools/third_party.py BUILD_FOLDER OUT.json

Asks ninja which headers the module's objects really read, finds the Debian package that each came with, and takes that package's
copyright file. The runtime of emscripten (its C and C++ library) is part of every module. Fails when a header's origin is unknown:
what is bundled without its notice must not be bundled.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

DOCS = pathlib.Path("/usr/share/doc")


def headers(build: pathlib.Path):
    """Headers outside the project, the compiler and its libraries, without links on the way."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    project = pathlib.Path(__file__).resolve().parent.parent
    seen, wanted = set(), False
    for line in listed.splitlines():
        if line and not line.startswith(" "):
            wanted = "armature_tests" not in line
        elif line.strip() and wanted:
            seen.add(line.strip())
    for name in seen:
        path = pathlib.Path(os.path.realpath(build / name))
        inside = [project, pathlib.Path("/usr/lib"), pathlib.Path("/usr/share/emscripten")]
        if "emscripten" not in path.as_posix() and not any(path.is_relative_to(folder) for folder in inside):
            yield path


def package_of(folders):
    found = subprocess.run(["dpkg-query", "-S", *map(str, sorted(folders))], capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit(f"third_party.py: no package has {found.stderr.strip()}")
    return sorted({name.split(":")[0] for line in found.stdout.splitlines() for name in line.split(": ")[0].split(", ")})


def main() -> int:
    build, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    files = set(headers(build))
    if not files:
        sys.exit("third_party.py: ninja knows of no headers; build the module first")
    notices = []
    if shutil.which("dpkg-query") is None:
        print("third_party.py: without Debian's package list only the names of what is compiled in are written", file=sys.stderr)
        names = sorted({part for path in files for part in path.parts if part in ("eigen3", "nlohmann", "rapidxml")})
        out.write_text(json.dumps([{"name": n, "version": "", "text": "See the project's own pages."} for n in names + ["emscripten"]]))
        return 0
    for package in package_of(files) + ["emscripten"]:
        version = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True, check=True).stdout
        text = (DOCS / package / "copyright").read_text(encoding="utf-8", errors="replace")
        notices.append({"name": package, "version": version, "text": text})
    out.write_text(json.dumps(notices), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
