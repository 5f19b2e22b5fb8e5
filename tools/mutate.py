#!/usr/bin/env python3
"""Mutation testing: small faults are put into the source, one at a time, and the tests must notice each.

    tools/mutate.py --check          every mutation of tests/mutations/*.txt still fits its file, in exactly one place
    tools/mutate.py --sample 4       builds and runs that many, chosen by the commit
    tools/mutate.py --all            builds and runs them all
    tools/mutate.py WORD...          those whose name has one of the words

The tree itself is never touched. The changed file is compiled on its own into build/mutants and linked in front of the library that
build/dev holds already, whose copy of the same functions is then not used; so a mutant takes seconds. A mutation is caught when the
tests that it names fail, crash or do not end. The programs are those of build/dev: ./test builds them first.

A mutation, in tests/mutations: fields of one line each, an empty line after it.

    name: the floor is not lifted
    file: src/armature/motion/retarget.cpp
    from: text that occurs once in the file ("\\n" is a new line)
    to: what stands there instead
    tests: retarget_test     words of test files: of tests/cli, or of the doctest program (*WORD*)
    recompile: solve/methods/reach_kernel_baseline.cpp ...    only for headers and .inl files: the sources that include it
"""
import argparse
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
DEV = ROOT / "build/dev"
OUT = ROOT / "build/mutants"
FIELDS = {"name", "file", "from", "to", "tests", "recompile"}
SECONDS = 300  # a mutant that does not end is caught too
TARGETS = {"/formats/": "armature_formats", "/scene/": "armature_scene", "apps/": "armature_cli"}  # else the core


class Broken(Exception):
    """A mutation that does not fit, or cannot be built."""


def read_mutations(folder=ROOT / "tests/mutations"):
    mutations = []
    for path in sorted(folder.glob("*.txt")):
        for number, block in enumerate(re.split(r"\n\s*\n", path.read_text())):
            lines = [line for line in block.splitlines() if line.strip() and not line.startswith("#")]
            if not lines:
                continue
            fields = {}
            for line in lines:
                key, separator, value = line.partition(": ")
                if key not in FIELDS or key in fields or (not separator and key != "to:"):
                    raise Broken(f"{path.name}, block {number + 1}: cannot read the line '{line}'")
                fields[key] = value
            missing = FIELDS - {"recompile"} - set(fields)
            if missing:
                raise Broken(f"{path.name}, block {number + 1}: {', '.join(sorted(missing))} missing")
            mutations.append(fields)
    names = [mutation["name"] for mutation in mutations]
    if len(set(names)) != len(names):
        raise Broken("two mutations have one name: " + ", ".join(sorted(n for n in set(names) if names.count(n) > 1)))
    return mutations


def mutated_text(mutation, root=ROOT):
    path = root / mutation["file"]
    if not path.exists():
        raise Broken(f"'{mutation['name']}': there is no {mutation['file']}")
    text = path.read_text()
    wanted, instead = (mutation[key].replace("\\n", "\n") for key in ("from", "to"))
    count = text.count(wanted)
    if count != 1:
        raise Broken(f"'{mutation['name']}': its text occurs {count} times in {mutation['file']}")
    changed = text.replace(wanted, instead)
    if changed == text:
        raise Broken(f"'{mutation['name']}' changes nothing")
    return changed


def test_files(mutation, root=ROOT):
    """(words of the doctest program, files of tests/cli)"""
    words, scripts = [], []
    for word in mutation["tests"].split():
        found = sorted(root.glob(f"tests/cli/*{word}*"))
        scripts += found
        if not found:
            if not [p for p in root.glob("tests/*/**/*_test.cpp") if word in str(p.relative_to(root))]:
                raise Broken(f"'{mutation['name']}': no test file has the word {word}")
            words.append(word)
    return words, scripts


def commands_of(target):
    done = subprocess.run(["ninja", "-C", DEV, "-t", "commands", target], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def compile_command(target, source, output):
    """The command that compiles any file of the target, for another file."""
    for line in commands_of(target):
        if f"CMakeFiles/{target}.dir/" not in line or " -c " not in line:
            continue
        words = shlex.split(line)
        words[words.index("-c") + 1] = str(source)
        words[words.index("-o") + 1] = str(output)
        words = ["-O1" if word == "-O2" else word for word in words]  # compiles sooner
        for flag in ("-MT", "-MF"):
            at = words.index(flag)
            del words[at:at + 2]
        words.remove("-MD")
        return words
    raise Broken(f"the target {target} is not built")


def sources_of(mutation):
    if not mutation["file"].endswith(".cpp"):
        return [f"src/armature/{name}" for name in mutation["recompile"].split()]
    return [mutation["file"]]


def build(mutation, program):
    """The program with the mutated file linked in front of everything else."""
    overlay = OUT / "src"
    subprocess.run(["rm", "-rf", OUT], check=True)
    changed = OUT / mutation["file"]
    changed.parent.mkdir(parents=True)
    changed.write_text(mutated_text(mutation))
    objects = []
    for name in sources_of(mutation):
        source = OUT / name if (OUT / name).exists() else ROOT / name
        target = next((t for part, t in TARGETS.items() if part in name), "armature")
        output = OUT / (source.name + ".o")
        command = compile_command(target, source, output)
        if target == "armature_cli":
            # Programs, unlike the library, may have functions of one unit put into each other: compile the whole unit.
            for unit in sorted((DEV / "CMakeFiles/armature_cli.dir/Unity").glob("*.cxx")):
                if f'"{ROOT / name}"' in unit.read_text():
                    copy = OUT / unit.name
                    copy.write_text(unit.read_text().replace(str(ROOT / name), str(source)))
                    command = compile_command(target, copy, output)
            command += ["-I", str(ROOT / "apps/cli")]
        at = next(i for i, word in enumerate(command) if word.startswith(("-I", "-D")))
        command[at:at] = [f"-I{overlay}"]
        # By what the preprocessor gives: the compiler's cache would not see a file that now hides another of its name.
        done = subprocess.run(command, cwd=DEV, capture_output=True, text=True, env={**os.environ, "CCACHE_NODIRECT": "1"})
        if done.returncode != 0:
            raise Broken(f"'{mutation['name']}' does not compile: {done.stderr[:2000]}")
        objects.append(str(output))
    link = shlex.split(commands_of(program)[-1].removeprefix(": && ").removesuffix(" && :"))
    at = next(i for i, word in enumerate(link) if word.endswith(".o"))
    link[at:at] = objects
    binary = OUT / program
    link[link.index("-o") + 1] = str(binary)
    done = subprocess.run(link + ["-Wl,--allow-multiple-definition"], cwd=DEV, capture_output=True, text=True)
    if done.returncode != 0:
        raise Broken(f"'{mutation['name']}' does not link: {done.stderr[:2000]}")
    return binary


def passes(command, **environment):
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=SECONDS,
                              env={**os.environ, "ARMATURE_ROOT": str(ROOT), **environment})
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def is_caught(mutation):
    words, scripts = test_files(mutation)
    if words:
        binary = build(mutation, "armature_tests")
        if not passes([binary, "--no-version=true", "--abort-after=1", "--source-file=" + ",".join(f"*{word}*" for word in words)]):
            return True
    if scripts:
        binary = build(mutation, "armature_cli")
        for script in scripts:
            if not passes(["/usr/bin/python3", "-B", script], ARMATURE=str(binary), PYTHONPATH=str(ROOT / "tests/cli")):
                return True
    return False


def sample(mutations, count):
    """Others for each commit, the same for the same one."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return sorted(mutations, key=lambda m: hashlib.sha256((commit + m["name"]).encode()).digest())[:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--sample", type=int, default=0)
    options = parser.parse_args()
    mutations = read_mutations()
    broken = []
    for mutation in mutations:
        try:
            mutated_text(mutation)
            test_files(mutation)
            for name in sources_of(mutation):
                if not (ROOT / name).exists():
                    raise Broken(f"'{mutation['name']}': there is no {name}")
        except Broken as why:
            broken.append(str(why))
    print("\n".join(broken) if broken else f"{len(mutations)} mutations fit")
    if options.check or broken:
        return 1 if broken else 0
    chosen = mutations if options.all else sample(mutations, options.sample)
    if options.words:
        chosen = [m for m in mutations if any(word in m["name"] + m["file"] for word in options.words)]
    missed = []
    for number, mutation in enumerate(chosen, 1):
        try:
            caught = is_caught(mutation)
        except Broken as why:
            print(why)
            caught = False
        print(f"{number:3} of {len(chosen)} {'caught' if caught else 'MISSED'}  {mutation['name']} ({mutation['file']})", flush=True)
        if not caught:
            missed.append(mutation["name"])
    print(f"{len(chosen) - len(missed)} of {len(chosen)} tests passed")  # counted as tests/cli's are
    return 1 if missed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
