#!/usr/bin/env python3
"""Every command on small inputs while one call after the other fails (fault_hook.cpp): memory, and whatever writes files.

Whatever fails, the command ends with its own answer or with exit code 2 and a sentence; each output is the old file or the new one,
whole; and nothing else is left in the folder. A run that was killed leaves at most a temporary file, and the next run takes that away.

ARMATURE is the program, FAULT_HOOK the library. ARMATURE_FULL=1 tries every write and many more allocations.
"""
import json
import os
import signal
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["ARMATURE"]
HOOK = os.environ["FAULT_HOOK"]
FULL = "ARMATURE_FULL" in os.environ
WRITING = ("create", "write", "chmod", "sync", "close", "rename")



def keys(joint):
    return {"poses": [{"time": 0, "pose": {}}, {"time": 0.2, "pose": {joint: 0.4}}]}


PATH = {"format": "armature-scene", "version": 1, "start": "chapter",
        "goals": [{"link": "tip", "path": {"curve": "line", "relative": True, "points": [[0, 0, 0], [2, 1, 0]], "duration": 0.1}}]}
GOALS = [{"type": "position", "link": "tip", "target": [-20, 5, 0]}]
POSES = '{"joint1": 0.1}\n{"joint1": 0.2}\n'
INPUTS = {"keys.json": json.dumps(keys("joint1")), "path.json": json.dumps(PATH), "goals.json": json.dumps(GOALS), "poses.jsonl": POSES,
          "targets.csv": "x,y\n-20,5\n10,20\n",
          "moving.json": json.dumps({"poses": [{"time": 0, "pose": [0, 0, 0]}, {"time": 1, "pose": [0.5, 0.2, 0.1]}]})}

# Arguments, and what they write. The first run with each makes the inputs of those below it.
COMMANDS = [
    (["models"], []),
    (["methods"], []),
    (["info", "panda"], []),
    (["check", "panda"], []),
    (["fk", "planar_arm", "--poses", "poses.jsonl", "--json"], []),
    (["convert", "puma560", "out.urdf"], ["out.urdf"]),
    (["convert", "puma560", "out.json"], ["out.json"]),
    (["convert", "puma560", "out.glb"], ["out.glb"]),
    (["ik", "planar_arm", "--goals", "goals.json"], []),
    (["ik", "planar_arm", "--targets", "targets.csv", "--json"], []),
    (["ik", "human", "--tip", "left_hand", "--goal", "0.3,0.2,1.1", "--json"], []),
    (["step", "planar_arm", "--tip", "tip", "--goal=-20,5"], []),
    (["compare", "planar_arm", "--tip", "tip", "--goal=-20,5", "-o", "out.svg"], ["out.svg"]),
    (["animate", "planar_arm", "--keys", "keys.json", "-o", "out.csv", "-o", "out.glb"], ["out.csv", "out.glb"]),
    (["animate", "planar_arm", "--keys", "moving.json", "--retime", "--acceleration", "5", "-o", "out.csv"], ["out.csv"]),
    (["track", "planar_arm", "--scene", "path.json", "-o", "out.jsonl"], ["out.jsonl"]),
    (["draw", "planar_arm", "--pose", "chapter", "-o", "out.svg"], ["out.svg"]),
    (["plot", "motion.csv", "-o", "out.svg"], ["out.svg"]),
    (["retarget", "motion.bvh", "human", "-o", "out.bvh"], ["out.bvh"]),
    (["workspace", "two_link", "--tip", "tip", "--cells", "8", "--samples", "500", "--threads", "1", "-o", "out.csv"], ["out.csv"]),
    (["bench", "ik", "two_link", "--poses", "5", "--no-peers"], []),
    (["figures", "figures"], None),
]
# Times differ from run to run.
UNSTEADY = ("bench", "compare")


def run(folder, arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, errors="replace", timeout=120,
                          env={**os.environ, "NO_COLOR": "1", **environment})


def hooked(folder, arguments, fault="", count=""):
    environment = {"LD_PRELOAD": HOOK}
    if fault:
        environment["ARMATURE_FAULT"] = fault
    if count:
        environment["ARMATURE_FAULT_COUNT"] = count
    return run(folder, arguments, **environment)


def contents(folder):
    found = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


class Folder(tempfile.TemporaryDirectory):
    """The inputs, and an old file in the place of every output."""

    def __init__(self, outputs):
        super().__init__()
        for name, text in {**INPUTS, **dict.fromkeys(outputs or [], "old\n"), **MADE}.items():
            with open(os.path.join(self.name, name), "wb") as file:
                file.write(text.encode() if isinstance(text, str) else text)


MADE = {}


def make_inputs():
    with Folder([]) as folder:
        run(folder, ["animate", "planar_arm", "--keys", "keys.json", "-o", "motion.csv"]).check_returncode()
        with open(os.path.join(folder, "walk.json"), "w", encoding="utf-8") as file:
            json.dump(keys("left_elbow"), file)
        run(folder, ["animate", "human", "--keys", "walk.json", "-o", "motion.bvh"]).check_returncode()
        MADE.update({name: data for name, data in contents(folder).items() if name.startswith("motion.")})


def chosen(count, most):
    """All of 1..count where that is few enough, else the first ones and then evenly spaced ones."""
    if count <= most:
        return list(range(1, count + 1))
    first = most // 4
    step = (count - first) / (most - first)
    return list(range(1, first + 1)) + [first + int(step * (i + 1)) for i in range(most - first)]


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        make_inputs()

    def clean(self, arguments, outputs):
        """Exit code, files and calls of a run in which nothing fails."""
        with Folder(outputs) as folder, tempfile.NamedTemporaryFile() as count:
            done = hooked(folder, arguments, count=count.name)
            self.assertIn(done.returncode, (0, 1), f"{arguments}: {done.stderr}")
            with open(count.name, encoding="utf-8") as file:
                calls = {kind: int(number) for kind, number in map(str.split, file)}
            return done.returncode, contents(folder), calls

    def check(self, arguments, outputs, fault, code, after):
        with Folder(outputs) as folder:
            before = contents(folder)
            done = hooked(folder, arguments, fault=fault)
            what = f"{' '.join(arguments)} with {fault}: exit {done.returncode}\n{done.stderr[-1500:]}"
            self.assertIn(done.returncode, (code, 2), what)
            if done.returncode == 2:
                self.assertRegex(done.stderr, r"(?m)^armature: .+[.)?]$", what)
            found = contents(folder)
            for name, data in found.items():
                # Unfinished work of `workspace` is kept on purpose, and said so.
                if name.endswith(".part"):
                    continue
                self.assertIn(name, {**before, **after}, f"left behind: {name}; {what}")
                if arguments[0] not in UNSTEADY or name in INPUTS:
                    self.assertIn(data, (before.get(name), after.get(name)), f"{name} is neither old nor new; {what}")
                if done.returncode == code and name in (outputs or []):
                    self.assertNotEqual(data, before[name], f"{name} was not written; {what}")
            for name in before:
                self.assertIn(name, found, f"{name} is gone; {what}")

    def test_memory(self):
        for arguments, outputs in COMMANDS:
            with self.subTest(" ".join(arguments)):
                code, after, calls = self.clean(arguments, outputs)
                most = (12 if arguments[0] in ("figures", "bench", "compare") else 24) * (10 if FULL else 1)
                for n in chosen(calls["alloc"], most):
                    self.check(arguments, outputs, f"alloc:{n}" + ("+" if n % 2 == 0 else ""), code, after)

    def test_writing(self):
        for arguments, outputs in COMMANDS:
            if outputs == []:
                continue
            with self.subTest(" ".join(arguments)):
                code, after, calls = self.clean(arguments, outputs)
                for kind in WRITING:
                    for n in chosen(calls[kind], 1000 if FULL else 4):
                        self.check(arguments, outputs, f"{kind}:{n}", code, after)

    def test_killed(self):
        """What a killed run leaves, the next one takes away; the file itself is the old one or the new one."""
        for arguments, outputs in COMMANDS:
            if outputs == []:
                continue
            with self.subTest(" ".join(arguments)):
                code, after, calls = self.clean(arguments, outputs)
                for kind in ("write", "chmod", "sync", "close", "rename"):
                    for n in chosen(calls[kind], 2):
                        with Folder(outputs) as folder:
                            before = contents(folder)
                            done = hooked(folder, arguments, fault=f"kill-{kind}:{n}")
                            self.assertEqual(done.returncode, -signal.SIGKILL)
                            for name in outputs or []:
                                with open(os.path.join(folder, name), "rb") as file:
                                    data = file.read()
                                if arguments[0] not in UNSTEADY:
                                    self.assertIn(data, (before[name], after[name]), f"{name} after kill-{kind}:{n}")
                            again = run(folder, arguments)
                            self.assertEqual(again.returncode, code, again.stderr)
                            self.assertEqual(sorted(after), sorted(contents(folder)), f"litter after kill-{kind}:{n}")

    def test_other_runs_at_work_are_left_alone(self):
        """Two runs that write the same file at once: both succeed, one of them wins, nothing is left."""
        arguments = ["convert", "puma560", "out.json"]
        code, after, _ = self.clean(arguments, ["out.json"])
        with Folder(["out.json"]) as folder:
            crew = [subprocess.Popen([PROGRAM, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                    for _ in range(12)]
            for each in crew:
                _, error = each.communicate()
                self.assertEqual(each.returncode, code, error)
            self.assertEqual(after, contents(folder))


if __name__ == "__main__":
    unittest.main()
