"""`armature python`: the interpreter, with the module that lies beside the program."""
import os
import shutil
import subprocess

import harness
from harness import PROGRAM, main, write


def copied(*arguments, module):
    """Runs a copy of the program in a folder of its own, with a stand-in for the module beside it or without."""
    program = os.path.join(harness.FOLDER, "armature")
    shutil.copy(PROGRAM, program)
    if module:
        os.makedirs(os.path.join(harness.FOLDER, "python/armature"))
        write("python/armature/__init__.py", "where = 'beside'\n")
    return subprocess.run([program, *arguments], capture_output=True, text=True, cwd=harness.FOLDER, timeout=60, check=False,
                          env={**os.environ, "PYTHONNOUSERSITE": "1"})


def test_a_script_sees_the_module_and_its_arguments():
    write("script.py", "import sys, armature\nprint(armature.where, sys.argv[1:])\nsys.exit(3)\n")
    done = copied("python", "script.py", "--json", "x", module=True)
    assert (done.stdout, done.returncode) == ("beside ['--json', 'x']\n", 3), done


def test_a_missing_module_is_named():
    have = subprocess.run(["/usr/bin/python3", "-c", "import armature"], capture_output=True, check=False).returncode == 0
    if have:
        raise harness.Skip("the module is installed here")
    done = copied("python", module=False)
    assert done.returncode == 2 and "./run python" in done.stderr and "pip install ." in done.stderr, done


main()
