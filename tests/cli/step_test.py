"""`armature step` prints one iteration so that it can be computed again: this test does it, from the text alone."""
import math
import re

from harness import main, refuses, run, run_json


def multiply(A, B):
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]


def transposed(A):
    return [list(column) for column in zip(*A)]


def column(v):
    return [[x] for x in v]


def flat(M):
    return [row[0] for row in M]


def inverse(M):
    n = len(M)
    rows = [list(row) + [1.0 if i == j else 0.0 for j in range(n)] for i, row in enumerate(M)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i and rows[r][i] != 0.0:
                rows[r] = [x - rows[r][i] * y for x, y in zip(rows[r], rows[i])]
    return [row[n:] for row in rows]


def pseudoinverse(A, damping=0.0):
    """J+, of any rank; or the damped inverse of eq 5.24."""
    if damping == 0.0:
        parts = singular_vectors(A)
        out = [[0.0] * len(A) for _ in A[0]]
        for u, s, v in parts:
            if s > 1e-9 * parts[0][1]:
                out = [[x + v[r] * u[c] / s for c, x in enumerate(row)] for r, row in enumerate(out)]
        return out
    T = transposed(A)
    wide = len(A) <= len(A[0])
    gram = multiply(A, T) if wide else multiply(T, A)
    for i, row in enumerate(gram):
        row[i] += damping * damping
    return multiply(T, inverse(gram)) if wide else multiply(inverse(gram), T)


def singular_vectors(A):
    """(u, s, v) with A = sum s u v', by turning pairs of rows until they are orthogonal."""
    rows = [list(row) for row in A]
    turns = [[1.0 if i == j else 0.0 for j in range(len(A))] for i in range(len(A))]
    for _ in range(60):
        for i in range(len(rows)):
            for j in range(i + 1, len(rows)):
                a, b = sum(x * x for x in rows[i]), sum(x * x for x in rows[j])
                c = sum(x * y for x, y in zip(rows[i], rows[j]))
                if abs(c) < 1e-300 or abs(c) <= 1e-16 * math.sqrt(a * b):
                    continue
                angle = 0.5 * math.atan2(2 * c, a - b)
                cosine, sine = math.cos(angle), math.sin(angle)
                for M in (rows, turns):
                    M[i], M[j] = ([cosine * x + sine * y for x, y in zip(M[i], M[j])],
                                  [cosine * y - sine * x for x, y in zip(M[i], M[j])])
    found = []
    for row, u in zip(rows, turns):
        s = math.sqrt(sum(x * x for x in row))
        if s > 0.0:
            found.append((u, s, [x / s for x in row]))
    return sorted(found, key=lambda entry: -entry[1])


def clamped(v, most):
    largest = max(abs(x) for x in v)
    return [x * most / largest for x in v] if largest > most else v


class Printed:
    """What the text says, and nothing else."""

    def __init__(self, text):
        lines = text.splitlines()
        self.equation = next((line.strip() for line in lines if line.strip().startswith("change = ")), "")
        self.scalars = {}
        for name in ("lambda", "alpha", "gamma", "k", "s"):
            found = re.search(rf"^    {name} = (\S+)", text, re.M)
            if found:
                self.scalars[name] = float(found.group(1))
        found = re.search(r"^    clamp_i = (.*)$", text, re.M)
        self.clamps = [float(x) for x in found.group(1).split()] if found else []
        head = next(i for i, line in enumerate(lines) if re.match(r"  J  ", line))
        names = lines[head].split()[1:]
        self.joints = names[:next(i for i, name in enumerate(names) if name in ("V", "error"))]
        n = len(self.joints)
        clamp = 1 if "error" in names else 0
        self.J, self.V, self.w, self.z = [], [], [1.0] * n, [0.0] * n
        self.rows, self.decimals = [], 0
        for line in lines[head + 1:]:
            cells = line.split()
            if not cells:
                break
            numbers = [float(x) for x in cells[1:1 + n]]
            if cells[0] == "w" and len(cells) == n + 1:
                self.w = numbers
            elif cells[0] == "z" and len(cells) == n + 1:
                self.z = numbers
            else:
                self.rows.append(cells[0])
                self.J.append(numbers)
                self.V.append(float(cells[1 + n + clamp]))
                self.decimals = max(len(x.partition(".")[2]) for x in cells[1:1 + n])
        start = next(i for i, line in enumerate(lines) if re.match(r"  joint ", line))
        headings = re.split(r"\s{2,}", lines[start].strip())
        self.change, self.lines = {}, {}
        for line in lines[start + 1:]:
            if not line.strip():
                break
            name = line.split()[0]
            cells = re.split(r"\s{2,}", line.strip())
            self.lines[name] = line
            key = "asked" if "asked" in headings else "change"
            if re.match(r"(rad|length)\b", cells[-1]):  # units stand behind the columns
                cells.pop()
            offset = len(headings) - len(cells)  # a ball's part has no value before
            self.change[name] = float(cells[headings.index(key) - offset])
        self.text = text

    def step(self):
        """The change that the printed equation gives."""
        active = [c for c, w in enumerate(self.w) if w > 0.0]
        A = [[row[c] * self.w[c] for c in active] for row in self.J]
        k, equation = self.scalars.get("k", 1.0), self.equation
        if "lambda" in equation:
            u = flat(multiply(pseudoinverse(A, self.scalars["lambda"]), column(self.V)))
        elif "alpha" in equation:
            u = [self.scalars["alpha"] * x for x in flat(multiply(transposed(A), column(self.V)))]
        elif "clamp" in equation:
            u = [0.0] * len(active)
            for (left, s, right), most in zip(singular_vectors(A), self.clamps):
                part = clamped([sum(x * y for x, y in zip(left, self.V)) / s * x for x in right], most)
                u = [x + y for x, y in zip(u, part)]
            u = clamped(u, self.scalars["gamma"])
        else:
            u = flat(multiply(pseudoinverse(A), column(self.V)))
        u = [k * x for x in u]
        if " z" in equation:
            z = [self.z[c] for c in active]
            back = flat(multiply(pseudoinverse(A), multiply(A, column(z))))
            u = [x - (a - b) for x, a, b in zip(u, z, back)]
        change = [0.0] * len(self.joints)
        for x, c in zip(u, active):
            change[c] = self.scalars.get("s", 1.0) * self.w[c] * x
        return change

    def check(self, what):
        assert self.equation, f"{what}: no equation\n{self.text}"
        slack = 2.1 * 10.0 ** -min(self.decimals, 12) + 1e-9
        for name, got in zip(self.joints, self.step()):
            assert abs(got - self.change[name]) <= slack, f"{what}: {name} {got} is not {self.change[name]}\n{self.text}"


CASES = [
    ("planar_arm", "--goal", "-20,5"),
    ("planar_arm", "--goal", "-20,5", "--joint-weights", "joint2=0.3", "--step-size", "0.5"),
    ("planar_arm", "--goal", "tip=-20,5", "--posture", "0,0,0", "--gain", "0.1,0.5,0.1"),
    ("panda", "--goal", "0.4,0.2,0.5", "--max-step", "0.05"),
    ("panda", "--goal", "0.4,0.2,0.5,1,0,0,0"),
    ("panda", "--goal", "0.4,0.2,0.5,1,0,0,0", "--posture", "ready", "--gain", "0.5"),
    ("scara", "--goal", "0.3,0.2,0.1"),
    ("human", "--goal", "right_hand=0.3,-0.4,1.2", "--locked", "root"),
    ("two_link", "--goal", "0.5,0.5"),
]


def joints_of(model):
    return [joint["name"] for joint in run_json("info", model)["joints"] if joint["v_size"] > 0]


def test_the_printed_system_gives_the_printed_step():
    solved = 0
    for model, *flags in CASES:
        if "--gain" in flags and "," in flags[flags.index("--gain") + 1]:
            at = flags.index("--gain") + 1
            flags[at] = ",".join(f"{name}={gain}" for name, gain in zip(joints_of(model), flags[at].split(",")))
        if "joint2=0.3" in flags:
            flags[flags.index("joint2=0.3")] = f"{joints_of(model)[1]}=0.3"
        for method in ("dls", "pseudoinverse", "transpose", "sdls", "inverse"):
            for iteration in (1, 2, 5):
                arguments = ["step", model, *flags, "--method", method, "--iteration", str(iteration)]
                if method == "inverse" and model != "two_link":
                    refuses(*arguments, words=["square"])
                    break
                text, _ = run(*arguments)
                if "ended here" in text or "Nothing to do" in text:
                    break
                Printed(text).check(" ".join(arguments))
                solved += 1
    assert solved > 60, solved


def test_as_many_decimals_as_the_rounded_change_needs():
    # What is printed is rounded on both sides: these fell between.
    for arguments in (("stanford_arm", "--goal", "tool=0.57,0.03,0.06", "--iteration", "2"),
                      ("ur5", "--goal", "tool0=0.55,0.42,-0.31", "--iteration", "2"),
                      ("panda", "--goal", "panda_tcp=-0.04,-0.49,0.51", "--iteration", "2"),
                      ("panda", "--goal", "panda_tcp=-0.41,-0.57,0.1", "--iteration", "4")):
        Printed(run("step", *arguments, "--method", "dls", "--damping", "0.001")[0]).check(" ".join(arguments))


def test_a_step_that_nothing_can_take_says_so():
    # Every joint that would help stands at its limit; alpha is printed all the same.
    text, _ = run("step", "two_link", "--start", "0,0", "--goal", "3,0", "--method", "transpose")
    assert "alpha = 0.000" in text and "The pose is singular" in text and "stayed at" in text, text
    joints = joints_of("two_link")
    limits = ",".join(f"{name}=0..1" for name in joints)
    text, _ = run("step", "two_link", "--start", "0,0", "--limits", limits, "--goal", "1,-1", "--method", "dls")
    assert "No joint can move" in text and "stayed at" in text, text


def test_scalars_are_printed_only_where_they_are_used():
    plain = Printed(run("step", "planar_arm", "--goal", "-20,5", "--max-step", "10")[0])
    assert set(plain.scalars) == {"lambda"} and " z" not in plain.equation and plain.rows == ["v_x", "v_y"]
    cut = Printed(run("step", "planar_arm", "--goal", "-20,5", "--max-step", "0.1")[0])
    assert 0.0 < cut.scalars["s"] < 1.0 and cut.equation.startswith("change = s ")
    whole = Printed(run("step", "panda", "--goal", "0.4,0.2,0.5,1,0,0,0")[0])
    assert whole.rows == ["v_x", "v_y", "v_z", "w_x", "w_y", "w_z"] and "rotation weight" in whole.text
    assert "J of panda_tcp" in whole.text


def test_slides_are_lengths_and_limits_are_named():
    text, _ = run("step", "scara", "--goal", "0.3,0.2,0.9", "--method", "pseudoinverse", "--max-step", "0")
    printed = Printed(text)
    slides = [joint["name"] for joint in run_json("info", "scara")["joints"] if joint["type"] == "prismatic"]
    for name in slides:
        assert "deg" not in printed.lines[name] and "length" in printed.lines[name], text
    assert "limit" in text and ("upper" in text or "lower" in text) and re.search(r"at (its|their) limits?", text), text
    printed.check("scara")


def test_no_rounding_noise_is_printed():
    for arguments in (("panda", "--goal", "0.4,0.2,0.5"), ("planar_arm", "--goal", "-20,5"), ("human", "--goal", "right_hand=0.3,-0.4,1.2")):
        text, _ = run("step", *arguments)
        assert not re.search(r"e-1[4-9]|-0\.000\b|-0\b(?!\.)", text), text


def test_a_singular_pose_is_said():
    joints = joints_of("planar_arm")
    start = ",".join(f"{name}=0" for name in joints)
    text, _ = run("step", "planar_arm", "--goal", "10,0", "--start", start)
    assert "singular" in text, text


def test_every_method_begins_at_the_start():
    for method in run_json("methods")["methods"]:
        name = method["name"]
        try:
            step = run_json("step", "panda", "--goal", "0.4,0.2,0.5", "--start", "ready", "--method", name)
        except AssertionError:
            continue  # it cannot take the goal, and says so
        ready = run_json("info", "panda")["poses"]["ready"]
        for joint, value in ready.items():
            assert step["pose"][joint] == value, (name, joint)


def test_turns_of_coordinate_descent_and_the_triangle():
    step = run_json("step", "planar_arm", "--goal", "-20,5", "--method", "ccd")
    assert [turn["column"] for turn in step["turns"]] == list(reversed(joints_of("planar_arm")))
    made = {turn["column"]: turn["made"] for turn in step["turns"]}
    for entry in step["columns"]:
        assert abs(made[entry["name"]] - entry["step"]) < 1e-9
    assert "best turn" in run("step", "planar_arm", "--goal", "-20,5", "--method", "ccd")[0]
    step = run_json("step", "two_link", "--goal", "0.5,0.5", "--method", "two_link")
    a, b, d = (step["triangle"][side] for side in ("upper", "lower", "distance"))
    angle = math.acos((a * a + b * b - d * d) / (2 * a * b))
    elbow = step["columns"][1]
    bent = math.pi - abs(math.remainder(elbow["before"] + elbow["step"], 2 * math.pi))
    assert abs(bent - angle) < 1e-9, step


def test_compare_starts_alike_and_times_repeatedly():
    answer = run_json("compare", "panda", "--goal", "0.4,0.2,0.5", "--methods", "dls,reach,pseudoinverse")
    first = {row["errors"][0] for row in answer["rows"]}
    assert max(first) - min(first) < 1e-12, first
    for row in answer["rows"]:
        low, median, high = row["microseconds"]
        assert 0.0 < low <= median <= high
    assert answer["fastest"] in ("", "dls", "reach", "pseudoinverse")


main()
