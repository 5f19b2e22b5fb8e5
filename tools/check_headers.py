#!/usr/bin/env python3
"""Every header of src/ compiles alone, without exceptions and type information: check_headers.py SCRATCH [SOURCES]. Prints
problems only; exit code 1 on any.

Eigen is read once, into a precompiled header, and given to those headers alone that include it themselves: reading it again for
each of them would take minutes. Headers found good are not looked at again until a header changes.
"""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys

SOURCES = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent.parent / "src")
EIGEN = "#include <Eigen/Geometry>\n"
COMPILE = ["clang++", "-std=c++20", "-Wall", "-Wextra", "-fno-exceptions", "-fno-rtti",
           f"-I{SOURCES}", "-isystem", "/usr/include/eigen3", "-x", "c++"]


def includes_eigen(headers: dict[str, str]) -> set[str]:
    """The headers that reach Eigen by their own includes."""
    found: set[str] = set()
    while True:
        more = {name for name, text in headers.items() if name not in found and
                ("#include <Eigen/" in text or any(other in found for other in re.findall(r'#include "([^"]+)"', text)))}
        if not more:
            return found
        found |= more


def main() -> int:
    scratch = pathlib.Path(sys.argv[1])
    scratch.mkdir(parents=True, exist_ok=True)
    headers = {str(path.relative_to(SOURCES)): path.read_text() for path in sorted(SOURCES.rglob("*.hpp"))}
    digest = hashlib.sha256((repr(COMPILE) + repr(headers)).encode()).hexdigest()
    stamp = scratch / "headers.good"
    if stamp.exists() and stamp.read_text() == digest:
        return 0

    precompiled = scratch / "eigen.pch"
    with_eigen = includes_eigen(headers)
    if with_eigen:
        (scratch / "eigen.hpp").write_text(EIGEN)
        subprocess.run([*COMPILE[:-1], "c++-header", str(scratch / "eigen.hpp"), "-o", str(precompiled)], check=True)

    def problem(name: str) -> str:
        extra = ["-include-pch", str(precompiled)] if name in with_eigen else []
        result = subprocess.run([*COMPILE, *extra, "-fsyntax-only", "-"], input=f'#include "{name}"\n', capture_output=True, text=True)
        return f"{name} does not compile alone:\n{result.stderr}" if result.returncode or result.stderr else ""

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [text for text in pool.map(problem, headers) if text]
    for text in problems:
        print(text)
    if problems:
        return 1
    stamp.write_text(digest)
    return 0


if __name__ == "__main__":
    sys.exit(main())
