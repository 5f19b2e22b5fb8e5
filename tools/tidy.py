#!/usr/bin/env python3
"""Runs clang-tidy over the library and the command line: tidy.py BUILD_DIR [--seconds N] [FILE...]. Exit code 1 on any finding.

A file is looked at again only when it, a project header it includes, or .clang-tidy changed; what was clean is remembered in
build/tidy-clean. With --seconds it stops starting files after that time and says how many are left: files of the latest commits come
first, then a different stretch of the others for each commit. BUILD_DIR holds a compile_commands.json of clang, one entry a file.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
FOLDERS = ("src/armature", "apps/cli")


def project_files(path: pathlib.Path, seen: dict):
    """The file and every project header it includes, with their texts."""
    if path in seen:
        return seen
    seen[path] = path.read_bytes()
    for name in INCLUDE.findall(seen[path].decode("utf-8", "replace")):
        for folder in (path.parent, ROOT / "src", ROOT / "apps/cli"):
            if (folder / name).exists():
                project_files((folder / name).resolve(), seen)
                break
    return seen


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True).stdout.split()


def ordered(files):
    recent = {name: i for i, name in reversed(list(enumerate(git("log", "-n", "15", "--name-only", "--format="))))}
    first = sorted((f for f in files if os.path.relpath(f, ROOT) in recent), key=lambda f: recent[os.path.relpath(f, ROOT)])
    rest = [f for f in files if f not in set(first)]
    turn = int("".join(git("rev-parse", "HEAD")) or "0", 16) % max(len(rest), 1)
    return first + rest[turn:] + rest[:turn]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("files", nargs="*")
    wish = parser.parse_args()
    build = wish.build.resolve()
    entries = {e["file"]: e for e in json.loads((build / "compile_commands.json").read_text())}
    wanted = [str(pathlib.Path(f).resolve()) for f in wish.files] or ordered(
        [f for f in sorted(entries) if any(f.startswith(str(ROOT / folder) + "/") for folder in FOLDERS)])
    start = time.monotonic()
    memory = ROOT / "build/tidy-clean"
    memory.mkdir(parents=True, exist_ok=True)
    rules = (ROOT / ".clang-tidy").read_bytes()

    def check(name: str):
        digest = hashlib.sha256(rules)
        for path, text in sorted(project_files(pathlib.Path(name), {}).items()):
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + text)
        mark = memory / digest.hexdigest()
        if mark.exists():
            return 0, ""
        if time.monotonic() - start > wish.seconds:
            return 0, None
        done = subprocess.run(["clang-tidy", "--quiet", "-p", str(build), name], capture_output=True, text=True)
        if done.returncode == 0:
            mark.touch()
            return 1, ""
        return 1, done.stdout or done.stderr

    jobs = int(os.environ.get("ARMATURE_JOBS", os.cpu_count() or 2))
    bad = ran = left = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for fresh, output in pool.map(check, wanted):
            ran += fresh
            left += output is None
            if output:
                bad += 1
                print(output)
    print(f"{len(wanted)} files, {ran} looked at anew, {bad} with findings, {left} left for want of time")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
