"""The tutorial does not lie: every command of docs/tutorial and of the chapter is run, and what it prints is what the page shows.

In a ```console block a line that begins with "$ " is a command (run by bash, `armature` on the path, one folder per page);
the lines below it are its output, where "..." stands for any text. A block with a name behind its kind,
```json arm.json, is saved as that file first.
`tutorial_test.py --update` writes the outputs into the pages; look at the difference before you commit it.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(os.environ["ARMATURE"])
ROOT = os.path.abspath(os.environ.get("ARMATURE_ROOT", "."))
BLOCK = re.compile(r"^```(\w+)(?: +([\w./-]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(command, folder):
    environment = dict(os.environ, PATH=os.path.dirname(PROGRAM) + ":" + os.environ["PATH"], NO_COLOR="1")
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, check=False)
    return done.stdout.decode().rstrip("\n")


def matches(shown, printed):
    """Whether what the page shows fits what was printed; "..." stands for any text."""
    pattern = ".*".join(re.escape(part) for part in shown.split("..."))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


def check_page(path, update):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    failures = []
    commands = 0
    with tempfile.TemporaryDirectory() as folder:
        def visit(block):
            nonlocal commands
            kind, name, body = block.groups()
            if name:  # ```json arm.json: a file of that name
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(body)
            if kind != "console":
                return block.group(0)
            out = []
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                shown = shown.rstrip("\n")
                printed = run(command, folder)
                commands += 1
                if not matches(shown, printed):
                    failures.append(f"$ {command}\n--- the page shows\n{shown}\n--- but it prints\n{printed}")
                    shown = printed
                out.append(f"$ {command}\n{shown}".rstrip("\n") + "\n")
            return f"```{kind}\n" + "".join(out) + "```"
        new = BLOCK.sub(visit, text)
    if update and new != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)
        print(f"updated  {os.path.relpath(path, ROOT)}")
        return 0
    for failure in failures:
        print(f"FAILED   {os.path.relpath(path, ROOT)}\n{failure}\n")
    if not failures:
        print(f"ok       {os.path.relpath(path, ROOT)}: {commands} commands")
    return len(failures)


def main():
    pages = sorted(glob.glob(os.path.join(ROOT, "docs/tutorial/*.md"))) + [
        os.path.join(ROOT, page) for page in ("docs/formats/scene.md", "docs/chapter.md", "docs/teaching.md")]
    failures = sum(check_page(page, "--update" in sys.argv) for page in pages)
    sys.exit(1 if failures or not pages else 0)


main()
