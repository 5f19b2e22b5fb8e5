"""ARMATURE_HOSTILE_SHARE=N runs one in N of the hostile calls, others for each commit: under AddressSanitizer all of them take half an hour."""
import os
import pathlib
import subprocess
import zlib


def pytest_collection_modifyitems(config, items):
    share = int(os.environ.get("ARMATURE_HOSTILE_SHARE") or 1)
    if share == 1:
        return
    here = pathlib.Path(__file__).parent
    commit = subprocess.run(["git", "-C", here, "rev-parse", "HEAD"], capture_output=True, text=True).stdout

    def chosen(item):
        return item.path.name != "hostile_test.py" or zlib.crc32((commit + item.nodeid).encode()) % share == 0

    config.hook.pytest_deselected(items=[item for item in items if not chosen(item)])
    items[:] = [item for item in items if chosen(item)]
