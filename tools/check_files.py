#!/usr/bin/env python3
"""Refuses files in the repository that match none of its rules: logs, dumps, build output, editor files. Prints problems only;
exit code 1 on any. Looks at what git tracks and at what it would add. A new kind of file gets a rule here.
"""
import pathlib
import re
import subprocess
import sys

# What may stand where: a folder (with everything below it) and the names in it, as regular expressions.
RULES = [
    ("", r"README\.md|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md|THIRD_PARTY\.md|CITATION\.cff|LICENSE|CMakeLists\.txt|CMakePresets\.json|pyproject\.toml|run|test"
         r"|\.gitignore|\.clang-format|\.clang-tidy"),
    (".ci/", r"run"),
    (".github/workflows/", r"ci\.yml"),
    ("apps/cli/", r".*\.(cpp|hpp)"),
    ("apps/studio/", r".*\.(ts|svelte|css|html|mjs|js|json|webmanifest|svg|md)|\.npmrc|\.gitignore"),
    ("bench/", r".*\.(cpp|hpp|py|md)"),
    ("bindings/", r".*\.(cpp|hpp|py|pyi|ts|js|mjs|md)|CMakeLists\.txt|py\.typed"),
    ("cmake/", r".*\.(cmake|in|map)"),
    ("bindings/wasm/", r"package\.json"),
    ("bindings/wasm/example/", r"index\.html"),
    ("cmake/", r".*\.(cmake|in)"),
    ("docs/", r".*\.(md|svg|png|jpg|json)"),
    ("examples/", r".*\.(cpp|hpp|py|ipynb|json|ts|mjs|md)|CMakeLists\.txt"),
    ("exercises/", r"\d\d_\w+\.json"),
    ("models/", r".*\.json"),
    ("src/", r".*\.(cpp|hpp|inl)"),
    ("tests/", r".*\.(cpp|hpp|py|sh|js|mjs|cmake|json|csv|urdf|bvh|xml|gltf|patch|diff|md)|CMakeLists\.txt"),
    ("tests/fuzz/corpus/", r"[\w.+-]+"),
    ("tests/mutations/", r"\w+\.txt"),
    ("tools/", r".*\.(py|sh|md)"),
]
# Nowhere, whatever the folder allows: what tools leave behind.
NEVER = re.compile(r"(^|/)(core|core\.\d+|a\.out|nohup\.out|.*-v8\.log|.*\.(log|orig|rej|bak|tmp|swp|o|a|so|pyc)|.*~)$")


def allowed(name: str) -> bool:
    if NEVER.search(name):
        return False
    folder, _, base = name.rpartition("/")
    for rule, names in RULES:
        inside = folder == "" if rule == "" else (folder + "/").startswith(rule)
        if inside and re.fullmatch(names, base):
            return True
    return False


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True)
    if listed.returncode != 0:
        print(f"git cannot list the files of {root}: {listed.stderr.strip()}")
        return 1
    strays = [name for name in listed.stdout.split("\0") if name and (root / name).exists() and not allowed(name)]
    for name in strays:
        print(f"{name}: matches no rule of the repository; remove it, or give its kind a rule in tools/check_files.py")
    return 1 if strays else 0


if __name__ == "__main__":
    sys.exit(main())
