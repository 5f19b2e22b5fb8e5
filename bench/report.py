#!/usr/bin/env python3
"""Runs the benchmarks once and writes docs/benchmarks.md from that run; nobody writes that page by hand.

  ninja -C build/release armature_cli $(bench/report.py --targets) && bench/report.py
  bench/report.py --quick -o trial.md          a tiny run: does everything work?
  bench/report.py --from docs/benchmarks.json  the page again from the figures of the last run

Beside the page lie the figures that it was made of (.json): a test makes the page from them again and compares. Each section is a class
below: run() gives figures, or Missing says what is not there; text() makes the section of them. To add one, add a class and its name to
SECTIONS. Peers (KDL, DART) are run in the same process as our own code, where they are installed; published figures say so. One file of
more than 400 lines: a list of sections of one form.
"""
import argparse
import datetime
import json
import math
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Missing(Exception):
    """What a section needs and this machine does not have."""


class Run:
    """Where programs and data lie, and how much is run."""

    def __init__(self, build, data, quick):
        self.build, self.data, self.quick = build, data, quick

    def program(self, name):
        path = os.path.join(self.build, name)
        if not os.path.exists(path):
            raise Missing(f"{name} is not built")
        return path

    def shared(self, name):
        path = os.path.join(self.data, name)
        if not os.path.exists(path):
            raise Missing(f"the shared data ({name}) is not there")
        return path

    def output(self, command, codes=(0,)):
        environment = dict(os.environ, ARMATURE_DATA=self.data)
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        if done.returncode not in codes:
            raise Missing(f"{os.path.basename(command[0])} ended with {done.returncode}: {done.stderr.strip()[-200:]}")
        return done.stdout

    def bench_ik(self, *arguments):
        """Rows of `armature bench ik`, without names of this machine's files. Exit code 1: goals were missed."""
        answer = json.loads(self.output([self.program("armature"), "bench", "ik", *arguments, "--json"], (0, 1)))
        chains = []
        for chain in answer["rows"]:
            solvers = {}
            for row in chain["solvers"]:
                row = {key: row[key] for key in row if key not in ("about", "claimed", "right", "inside_limits_share")}
                row["missed"] = len(row.pop("misses", []))
                solvers[row.pop("solver")] = row
            chains.append({"chain": chain["chain"], "joints": chain["joints"], "solvers": solvers,
                           "checked_by": chain["checked_by"], "published": chain.get("published")})
        return chains

    def google(self, name, repetitions=9):
        """{benchmark: {"ns": [...], counter: [...]}}: every repetition of a Google Benchmark program."""
        command = [self.program(name), "--benchmark_format=json", "--benchmark_enable_random_interleaving=true",
                   f"--benchmark_repetitions={2 if self.quick else repetitions}",
                   f"--benchmark_min_time={0.001 if self.quick else 0.1}"]
        figures = {}
        for row in json.loads(self.output(command))["benchmarks"]:
            if row.get("run_type") == "aggregate" or row.get("error_occurred"):
                continue
            entry = figures.setdefault(row["run_name"], {"ns": []})
            entry["ns"].append(row["cpu_time"] * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[row["time_unit"]])
            known = ("cpu_time", "real_time", "iterations", "repetitions", "repetition_index", "threads", "family_index",
                     "per_family_instance_index")
            for key, value in row.items():
                if key not in known and isinstance(value, (int, float)):
                    entry.setdefault(key, []).append(value)
        return figures


# ---- text ----------------------------------------------------------------------------------------------------------------------------

def number(x):
    """Three significant digits, never as a power of ten between 1e-3 and 1e7."""
    if x == 0 or not math.isfinite(x):
        return str(int(x)) if x == 0 else str(x)
    if not 1e-3 <= abs(x) < 1e7:
        return f"{x:.1e}"
    return f"{x:,.{max(0, 2 - math.floor(math.log10(abs(x))))}f}"


def spread(values, scale=1.0):
    """The median of the repetitions and the middle half of them: "12.3 (12.1 to 12.9)"."""
    values = sorted(scale * v for v in values)
    if len(values) == 1:
        return number(values[0])
    quarter = len(values) // 4
    return f"{number(statistics.median(values))} ({number(values[quarter])} to {number(values[-1 - quarter])})"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def geometric(values):
    values = list(values)
    return math.exp(sum(math.log(v) for v in values) / len(values))


def percent(share):
    return f"{100 * share:.2f}"


def commands(*lines):
    return "\n".join("    " + line for line in lines)


# ---- sections ------------------------------------------------------------------------------------------------------------------------

class Chains:
    """TRAC-IK's protocol on the chains of its table."""
    title = "The chains of TRAC-IK's table"
    targets = ()

    @staticmethod
    def run(run):
        try:
            chosen = ["--robots", run.shared("robots.json"), "--published"]
        except Missing:
            chosen = ["panda", "--base", "panda_link0", "--tip", "panda_link8"]
        if run.quick:
            chosen = ["panda", "--base", "panda_link0", "--tip", "panda_link8", "--poses", "50", "--peer-poses", "2"]
        return run.bench_ik(*chosen, *(() if run.quick else ("--repeats", "3", "--peer-poses", "200")), "--no-batch")

    @staticmethod
    def text(chains):
        names = {"kdl_nr_jl": "KDL NR_JL", "kdl_lma": "KDL LMA", "kdl_lma_rr": "KDL LMA with restarts", "dart": "DART"}
        peers = [name for name in names if any(name in chain["solvers"] for chain in chains)]
        published = any(chain["published"] for chain in chains)
        rows = []
        for chain in chains:
            ours = chain["solvers"]["reach"]
            row = [chain["chain"], chain["joints"], f"{percent(ours['solved_share'])}, {number(ours['mean_us'])} / "
                   f"{number(ours['median_us'])} / {number(ours['p99_us'])}"]
            for peer in peers:
                other = chain["solvers"].get(peer)
                row.append("" if other is None else f"{percent(other['solved_share'])}, {number(other['mean_us'])} / "
                           f"{number(other['median_us'])}")
            if published:
                figures = chain["published"] or {}
                mean = figures.get("trac_ik_avg_ms")
                row.append("" if not mean else f"{figures['trac_ik_solve_rate_pct']:.2f}, {number(1e3 * mean)}")
            rows.append(row)
        head = ["chain", "joints", "reach: solved %, mean / median / p99 us",
                *(f"{names[peer]}: solved %, mean / median us" for peer in peers),
                *(["TRAC-IK, **published**: solved %, mean us"] if published else [])]
        ours = [chain["solvers"]["reach"] for chain in chains]
        goals, missed = sum(row["poses"] for row in ours), sum(row["missed"] for row in ours)
        counts = {row["poses"] for chain in chains for name, row in chain["solvers"].items() if name in peers}
        text = [commands("armature bench ik --robots robots.json --published --repeats 3 --peer-poses 200 --no-batch"), "",
                f"Seed: middle of the limits. {ours[0]['poses']:,} goals for each chain"
                + (f", the first {max(counts)} of them for the others" if counts else "")
                + f"; the spread is that over goals. Answers are checked by {chains[0]['checked_by']}."
                + (" TRAC-IK's figures are the published ones, of other machines and other model files." if published else ""),
                "", table(head, rows), "",
                f"Reach missed {missed:,} of {goals:,} goals; {number(geometric(row['mean_us'] for row in ours))} us in the mean"
                + (" (geometric over the chains)." if len(chains) > 1 else ".")]
        for peer in peers:
            ratios = [chain["solvers"][peer]["mean_us"] / chain["solvers"]["reach"]["mean_us"] for chain in chains
                      if peer in chain["solvers"]]
            shares = [chain["solvers"][peer]["solved_share"] for chain in chains if peer in chain["solvers"]]
            text.append(f"{names[peer]} solves {percent(min(shares))} to {percent(max(shares))} % and takes {number(min(ratios))} to "
                        f"{number(max(ratios))} times as long (geometric mean {number(geometric(ratios))}).")
        return "\n".join(text)


class AllChains:
    """Single and in batches, on every chain there is."""
    title = "Every chain of five joints or more"
    targets = ()

    @staticmethod
    def run(run):
        chosen = ["panda", "--poses", "50", "--base", "panda_link0", "--tip", "panda_link8"]
        if not run.quick:
            chosen = ["--robots", run.shared("robots.json"), "--repeats", "3"]
        kinds = {"middle": [], "random": ["--seed-pose", "random"]}
        return {name: run.bench_ik(*chosen, "--peer-poses", "0", *extra) for name, extra in kinds.items()}

    @staticmethod
    def text(kinds):
        rows = []
        for solver, said in (("reach", "one by one"), ("reach batch", "1,000 together")):
            for seed, chains in kinds.items():
                ours = [chain["solvers"][solver] for chain in chains]
                means = sorted(row["mean_us"] for row in ours)
                where = "from the middle of the limits" if seed == "middle" else "from random poses"
                rows.append([f"{said}, {where}", f"{sum(row['missed'] for row in ours):,} of {sum(row['poses'] for row in ours):,}",
                             number(geometric(means)), f"{number(means[0])} to {number(means[-1])}"])
        count = len(kinds["middle"])
        return "\n".join([commands("armature bench ik --robots robots.json --repeats 3 --peer-poses 0",
                                   "armature bench ik --robots robots.json --repeats 3 --peer-poses 0 --seed-pose random"), "",
                          table([f"{count} chain{'s' if count > 1 else ''}, to 1e-5", "missed",
                                 "mean us of a solve (geometric over chains)", "fastest and slowest chain"], rows)])


class Large:
    """Rare misses and hard goals."""
    title = "A million goals, and goals at the limits"
    targets = ()

    @staticmethod
    def run(run):
        arm = ["panda", "--base", "panda_link0", "--tip", "panda_link8", "--peer-poses", "0"]
        return {"random": run.bench_ik(*arm, "--poses", "100" if run.quick else "1000000")[0],
                "corners": run.bench_ik(*arm, "--goals", "corners", "--poses", "100" if run.quick else "100000")[0]}

    @staticmethod
    def text(kinds):
        rows = []
        for kind, chain in kinds.items():
            one, batch = chain["solvers"]["reach"], chain["solvers"]["reach batch"]
            said = "random goals" if kind == "random" else "goals with every joint at a limit"
            rows.append([f"{one['poses']:,} {said}", one["missed"], number(one["mean_us"]), number(one["median_us"]),
                         number(one["p99_us"]), number(one["worst_us"]), f"{number(batch['mean_us'])}, {batch['missed']} missed"])
        return "\n".join([commands("armature bench ik panda --base panda_link0 --tip panda_link8 --poses 1000000 --peer-poses 0",
                                   "armature bench ik panda ... --poses 100000 --goals corners --peer-poses 0"), "",
                          table(["Panda, each solve timed once", "missed", "mean us", "median", "p99", "worst", "batch mean"], rows)])


class Unreachable:
    """Verdicts and nearest poses."""
    title = "Goals that cannot be reached"
    targets = ("bench_reach_nearest",)

    @staticmethod
    def run(run):
        program = run.program("bench_reach_nearest")
        out = run.output([program, run.shared("robots.json"), "1" if run.quick else "20"])
        lines = out.split("all chains\n")[1]
        figures = {"chains": len(re.findall(r"joints$", out, re.M))}
        for line in lines.splitlines():
            kind, goals, verdict, near, mean = re.match(
                r"\s*(\w+)\s+(\d+) goals, verdict right\s+([\d.]+) %, within .*?([\d.]+) %, mean (\d+) us", line).groups()
            figures[kind] = {"goals": int(goals), "verdict": float(verdict), "near": float(near), "mean_us": float(mean)}
        return figures

    @staticmethod
    def text(figures):
        said = {"beyond": "beyond reach", "blocked": "held back by limits"}
        rows = [[said[kind], f"{row['goals']:,}", f"{row['verdict']:.2f} %", f"{row['near']:.2f} %", f"{number(row['mean_us'])} us"]
                for kind, row in figures.items() if kind in said]
        return "\n".join([commands("bench_reach_nearest robots.json 20"), "",
                          f"{figures['chains']} chains of 5 to 10 joints; the best of 64 starts, searched separately, is what the nearest "
                          "pose is measured against.", "",
                          table(["", "goals", "right verdict", "nearest pose within 1 % of the best of 64 starts", "mean time"], rows)])


def google_rows(figures, said, scale, unit):
    return [[text, f"{spread(figures[name]['ns'], scale)} {unit}"] for name, text in said.items() if name in figures]


class Kinematics:
    """Beside KDL and DART in one process."""
    title = "Forward kinematics and Jacobian"
    targets = ("bench_kinematics_peers",)

    @staticmethod
    def run(run):
        return run.google("bench_kinematics_peers")

    @staticmethod
    def text(figures):
        def us(name):
            return spread(figures[name]["ns"], 1e-3) + " us" if name in figures else ""

        def per_joint(name):  # items a second are joints
            return spread([1e9 / v for v in figures[name]["items_per_second"]]) + " ns" if name in figures else ""
        rows = [["arm of seven joints, tip frame and 6 x 7 Jacobian", us("arm7_armature"), us("arm7_kdl"), us("arm7_dart")],
                ["human figure (44 joints), all frames", us("human_armature"), "", us("human_dart")],
                ["the same, a joint", per_joint("human_armature"), "", per_joint("human_dart")],
                ["the same with denormal numbers in placements and pose, a joint", per_joint("human_armature_denormal"), "", ""],
                ["chain of 60 joints, all frames, a joint", per_joint("chain_armature/60"), "", ""],
                ["chain of 1000 joints, all frames, a joint", per_joint("chain_armature/1000"), "", ""],
                ["many poses at once: arm of seven, all frames, a joint and pose", per_joint("arm7_batch_frames"), "", ""],
                ["many poses at once: arm of seven, the tip alone, a joint and pose", per_joint("arm7_batch_tip"), "", ""],
                ["many poses at once: human, all frames, a joint and pose", per_joint("human_batch_frames"), "", ""],
                ["many poses at once: human, hands and feet, a joint and pose", per_joint("human_batch_hands_and_feet"), "", ""],
                ["many poses at once: tip and Jacobian of the arm of seven, a pose", us("arm7_batch_jacobian"), "", ""]]
        return "\n".join([commands("bench_kinematics_peers --benchmark_repetitions=9"), "",
                          table(["median and middle half of the repetitions", "Armature", "KDL", "DART"], [r for r in rows if any(r[1:])])])


class Reach:
    """What the method is made of."""
    title = "The reach method on the Panda"
    targets = ("bench_reach_bench",)

    @staticmethod
    def run(run):
        return run.google("bench_reach_bench")

    @staticmethod
    def text(figures):
        rows = google_rows(figures, {"single_from_middle": "one solve to 1e-5 from the middle of the limits",
                                     "single_warm_to_1e8": "one solve to 1e-8 from 0.01 rad away",
                                     "forward_and_jacobian": "tip frame and Jacobian of the chain"}, 1e-3, "us")
        if "batch_of_1000" in figures:
            each = spread([1e6 / v for v in figures["batch_of_1000"]["items_per_second"]])
            rows.insert(2, ["1,000 goals together to 1e-5 from the middle, each", f"{each} us"])
        return "\n".join([commands("bench_reach_bench --benchmark_repetitions=9"), "", table(["", "time"], rows)])


class Methods:
    """The chapter's methods."""
    title = "The chapter's methods"
    targets = ("bench_methods_bench",)

    @staticmethod
    def run(run):
        return run.google("bench_methods_bench", 5)

    @staticmethod
    def text(figures):
        said = {"seven": "Panda, to 1e-4 of the reach", "balls": "ten ball joints, to 1e-6", "two_link": "two bones"}
        rows, last = [], ""
        order = sorted(figures.items(), key=lambda named: (named[0].split("/")[0], statistics.median(named[1]["ns"])))
        for name, row in order:
            kind, method = name.split("/")[:2]
            if kind not in said:
                continue
            none = row.get("solved_%", [100])[0] == 0
            rows.append([said[kind] if kind != last else "", method, spread(row["ns"], 1e-3),
                         number(row["steps"][0]) if "steps" in row else "",
                         f"{row['solved_%'][0]:.1f} %" if "solved_%" in row else "", "" if none else number(row["error"][0])])
            last = kind
        per_joint = {}
        for name, row in figures.items():
            kind, method, *joints = name.split("/")
            if kind == "per_iteration":
                per_joint.setdefault(method, []).append((int(joints[0]), number(statistics.median(row["per_joint_ns"]))))
        linear = [f"{method} {', '.join(f'{ns} ({joints})' for joints, ns in sorted(sizes))}"
                  for method, sizes in sorted(per_joint.items())]
        return "\n".join([commands("bench_methods_bench --benchmark_repetitions=5"), "",
                          "2,000 reachable positions; the largest error is a share of the reach.", "",
                          table(["goals", "method", "us", "iterations", "solved", "largest error"], rows), "",
                          "The cost of an iteration is linear in the joints; ns a joint, with the number of ball joints: "
                          + "; ".join(linear) + "."])


class Figure:
    """The whole human figure."""
    title = "The whole figure"
    targets = ("bench_human_bench",)

    @staticmethod
    def run(run):
        return run.google("bench_human_bench")

    @staticmethod
    def text(figures):
        said = {"from_rest": "random poses around rest, each from rest", "next_frame": "the next frame of a motion, 60 a second"}
        rows = [[text, f"{spread(figures[name]['us_each'])} us", number(figures[name]["steps"][0])
                 if "steps" in figures[name] else "", percent(figures[name]["solved"][0]) + " %"]
                for name, text in said.items() if name in figures]
        return "\n".join([commands("bench_human_bench --benchmark_repetitions=9"), "",
                          "Both hands, both feet, a look-at and a posture of `human`, to 1e-6.", "",
                          table(["", "time", "iterations", "solved"], rows)])


class Limbs:
    """Limbs at run time."""
    title = "Limbs at run time"
    targets = ("bench_limb_bench",)

    @staticmethod
    def run(run):
        return run.google("bench_limb_bench")

    @staticmethod
    def text(figures):
        rows = google_rows(figures, {"forward_whole": "forward kinematics of all links", "foot/80": "one foot within reach",
                                     "foot/100": "one foot, the leg at full length", "foot/110": "one foot 10 % out of reach",
                                     "foot_on_ground": "one foot on sloping ground, with its toe",
                                     "whole_character": "two feet, a hand and a look"}, 1e-3, "us")
        return "\n".join([commands("bench_limb_bench --benchmark_repetitions=9"), "",
                          "`LimbIk` and `LookIk` pose limbs against a `State` that is there, as a game does after sampling its animation; a "
                          "character of 70 links.", "", table(["what", "time"], rows), "",
                          "**Published:** ozz-animation gives 0.17 us for its two-bone job, which leaves the update of the model-space "
                          "matrices to another job."])


class Retargeting:
    """Motions onto another figure."""
    title = "Retargeting"
    targets = ()
    clips = ("cmu_02_01.bvh", "cmu_49_06.bvh", "threejs_pirouette.bvh")

    @staticmethod
    def run(run):
        figures = {}
        with tempfile.TemporaryDirectory() as folder:
            for clip in Retargeting.clips:
                answers = [json.loads(run.output([run.program("armature"), "retarget", run.shared("bvh/" + clip), "human", "-o",
                                                  os.path.join(folder, "out.bvh"), "--json"])) for _ in range(2 if run.quick else 9)]
                figures[clip] = {"frames": answers[0]["frames"], "rate": 1.0 / answers[0]["frame_time"],
                                 "times_real_time": [answer["times_real_time"] for answer in answers],
                                 "slide": answers[0]["largest_slide"] / answers[0]["leg_length"]}
        return figures

    @staticmethod
    def text(figures):
        rows = [[clip, row["frames"], number(row["rate"]), spread(row["times_real_time"]), f"{100 * row['slide']:.3f} %"]
                for clip, row in figures.items()]
        return "\n".join([commands("armature retarget cmu_02_01.bvh human -o out.bvh"), "",
                          table(["clip onto `human`", "frames", "a second", "times real time", "largest slide of a planted foot, of the leg"],
                                rows)])


class Files:
    """Reading and writing."""
    title = "Reading files"
    targets = ("bench_formats_bench", "bench_bvh")

    @staticmethod
    def run(run):
        figures = run.google("bench_formats_bench", 5)
        figures.update(run.google("bench_bvh", 5))
        return figures

    @staticmethod
    def text(figures):
        said = {"read_bvh_clip": "BVH of 15 MB (31 bones, 15,500 frames, six decimals), read", "write_bvh_clip": "the same, written",
                "read_urdf_100kB": "URDF of 100 kB, read", "read_and_compile_urdf_100kB": "the same, read and compiled",
                "read_pr2": "pr2.urdf, read", "read_mjcf_g1": "unitree_g1.xml (MJCF), read", "read_json_100kB": "our own JSON of the URDF, read"}
        rows = [[text, f"{spread(figures[name]['ns'], 1e-6)} ms", f"{number(statistics.median(figures[name]['bytes_per_second']) / 1e6)} MB/s"]
                for name, text in said.items() if name in figures]
        return "\n".join([commands("bench_formats_bench --benchmark_repetitions=5", "bench_bvh --benchmark_repetitions=5"), "",
                          table(["what, on one thread", "time", "rate"], rows)])


class Bodies:
    """Answers that touch nothing beside plain ones."""
    title = "Answers that touch nothing"
    targets = ("bench_bodies",)

    @staticmethod
    def run(run):
        out = run.output([run.program("bench_bodies"), "20" if run.quick else "2000"])
        return [json.loads(line) for line in out.splitlines()]

    @staticmethod
    def text(lines):
        scenes = {"self": "itself", "shelf": "table and shelf", "inside": "goals inside the shelf"}
        robots = {"panda": "Panda", "ur5": "UR5"}
        rows = []
        for line in (line for line in lines if line["kind"] == "answers"):
            plain, free = line["plain"], line["with"]
            rows.append([f"{robots[line['robot']]}, {scenes[line['scene']]}", f"{line['goals']:,}", f"{100 * line['plain_free']:.1f} %",
                         f"{100 * line['found']:.2f} %", f"{number(line['check_us'])} us, {number(line['check_us'] / plain['mean'])}",
                         *(f"{number(free[key])} us, {number(free[key] / plain[key])}" for key in ("mean", "median", "p99", "batch"))])
        text = [commands("bench_bodies 2000"), "",
                "Goals are made from random poses that are free by the bodies with 5 mm to spare, and solved from the middle pose to 1e-6. The "
                "second figure of a cell is the ratio to plain `reach` on the same goals in the same run.", "",
                table(["", "goals", "plain answers that are free", "free answers found", "one check", "mean", "median", "p99", "in a batch"], rows)]
        rows = [[f"{robots[line['robot']]}, {scenes[line['scene']]}", f"{line['goals']:,}", f"{100 * line['bodies']:.2f} %",
                 f"{100 * line['exact']:.2f} %", line["touching"], f"{number(line['bodies_median'])}, {number(line['exact_median'])} us"]
                for line in lines if line["kind"] == "meshes"]
        text += ["", "Goals made from poses that are free by the *meshes* with 5 mm to spare (the built-in models' shapes as meshes of 16-sided "
                 "solids, fitted by at most three bodies a link):", "",
                 table(["", "goals", "answered by bodies", "with `exact`", "answers that touch by meshes", "median: bodies, exact"], rows)]
        rows = [[robots[line["robot"]], f"{line['frames']:,}", f"{line['plain_touch']:,}", line["free_touch"], line["gaps"],
                 f"{line['plain_whole']}, {line['free_whole']} of {line['lines']}",
                 f"{number(line['plain_us'])}, {number(line['free_us'])} us",
                 f"{number(line['near_us'])} us, {number(line['near_us'] / line['near_plain_us'])}" if line["near"] else ""]
                for line in lines if line["kind"] == "track"]
        text += ["", "Straight lines of 100 frames among table and shelf from free poses, followed by `follow`. Near: less than 2 cm from something.",
                 "", table(["", "frames", "plain frames that touch", "frames that touch", "ways not proved", "lines reached to their end: plain, free",
                            "mean frame: plain, free", "frame near something, ratio to the plain one"], rows)]
        return "\n".join(text)


class Wasm:
    """The same questions in node and natively."""
    title = "WebAssembly beside native"
    targets = ("bench_wasm_peer",)

    @staticmethod
    def run(run):
        native = run.program("bench_wasm_peer")
        node = shutil.which("node")
        if node is None or not os.path.exists(os.path.join(ROOT, "build/wasm/bindings/wasm")):
            raise Missing("node or the WebAssembly build is not there")
        out = run.output([node, os.path.join(ROOT, "bindings/wasm/test/bench.mjs"), native])
        rows = re.findall(r"^(\w+)\s+(\w+)\s+(\d+)/(\d+)\s+([\d.]+)/([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+[\d.]+$", out, re.M)
        if not rows:
            raise Missing("bench.mjs printed no table")
        return [{"model": m, "method": method, "solved": [int(a), int(b)], "wasm_us": float(w), "native_us": float(n)}
                for m, method, a, b, _, _, w, n in rows]

    @staticmethod
    def text(rows):
        return "\n".join([commands("node bindings/wasm/test/bench.mjs build/release/bench_wasm_peer"), "",
                          "The same 1,000 goals from the neutral pose in node and natively: medians over goals, the best of three runs in turns.",
                          "", table(["model, method", "solved wasm / native", "wasm us", "native us", "ratio"],
                                    [[f"{r['model']}, `{r['method']}`", f"{r['solved'][0]} / {r['solved'][1]}", number(r["wasm_us"]),
                                      number(r["native_us"]), number(r["wasm_us"] / r["native_us"])] for r in rows])])


SECTIONS = (Chains, AllChains, Large, Unreachable, Reach, Kinematics, Methods, Figure, Limbs, Retargeting, Bodies, Files, Wasm)


# ---- the page ------------------------------------------------------------------------------------------------------------------------

def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()[0].strip()
    except (OSError, IndexError):
        return ""


def machine(build):
    facts = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), "cores": os.cpu_count()}
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        text = file.read()
    facts["processor"] = (re.findall(r"model name\s*:\s*(.*)", text) or [platform.machine()])[0]
    flags = (re.findall(r"flags\s*:\s*(.*)", text) or [""])[0].split()
    facts["isa"] = "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "baseline"
    with open("/etc/os-release", encoding="utf-8") as file:
        facts["system"] = (re.findall(r'PRETTY_NAME="(.*)"', file.read()) or [platform.system()])[0]
    cache = os.path.join(build, "CMakeCache.txt")
    if os.path.exists(cache):
        with open(cache, encoding="utf-8") as file:
            text = file.read()
        compiler = (re.findall(r"CMAKE_CXX_COMPILER:\w+=(.*)", text) or ["c++"])[0]
        facts["compiler"] = re.sub(r"^\S*/", "", first_line([compiler, "--version"]))
        facts["flags"] = (re.findall(r"CMAKE_CXX_FLAGS_RELEASE:\w+=(.*)", text) or [""])[0]
    facts["commit"] = first_line(["git", "-C", ROOT, "describe", "--always", "--dirty"])
    facts["load_before"] = os.getloadavg()[0]
    return facts


def page(data):
    facts = data["machine"]
    quiet = max(facts["load_before"], facts["load_after"] - 1)  # the run itself is a load of one
    lines = ["# Benchmarks", "",
             "Written by `bench/report.py` from one run; do not edit it by hand. `armature bench ik` runs TRAC-IK's protocol (Beeson & Ames "
             "2015) on any chain: goals are the poses of random joint values inside the limits, an answer counts when the solver claims it, "
             "another forward kinematics finds every one of the six components within 1e-5, and the joints are inside their limits; a solve "
             "may take 5 ms; times include failures. All solvers get the same goals and the same seed in one process.", "",
             table(["", "of this run"],
                   [["date", facts["date"]], ["machine", f"{facts['cores']} cores of {facts['processor']}, {facts['isa']}; {facts['system']}"],
                    ["compiler", f"{facts.get('compiler', '')}, `{facts.get('flags', '')}`"], ["commit", facts["commit"]],
                    ["other load", f"{quiet:.1f} on average" + (": times are those of a busy machine, read ratios" if quiet > 0.5 else "")],
                    *([["size", "a quick trial: no figure means anything"]] if data["quick"] else [])]), "",
             "Times with a span are medians over repetitions, with the middle half of them. KDL and DART are optional: they are run where "
             "they are installed, beside ours in the same process. `kdl_nr_jl` is ChainIkSolverPos_NR_JL with limits, step after step until the "
             "time is out, as TRAC-IK's own comparison runs it; `kdl_lma` is ChainIkSolverPos_LMA, once, which knows no limits; with restarts: "
             "again from random poses until an answer is inside limits; DART: its gradient descent, again from random poses."]
    for section in SECTIONS:
        figures = data["sections"].get(section.__name__)
        if figures is not None:
            lines += ["", "## " + section.title, "", section.text(figures)]
    if data["missing"]:
        lines += ["", "## Not measured in this run", ""]
        titles = {section.__name__: section.title for section in SECTIONS}
        lines += [f"- {titles[name]}: {why}." for name, why in data["missing"].items()]
    text = "\n".join(lines).split("\n")
    whole = ("|", "#", " ", "- ")  # tables, titles, commands and lists stay as they are
    return "\n".join(line if not line or line.startswith(whole) else textwrap.fill(line, 140, break_on_hyphens=False)
                     for line in text) + "\n"


def rounded(x):
    """Figures as they are kept: six digits are more than any of them is good for."""
    if isinstance(x, float):
        return float(f"{x:.6g}")
    if isinstance(x, dict):
        return {key: rounded(value) for key, value in x.items()}
    return [rounded(value) for value in x] if isinstance(x, list) else x


def main():
    parser = argparse.ArgumentParser(description="Runs the benchmarks once and writes docs/benchmarks.md from that run.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build/release"), help="where the programs lie")
    parser.add_argument("--data", default=os.environ.get("ARMATURE_DATA", os.path.join(ROOT, "../shared/data")),
                        help="the collection of real models (robots.json)")
    parser.add_argument("--quick", action="store_true", help="a tiny run, to see that everything works")
    parser.add_argument("--only", help="names of sections: " + ",".join(section.__name__ for section in SECTIONS))
    parser.add_argument("--from", dest="figures", help="no run: the page of these figures (.json)")
    parser.add_argument("--targets", action="store_true", help="only print what has to be built, beside armature_cli")
    parser.add_argument("-o", "--out", default=os.path.join(ROOT, "docs/benchmarks.md"))
    options = parser.parse_args()
    if options.targets:
        print(" ".join(target for section in SECTIONS for target in section.targets))
        return 0
    if options.figures:
        with open(options.figures, encoding="utf-8") as file:
            data = json.load(file)
    else:
        run = Run(os.path.abspath(options.build), os.path.abspath(options.data), options.quick)
        data = {"machine": machine(run.build), "quick": options.quick, "sections": {}, "missing": {}}
        for section in SECTIONS:
            name = section.__name__
            if options.only and name not in options.only.split(","):
                data["missing"][name] = "left out by --only"
                continue
            print(f"{name} ...", file=sys.stderr, flush=True)
            try:
                data["sections"][name] = section.run(run)
            except Missing as why:
                data["missing"][name] = str(why)
        data["machine"]["load_after"] = os.getloadavg()[0]
        data = rounded(data)
        with open(os.path.splitext(options.out)[0] + ".json", "w", encoding="utf-8") as file:
            file.write(json.dumps(data, indent=1) + "\n")
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(page(data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
