"""The frame: overview, help, version, exit codes, mistakes in the arguments, colours."""
from harness import main, refuses, run, run_json



def commands():
    out, _ = run("help")
    lines = out[out.index("Commands\n"):out.index("\nTry")].splitlines()[1:]
    return [line.split()[0] for line in lines if line.strip()]


def test_help_gives_an_overview():
    out, err = run("help")
    for word in ("models", "info", "fk", "convert", "check", "--help", "Try"):
        assert word in out
    assert err == ""


def test_without_arguments_draws_the_figures_and_compares_the_methods():
    import os
    import subprocess
    import tempfile
    from harness import PROGRAM
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([os.path.abspath(PROGRAM)], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        for method in ("pseudoinverse", "dls", "sdls", "transpose", "ccd", "fabrik", "reach"):
            assert method in done.stdout, method
        pictures = os.listdir(os.path.join(folder, "out", "figures"))
        assert sum(name.endswith(".svg") for name in pictures) >= 14, pictures


def test_version():
    out, _ = run("--version")
    name, number = out.split()
    assert name == "armature" and len(number.split(".")) == 3


def test_every_command_has_help_with_examples():
    for command in commands():
        out, _ = run(command, "--help")
        assert "Examples:" in out and f"armature {command}" in out, command
        assert run("help", command)[0] == out


def test_every_command_that_answers_has_json():
    for command in commands():
        if command in ("studio", "demo", "completion", "python"):  # open a browser, print a script, or run one
            continue
        assert "--json" in run(command, "--help")[0], command


def test_unknown_command_and_option_suggest_the_nearest():
    refuses("inof", words=["'inof'", "'info'", "models"])
    refuses("fk", "planar_arm", "--poze", "joint1=1", words=["--poze", "did you mean '--pose'"])
    refuses("fk", words=["MODEL", "armature fk --help"])
    refuses("info", "human", "extra", words=["extra"])


def test_colours_only_on_a_terminal():
    for environment in ({}, {"NO_COLOR": "1"}):
        assert "\x1b" not in run("info", "panda", env=environment)[0]


def test_output_that_cannot_be_written_is_an_error():
    import os
    import subprocess
    from harness import PROGRAM
    if not os.path.exists("/dev/full"):
        return
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([PROGRAM, "info", "human", "--json"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2 and b"could not be written" in done.stderr


def test_models():
    models = run_json("models")["models"]
    names = [model["name"] for model in models]
    for name in ("two_link", "planar_arm", "two_arms", "orbit", "human", "hand", "puma560", "stanford_arm", "scara", "ur5",
                 "panda"):
        assert name in names, name
    assert all(model["doc"] for model in models)
    text, _ = run("models")
    assert all(name in text for name in names)


main()
