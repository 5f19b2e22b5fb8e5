#!/usr/bin/env python3
"""What npm has installed is what the lock file says: check_npm_lock.py FOLDER. Prints problems only; exit code 1 on any.

`npm ci` promises this itself, but some registries and npm versions make it refuse a lock file without the packages of other systems.
`npm install` takes the lock file's versions, and checks their hashes, only as far as it finds them there; here is looked at the rest.
"""
import json
import pathlib
import sys


def problems_of(lock: dict, installed: dict):
    locked = lock["packages"]
    for name, package in installed["packages"].items():
        if name not in locked:
            yield f"{name} {package.get('version')} is installed, but not in the lock file"
        elif (package.get("version"), package.get("integrity")) != (locked[name].get("version"), locked[name].get("integrity")):
            yield f"{name}: {package.get('version')} is installed, the lock file has {locked[name].get('version')}, or another hash"
        elif not package.get("integrity"):
            yield f"{name} has no hash in the lock file"
    for name, package in locked.items():
        if name and name not in installed["packages"] and not package.get("optional"):
            yield f"{name} {package.get('version')} is in the lock file, but not installed"


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    found = list(problems_of(json.loads((folder / "package-lock.json").read_text()),
                             json.loads((folder / "node_modules/.package-lock.json").read_text())))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
