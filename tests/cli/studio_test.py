"""`armature studio`: serves a page and a file on 127.0.0.1, takes a free port when its own is in use, ends on Ctrl-C."""
import os
import re
import signal
import socket
import subprocess
import tempfile
import unittest
import urllib.request

ARMATURE = os.environ["ARMATURE"]
HAS_STUDIO = "--no-browser" in subprocess.run([ARMATURE, "studio", "--help"], capture_output=True, text=True).stdout


@unittest.skipUnless(HAS_STUDIO, "built without cpp-httplib")
class StudioTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, text in {"index.html": "<p>page</p>", "core.mjs": "export {}", "arm one.urdf": "<robot/>"}.items():
            with open(os.path.join(self.folder.name, name), "w") as file:
                file.write(text)

    def start(self, *arguments):
        command = [ARMATURE, "studio", "--no-browser", "--page", self.folder.name, *arguments]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.kill)
        line = server.stdout.readline()
        return server, re.search(r"http://127\.0\.0\.1:(\d+)/(\S*)", line)

    def get(self, port, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=10) as answer:
            return answer.read().decode(), answer.headers["Content-Type"]

    def test_serves_page_and_file_and_ends_cleanly(self):
        server, found = self.start("--port", "18231", os.path.join(self.folder.name, "arm one.urdf"))
        port, query = found.group(1), found.group(2)
        self.assertEqual(query, "?file=arm%20one.urdf")
        self.assertIn("page", self.get(port, "")[0])
        self.assertEqual(self.get(port, "core.mjs")[1], "text/javascript")
        self.assertEqual(self.get(port, "files/arm%20one.urdf")[0], "<robot/>")
        server.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(timeout=10), 0)

    def test_takes_a_free_port(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            wanted = taken.getsockname()[1]
            server, found = self.start("--port", str(wanted))
            self.assertNotEqual(int(found.group(1)), wanted)
            self.assertIn("page", self.get(found.group(1), "")[0])
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(timeout=10), 0)

    def test_says_what_is_missing(self):
        run = subprocess.run([ARMATURE, "studio", "--page", "/nowhere"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("index.html", run.stderr)


if __name__ == "__main__":
    unittest.main()
