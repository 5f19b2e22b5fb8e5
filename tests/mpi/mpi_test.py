"""Real ranks of MPI on one machine: the same bytes as without, also after a rank was killed."""
import os
import shutil
import signal
import subprocess
import time

import numpy as np

import harness
from harness import PROGRAM, main, run, shared_data

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism", "none"]
ARM = ["ik", "panda", "--tip", "panda_tcp", "--start", "ready"]


def ranks(count, *arguments, code=0):
    done = subprocess.run([*MPIRUN, "-np", str(count), PROGRAM, *arguments, "--mpi"], cwd=harness.FOLDER, capture_output=True,
                          timeout=300, check=False)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done.stdout.decode(), done.stderr.decode()


def read_bytes(name):
    with open(os.path.join(harness.FOLDER, name), "rb") as file:
        return file.read()


def poses(count):
    rng = np.random.default_rng(1)
    quaternions = rng.normal(size=(count, 4)) * 0.25 + [1, 0, 0, 0]
    places = rng.uniform([0.3, -0.3, 0.2], [0.6, 0.3, 0.6], size=(count, 3))
    places[::10] += [5, 0, 0]
    np.save(os.path.join(harness.FOLDER, "in.npy"), np.hstack([places, quaternions]))


def test_there_is_mpi():
    assert shutil.which("mpirun"), "install openmpi-bin"
    out, _ = ranks(2, *ARM, "--goal", "0.4,0.2,0.5", code=2)
    assert out == ""


def test_targets():
    poses(5000)
    run(*ARM, "--targets", "in.npy", "-o", "alone.npz", "--threads", "2", code=1)
    for count in (1, 2, 7):
        out, _ = ranks(count, *ARM, "--targets", "in.npy", "-o", f"ranks{count}.npz", code=1)
        assert out.count("reached") == 1, "the first rank alone prints"
        assert read_bytes(f"ranks{count}.npz") == read_bytes("alone.npz"), count
    # A mistake in the file ends all of them.
    np.save(os.path.join(harness.FOLDER, "bad.npy"), np.full((100, 3), np.nan))
    _, err = ranks(3, *ARM, "--targets", "bad.npy", "-o", "bad.npz", code=2)
    assert "row 0" in err and not os.path.exists(os.path.join(harness.FOLDER, "bad.npz")), err


def test_a_killed_rank_costs_its_pieces_only():
    poses(100000)
    long = [*ARM, "--targets", "in.npy"]
    run(*long, "-o", "alone.npz", code=1)
    part = os.path.join(harness.FOLDER, "killed.npz.part")
    process = subprocess.Popen([*MPIRUN, "-np", "3", PROGRAM, *long, "-o", "killed.npz", "--mpi"], cwd=harness.FOLDER,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (os.path.exists(part) and os.stat(part).st_size > 200000):
        time.sleep(0.002)
    victims = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and parent_of(pid) == process.pid]
    assert len(victims) == 3, "it was over before a rank could be killed: the run is too short for this test"
    os.kill(victims[-1], signal.SIGKILL)
    assert process.wait(timeout=60) != 0
    kept = os.stat(part).st_size
    assert kept > 200000 and not os.path.exists(os.path.join(harness.FOLDER, "killed.npz"))
    _, err = ranks(3, *long, "-o", "killed.npz", code=1)
    assert "Going on from" in err, err
    assert read_bytes("killed.npz") == read_bytes("alone.npz")
    assert not os.path.exists(part)


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def test_workspace():
    work = ["workspace", "panda", "--tip", "panda_tcp", "--cells", "12", "--samples", "40000", "--orientations", "8"]
    run(*work, "-o", "alone.json")
    for count in (1, 2, 7):
        ranks(count, *work, "-o", f"ranks{count}.json")
        assert read_bytes(f"ranks{count}.json") == read_bytes("alone.json"), count


def test_where_to_put_the_base():
    harness.write("grasps.csv", "x,y,z\n1.2,0.3,0.4\n1.2,-0.3,0.4\n")
    work = ["workspace", "panda", "--tip", "panda_tcp", "--base-for", "grasps.csv", "--cells", "10", "--headings", "2"]
    run(*work, "-o", "alone.json")
    for count in (2, 5):
        out, _ = ranks(count, *work, "-o", f"ranks{count}.json")
        assert out.count("Best place") == 1, "the first rank alone prints"
        assert read_bytes(f"ranks{count}.json") == read_bytes("alone.json"), count


def test_retarget_of_a_folder():
    folder = os.path.join(harness.FOLDER, "motions")
    os.mkdir(folder)
    for name in ("cmu_02_01.bvh", "cmu_49_06.bvh", "threejs_pirouette.bvh"):
        shutil.copy(shared_data("bvh/" + name), folder)
    with open(os.path.join(folder, "broken.bvh"), "w", encoding="utf-8") as file:
        file.write("HIERARCHY\n")
    run("retarget", "motions", "human", "-o", "alone", code=1)
    names = sorted(os.listdir(os.path.join(harness.FOLDER, "alone")))
    assert names == ["cmu_02_01.bvh", "cmu_49_06.bvh", "threejs_pirouette.bvh"], names
    for name in names:
        run("retarget", f"motions/{name}", "human", "-o", "single.bvh")
        assert read_bytes("single.bvh") == read_bytes(f"alone/{name}")
    for count in (2, 5):
        ranks(count, "retarget", "motions", "human", "-o", f"ranks{count}", code=1)
        for name in names:
            assert read_bytes(f"ranks{count}/{name}") == read_bytes(f"alone/{name}"), (count, name)


main()
