#!/usr/bin/env python3
"""Checks that the rooms of src/armature keep their order. Prints problems only; exit code 1 on any.

Each layer sees itself and the layers before it; formats does not see solve, scene sees these, parallel and draw see scene, and scene alone opens files. base does not see Eigen. Eigen's decompositions
cost seconds per unit to compile, so nothing includes them. A source includes its own header first, which
proves that the header stands alone. The core does not include what prints, opens files or starts threads. What
decides answers takes its sines and logarithms from base/math.hpp: those of the system differ in their last bits.
"""
import pathlib
import re
import sys

ORDER = ["base", "geom", "model", "kinematics", "motion", "solve"]
SEES = {layer: set(ORDER[: i + 1]) for i, layer in enumerate(ORDER)}
SEES["formats"] = set(ORDER) - {"solve"} | {"formats"}
SEES["scene"] = set(ORDER) | {"formats", "scene"}
SEES["parallel"] = SEES["scene"] | {"parallel"}
SEES["mpi"] = SEES["parallel"] | {"mpi"}
SEES["fbx"] = SEES["formats"] | {"fbx"}
SEES["draw"] = SEES["scene"] | {"draw"}

# What takes one along unasked: FromTwoVectors a singular value decomposition.
DECOMPOSES = re.compile(r"\b(\w*FromTwoVectors|jacobiSvd|bdcSvd|householderQr|colPivHouseholderQr|fullPivHouseholderQr|partialPivLu|fullPivLu|umeyama)\(")
DECOMPOSITIONS = {"Eigen/" + name for name in ("Dense", "Eigen", "SVD", "Cholesky", "LU", "QR", "Eigenvalues", "Sparse")}
NOT_IN_CORE = {"iostream", "ostream", "fstream", "istream", "sstream", "filesystem", "thread", "mutex", "future",
               "regex", "stdexcept", "typeinfo", "random", "nlohmann/json.hpp", "fmt/format.h"}
# What callers' value() throws, and where it does; nothing in the core calls it.
FOR_CALLERS = {"base/result.hpp", "base/throw_error.cpp"}

OPENS_FILES = {"fstream", "filesystem", "fcntl.h", "sys/stat.h"}

# Functions that the system's library may round as it likes, under any spelling, and Eigen's that call them.
NAMES = "sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|tgamma|lgamma|erf"
ROUNDED = re.compile(rf"\bstd::({NAMES})[fl]?\b|\b__builtin_({NAMES})[fl]?\(|(?<![\w.:>\"])(?:::)?({NAMES})[fl]?\("
                     r"|\b(AngleAxis\w*|angularDistance|eulerAngles)\b|\.(slerp)\(")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
DECIDES = set(ORDER) | {"formats", "scene"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def problems_of_public(path: pathlib.Path, source: pathlib.Path):
    """Whatever a public header reaches is the standard library, Eigen core, or ours."""
    todo, seen = [path], {path}
    while todo:
        header = todo.pop()
        for bracket, name in INCLUDE.findall(COMMENT.sub("", header.read_text(encoding="utf-8"))):
            if name.startswith("armature/"):
                reached = source / name[len("armature/"):]
                if not reached.exists():
                    yield f"reaches {name}, which does not exist"
                elif reached not in seen:
                    seen.add(reached)
                    todo.append(reached)
            elif name not in ("Eigen/Core", "Eigen/Geometry") and ("/" in name or "." in name):
                yield f"reaches {name} by {header.relative_to(source)}; public headers take the standard library and Eigen core"


def system_functions(relative: str, text: str):
    """Calls of functions that are not the same bits everywhere. Kernels (.inl) may have an atan2 of their own for vectors."""
    if relative.split("/")[0] not in DECIDES or relative.startswith("base/math."):
        return
    text = STRING.sub('""', text)
    for match in ROUNDED.finditer(text):
        name = next(group for group in match.groups() if group)
        if relative.endswith(".inl") and match.group(3) == "atan2":
            continue
        line = text.count("\n", 0, match.start()) + 1
        yield f"line {line}: {name} is not the same bits on every system; base/math.hpp and geom/rotation.hpp are"


def problems_of(path: pathlib.Path, source: pathlib.Path):
    relative = path.relative_to(source).as_posix()
    layer = relative.split("/")[0]
    if "/" not in relative:  # a public header: it gathers headers of layers, and holds nothing of its own
        yield from problems_of_public(path, source)
        return
    if layer not in SEES:
        yield f"{layer}/ is not a layer; the layers are {', '.join(SEES)}"
        return
    text = COMMENT.sub(lambda m: "\n" * m.group().count("\n"), path.read_text(encoding="utf-8"))
    yield from system_functions(relative, text)
    for match in DECOMPOSES.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield f"line {line}: {match.group(1)} compiles a decomposition of Eigen; geom/shortest_turn.hpp, geom/linalg.hpp and geom/svd.hpp do without"
    if path.suffix == ".inl":
        return
    includes = INCLUDE.findall(text)
    own = "armature/" + relative[:-3] + "hpp"
    if path.suffix == ".cpp" and path.with_suffix(".hpp").exists() and (not includes or includes[0][1] != own):
        yield f'includes its own header not first; begin with #include "{own}"'
    if path.suffix == ".hpp" and "#pragma once" not in text:
        yield "lacks #pragma once"
    for bracket, name in includes:
        if name.startswith("armature/"):
            seen = name.split("/")[1]
            if seen not in SEES[layer]:
                yield f"includes {name}, but {layer} sees only {', '.join(l for l in SEES if l in SEES[layer])}"
            elif not (source / name[len("armature/"):]).exists():
                yield f"includes {name}, which does not exist"
        elif bracket == '"':
            yield f'includes "{name}"; project headers are named from src, as "armature/{layer}/{name}"'
        elif name.startswith("Eigen") or name.startswith("unsupported/Eigen"):
            if layer == "base":
                yield f"includes {name}, but base does without Eigen"
            if name in DECOMPOSITIONS:
                yield f"includes {name}; small systems are solved by geom/linalg.hpp and geom/svd.hpp"
        elif layer in ORDER and name in NOT_IN_CORE and relative not in FOR_CALLERS:
            yield f"includes <{name}>; the core does not throw, print, open files or start threads"
        elif layer != "scene" and name in OPENS_FILES:
            yield f"includes <{name}>; only scene opens files"


def main() -> int:
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "src/armature").resolve()
    found = 0
    for path in sorted(source.rglob("*")):
        if path.suffix not in (".hpp", ".cpp", ".inl"):
            continue
        for problem in problems_of(path, source):
            print(f"{path.relative_to(source.parent.parent)}: {problem}")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
