"""`armature studio`: serves a page and a file on 127.0.0.1, takes a free port when its own is in use, ends on Ctrl-C."""
import base64
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

ARMATURE = os.environ["ARMATURE"]

ARM = """<robot name="arm">
  <link name="base"><visual><geometry><mesh filename="package://arm/meshes/base.STL"/></geometry></visual></link>
  <link name="tip"><visual><geometry><mesh filename="gone.stl"/></geometry></visual></link>
  <link name="bare"><visual><geometry><mesh filename="package://"/></geometry></visual></link>
  <joint name="hold" type="fixed"><parent link="base"/><child link="bare"/></joint>
  <link name="odd"><visual><geometry><mesh filename="secret.txt"/></geometry></visual></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="tip"/></joint>
  <joint name="stay" type="fixed"><parent link="base"/><child link="odd"/></joint>
</robot>"""


class StudioTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("index.html", "<p>page</p>")
        self.write("core.mjs", "export {}")
        self.robot = self.write("arm/urdf/arm one.urdf", ARM)
        self.write("arm/meshes/base.STL", "solid base")
        self.write("arm/urdf/secret.txt", "no")

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        return path

    def start(self, *arguments):
        command = [ARMATURE, "studio", "--no-browser", "--page", self.folder.name, *arguments]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.kill)
        line = server.stdout.readline()
        return server, re.search(r"http://127\.0\.0\.1:(\d+)/(\S*)", line)

    def get(self, port, path):
        request = urllib.request.Request(f"http://127.0.0.1:{port}/{path}", headers={"Accept-Encoding": "gzip, br"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read().decode(), answer.headers

    def test_serves_page_and_file_and_ends_cleanly(self):
        server, found = self.start("--port", "18231", self.robot)
        port, query = found.group(1), found.group(2)
        self.assertRegex(query, r"^\?file=arm%20one\.urdf&token=[0-9a-f]{32}$")
        token = query[-32:]
        self.assertIn("page", self.get(port, "")[0])
        headers = self.get(port, "core.mjs")[1]
        self.assertEqual(headers["Content-Type"], "text/javascript")
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertIsNone(headers["Content-Encoding"], "packing the page would take seconds")
        # Together they isolate the page, which gives it a finer clock.
        self.assertEqual(headers["Cross-Origin-Opener-Policy"], "same-origin")
        self.assertEqual(headers["Cross-Origin-Embedder-Policy"], "require-corp")
        self.assertEqual(self.get(port, f"{token}/files/arm%20one.urdf")[0], ARM)
        # The meshes that it names and that are there, found above the file; nothing else.
        self.assertEqual(json.loads(self.get(port, f"{token}/beside")[0]), ["base.STL"])
        self.assertEqual(self.get(port, f"{token}/beside/base.STL")[0], "solid base")
        for path in ("beside/secret.txt", "beside/..%2fsecret.txt", "beside/gone.stl"):
            with self.assertRaises(urllib.error.HTTPError):
                self.get(port, f"{token}/{path}")
        server.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(timeout=10), 0)

    def test_opens_a_built_in_model(self):
        server, found = self.start("panda")
        self.assertEqual(found.group(2), "#/pose?model=panda")
        server.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(timeout=10), 0)

    def test_refuses_a_broken_file(self):
        broken = self.write("broken.urdf", "<robot name='r'><link/></robot>")
        run = subprocess.run([ARMATURE, "studio", "--page", self.folder.name, broken], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("broken.urdf", run.stderr)

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

    def test_writes_one_page(self):
        out = os.path.join(self.folder.name, "robot.html")
        def write(*arguments):
            return subprocess.run([ARMATURE, "studio", "--page", self.folder.name, *arguments], capture_output=True, text=True)
        self.assertIn("armature_studio.html", write("panda", "-o", out).stderr)
        self.write("armature_studio.html", "an old page")
        self.assertIn("another version", write("panda", "-o", out).stderr)
        self.assertFalse(os.path.exists(out))
        self.write("armature_studio.html", 'a<script type="application/json" id="armature-given">{}</script>b')
        self.assertIn("end in .html", write("panda", "-o", out + ".txt").stderr)
        self.write("arm/meshes/other/base.STL", "solid another")
        twice = self.write("arm/urdf/twice.urdf", ARM.replace("gone.stl", "package://arm/meshes/other/base.STL"))
        self.assertIn("several meshes called 'base.STL'", write(twice, "-o", out).stderr)
        self.write("arm/urdf/arm <one>.urdf", ARM)
        for name, file in (("panda", "panda"), ("arm <one>.urdf", os.path.join(self.folder.name, "arm/urdf/arm <one>.urdf"))):
            run = write(file, "-o", out)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("written", run.stderr)
            with open(out) as page:
                text = page.read()
            inside = re.fullmatch(r'a<script type="application/json" id="armature-given">([^<]*)</script>b', text)
            model = json.loads(inside[1])["scene"]["model"]
            if name == "panda":
                self.assertEqual(model, "panda")
            else:
                self.assertEqual(model["file_name"], name)
                self.assertEqual(base64.b64decode(model["base64"]).decode(), ARM)
                self.assertEqual({n: base64.b64decode(d).decode() for n, d in model["files"].items()}, {"base.STL": "solid base"})


if __name__ == "__main__":
    unittest.main()
