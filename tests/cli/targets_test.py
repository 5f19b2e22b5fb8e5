"""armature ik --targets: tables and arrays of targets, answers as files, the same bytes however they are computed."""
import json
import os
import signal
import subprocess
import time

import numpy as np

import harness
from harness import PROGRAM, close, main, read, refuses, run, run_json, run_lines, write

ARM = ["ik", "panda", "--tip", "panda_tcp", "--start", "ready"]
COUNT = 700


def path(name):
    return os.path.join(harness.FOLDER, name)


def read_bytes(name):
    with open(path(name), "rb") as file:
        return file.read()


def poses(count=COUNT, seed=1):
    """Reachable poses, and every tenth far away."""
    rng = np.random.default_rng(seed)
    quaternions = rng.normal(size=(count, 4)) * 0.25 + [1, 0, 0, 0]
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
    places = rng.uniform([0.3, -0.3, 0.2], [0.6, 0.3, 0.6], size=(count, 3))
    places[::10] += [5, 0, 0]
    return np.hstack([places, quaternions])


def test_arrays_in_and_out():
    targets = poses()
    np.savez(path("in.npz"), targets=targets, id=np.arange(COUNT) + 100)
    summary = run_json(*ARM, "--targets", "in.npz", "-o", "out.npz", code=1)["summary"]
    assert summary["goals"] == COUNT and summary["causes"]["beyond"] >= COUNT // 10, summary
    assert summary["reached"] == summary["outcomes"]["converged"] and summary["mean_microseconds"] > 0
    with np.load(path("out.npz")) as answers:
        assert answers["q"].shape == (COUNT, 8) and answers["q"].dtype == np.float64
        assert answers["ok"].dtype == bool and answers["ok"].sum() == summary["reached"]
        assert (answers["id"] == np.arange(COUNT) + 100).all() and answers["id"].dtype == np.int64
        words = answers["outcomes"][answers["outcome"]]
        assert (words[::10] == "unreachable").all() and (words[answers["ok"]] == "converged").all()
        assert answers["position_error"][answers["ok"]].max() < 1e-5
        q, ok = answers["q"], answers["ok"]
    # Forward kinematics, asked on its own, confirms some of them.
    for k in np.flatnonzero(ok)[:5]:
        tip = run_json("fk", "panda", "--pose", ",".join(map(str, q[k])))["transforms"]["panda_tcp"]
        close(tip["position"], targets[k, :3], 1e-5)
    np.save(path("in.npy"), np.asfortranarray(targets))
    run(*ARM, "--targets", "in.npy", "-o", "q.npy", code=1)
    assert (np.load(path("q.npy"), mmap_mode="r") == q).all()
    square = np.tile(np.eye(4), (COUNT, 1, 1))
    x, y, z, w = targets[:, 3:].T
    square[:, 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], 1)
    square[:, 1, :3] = np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], 1)
    square[:, 2, :3] = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], 1)
    square[:, :3, 3] = targets[:, :3]
    np.save(path("square.npy"), square)
    run(*ARM, "--targets", "square.npy", "-o", "square_q.npy", code=1)
    again = np.load(path("square_q.npy"))
    assert np.mean(np.abs(again - q).max(axis=1) < 1e-4) > 0.95  # the last bits may lead to another of several answers


def test_every_form_gives_the_same_bytes():
    targets = poses()
    np.save(path("in.npy"), targets)
    write("in.csv", "".join(",".join(map(repr, row.tolist())) + "\n" for row in targets))
    write("in.jsonl", "".join(json.dumps({"target": row.tolist()}) + "\n\n" for row in targets))
    for name in ("in.npy", "in.csv", "in.jsonl"):
        run(*ARM, "--targets", name, "-o", name + ".npz", code=1)
        run(*ARM, "--targets", name, "-o", name + ".out.csv", code=1)
        assert read_bytes(name + ".npz") == read_bytes("in.npy.npz"), name
        assert read(name + ".out.csv") == read("in.npy.out.csv"), name
    rows = read("in.csv.out.csv").splitlines()
    assert rows[0].startswith("id,ok,outcome,position_error,orientation_error,iterations,panda_joint1,")
    assert len(rows) == COUNT + 1
    lines = run_lines(*ARM, "--targets", "in.jsonl", code=1)
    assert len(lines) == COUNT + 1 and "microseconds" in lines[0] and lines[-1]["summary"]["goals"] == COUNT
    with np.load(path("in.npy.npz")) as answers:
        assert (np.array([line["q"] for line in lines[:-1]]) == answers["q"]).all()


def test_threads_change_no_bit():
    np.save(path("in.npy"), poses(3000))
    for name in ("out.npz", "out.csv", "out.jsonl", "out.npy"):
        for threads in ("1", "2", "7", "8"):
            run(*ARM, "--targets", "in.npy", "--threads", threads, "-o", threads + name, code=1)
            assert read_bytes(threads + name) == read_bytes("1" + name), (threads, name)
    one = run_lines(*ARM, "--targets", "in.npy", "--threads", "1", code=1)
    seven = run_lines(*ARM, "--targets", "in.npy", "--threads", "7", code=1)
    for line in one + seven:
        line.pop("microseconds", None)
        line.pop("summary", None)
    assert one == seven


def test_tables_with_a_header():
    want = run_json(*ARM, "--goal", "0.4,0.2,0.5,1,0,0,0")["q"]
    tables = {
        "quaternion": "id,x,y,z,qx,qy,qz,qw\ngrasp 1,0.4,0.2,0.5,1,0,0,0\n",
        "rpy": "\ufeffx,y,z,roll,pitch,yaw,id\r\n0.4,0.2,0.5,180deg,0,0,\"grasp 1\"\r\n",
        "degrees": "yaw_deg,pitch_deg,roll_deg,x_mm,y_mm,z_mm,id\n0,0,180,400,200,500,grasp 1\n",
        "matrix": "id,x,y,z,r11,r12,r13,r21,r22,r23,r31,r32,r33\ngrasp 1,40cm,0.2,0.5,1,0,0,0,-1,0,0,0,-1\n",
        "numbers": "0.4,0.2,0.5,1,0,0,0\n",
        "rows": "1,0,0,0.4,0,-1,0,0.2,0,0,-1,0.5,0,0,0,1\n"}
    for name, table in tables.items():
        write(name + ".csv", table)
        lines = run_lines(*ARM, "--targets", name + ".csv")
        assert len(lines) == 2 and lines[0].get("id", "grasp 1") == "grasp 1", (name, lines[0])
        close(lines[0]["q"], want, 1e-4)
    write("starts.csv", "id,x,y,z,start.panda_joint1\n7,0.4,0.2,0.5,0.1\n8,0.4,0.2,0.5,0.4\n")
    lines = run_lines(*ARM, "--method", "dls", "--targets", "starts.csv")
    assert [line.get("id") for line in lines] == [7, 8, None]
    assert lines[0]["q"] != lines[1]["q"]
    run(*ARM, "--targets", "starts.csv", "-o", "ids.csv")
    assert [row.split(",")[0] for row in read("ids.csv").splitlines()] == ["id", "7", "8"]
    for table, words in {"x,y,z,colour\n": ["'colour'", "line 1"], "x,y,z,roll,pitch\n": ["qx"], "x,x,y,z\n": ["twice"],
                         "x,y,z,start.elbow\n": ["start.panda_joint1"], "x,y,z\n1,2\n": ["line 2", "'z'"],
                         "x,y,z\n1,2,3,4\n": ["line 2", "more cells"], "x,y,z\n1,2,nan\n": ["line 2", "'nan'"],
                         "1,2,3,4,5\n": ["line 1", "not 5"]}.items():
        write("bad.csv", table + ("0.4,0.2,0.5,1\n" if table.count("\n") < 2 else ""))
        refuses(*ARM, "--targets", "bad.csv", "-o", "bad.npz", words=words)
        assert not os.path.exists(path("bad.npz")) and not os.path.exists(path("bad.npz.part"))


def test_refusals():
    np.save(path("nan.npy"), np.array([[0.4, 0.2, 0.5], [0.4, np.nan, 0.5]]))
    refuses(*ARM, "--targets", "nan.npy", "-o", "q.npz", words=["nan.npy", "row 1", "finite"])
    np.save(path("five.npy"), np.zeros((3, 5)))
    refuses(*ARM, "--targets", "five.npy", "-o", "q.npz", words=["five.npy", "(N, 7)"])
    np.save(path("text.npy"), np.array([["a", "b", "c"]]))
    refuses(*ARM, "--targets", "text.npy", "-o", "q.npz", words=["text.npy", "astype"])
    np.savez_compressed(path("packed.npz"), targets=np.zeros((2, 3)))
    refuses(*ARM, "--targets", "packed.npz", "-o", "q.npz", words=["packed.npz", "savez"])
    np.savez(path("other.npz"), goals=np.zeros((2, 3)))
    refuses(*ARM, "--targets", "other.npz", "-o", "q.npz", words=["'targets'"])
    np.savez(path("start.npz"), targets=np.zeros((2, 3)), start=np.zeros((2, 4)))
    refuses(*ARM, "--targets", "start.npz", "-o", "q.npz", words=["8 numbers per start"])
    np.save(path("ok.npy"), np.array([[0.4, 0.2, 0.5]]))
    refuses(*ARM, "--targets", "ok.npy", "-o", "q.mat", words=[".npz"])
    refuses(*ARM, "--targets", "ok.npy", words=["-o FILE"])
    refuses(*ARM, "--targets", "-", "-o", "q.npz", stdin="", words=["regular file"])
    np.save(path("none.npy"), np.zeros((0, 7)))
    assert run_json(*ARM, "--targets", "none.npy", "-o", "none.npz")["summary"]["goals"] == 0
    assert np.load(path("none.npz"))["q"].shape == (0, 8)


def test_killed_and_resumed_gives_the_same_bytes():
    np.save(path("in.npy"), poses(60000))
    long = [PROGRAM, *ARM, "--targets", "in.npy", "--threads", "2"]
    run(*long[1:], "-o", "whole.npz", code=1)
    for how, name in ((signal.SIGKILL, "killed.npz"), (signal.SIGINT, "stopped.npz")):
        stops = 0
        part = path(name + ".part")
        while True:
            process = subprocess.Popen([*long, "-o", name], cwd=harness.FOLDER, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE)
            before = os.stat(part).st_size if os.path.exists(part) else 0
            while process.poll() is None:  # until this run has added something
                if stops < 2 and os.path.exists(part) and os.stat(part).st_size > before + 100000:
                    process.send_signal(how)
                    break
                time.sleep(0.002)
            _, err = process.communicate(timeout=120)
            if process.returncode == 1:
                break
            assert process.returncode == (-9 if how == signal.SIGKILL else 128 + how), (process.returncode, err)
            assert stops == 0 or b"Going on from" in err, err
            stops += 1
            assert not os.path.exists(path(name))
        assert stops > 0, "it was never stopped: the run is too short for this test"
        assert read_bytes(name) == read_bytes("whole.npz")
        assert not os.path.exists(part)
    # The checkpoint of other options is not taken for this one's.
    write("other.npz.part", "armature checkpoint 1\nof something else")
    refuses(*ARM, "--targets", "in.npy", "-o", "other.npz", words=["other.npz.part", "another run"])


main()
