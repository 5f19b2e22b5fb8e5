#!/usr/bin/env python3
"""Checks that files that are compiled together keep their names apart. Prints problems only; exit code 1 on any.

cmake/flags.cmake compiles several files at once, in the preset release 40 to 80: a name that two of them give to something of their own,
in a namespace without a name, stops that build. It is found here by the look of the lines, in no time; the compiler finds the rest.
"""
import collections
import hashlib
import pathlib
import re
import sys

FILES = 80  # ARMATURE_UNITY_FILES of the preset release, for the core
OTHERS = 40  # cmake/flags.cmake
LAYERS = {"armature": ("base", "geom", "model", "kinematics", "motion", "solve")}
LAYERS.update({f"armature_{name}": (name,) for name in ("formats", "scene", "draw", "parallel")})
OWN = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.M | re.S)
CONSTANT = re.compile(r"^(?:inline )?const(?:expr|init)?\s+[\w:<>,*& ]+?[ *&]+(\w+)(?:\[.*?\])?\s*[={]", re.M)
TYPE = re.compile(r"^(?:struct|class|enum class|enum|union)\s+(\w+)\b[^;\n]*\{|^using (\w+) =", re.M)
FUNCTION = re.compile(r"^[A-Za-z_][\w:<>,&* ]*?[ *&](\w+)\(([^;{]*)\)(?: const)?(?: noexcept)? \{", re.M)


def names_of(text: str):
    own = "\n".join(OWN.findall(text))
    yield from CONSTANT.findall(own)
    yield from (a or b for a, b in TYPE.findall(own))
    for name, parameters in FUNCTION.findall(own):
        types = [re.sub(r"\s+\w+$", "", p.split("=")[0].strip()) for p in parameters.split(",")]
        yield f"{name}({', '.join(types)})"


def group_of(path: pathlib.Path, groups: int) -> int:
    return int(hashlib.md5(path.name.encode()).hexdigest()[:2], 16) % groups


def problems_in(sources: list, most: int):
    count, groups = len(sources), 1
    while count > most:
        count, groups = count // 2, 2 * groups
    seen = collections.defaultdict(list)
    for path in sources:
        if not re.search(r"_(baseline|avx2|avx512)$", path.stem):
            for name in set(names_of(path.read_text(encoding="utf-8"))):
                seen[group_of(path, groups), name].append(path)
    for (_, name), paths in sorted(seen.items(), key=str):
        if len(paths) > 1:
            yield f"{name} is in {' and in '.join(map(str, paths))}, which are compiled together: share it, or rename one"


def main() -> int:
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    sets = {target: [p for layer in layers for p in sorted((root / "src/armature" / layer).rglob("*.cpp"))]
            for target, layers in LAYERS.items()}
    sets["armature_cli"] = sorted((root / "apps/cli").rglob("*.cpp"))
    found = [problem for target, sources in sets.items()
             for problem in problems_in(sources, FILES if target == "armature" else OTHERS)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
