"""The studio's server against clients that mean harm: raw requests over sockets, and a page of another origin in a real browser."""
import contextlib
import http.server
import json
import os
import queue
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

ARMATURE = os.environ["ARMATURE"]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CHROMIUM_HEADLESS = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

GLTF = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "a", "children": [1]}, {"name": "b", "translation": [1, 0, 0]}]}
WAIT = 60  # seconds until a test gives up on an answer; a busy machine is not a failure


class Answer:
    def __init__(self, raw):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split()[1]) if raw else 0
        self.headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])} if raw else {}


class Server:
    """`armature studio` with a page in a folder, and below it a model."""

    def __init__(self, test, *arguments):
        self.folder = tempfile.TemporaryDirectory()
        test.addCleanup(self.folder.cleanup)
        os.mkdir(self.path("page"))
        os.mkdir(self.path("model"))
        self.write("page/index.html", "<p id=page>the page</p>")
        self.write("page/.secret", "hidden")
        self.write("secret.bin", "SECRET")
        self.write("model/arm.bin", "BUFFER")
        self.arguments = arguments

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def start(self, test, *arguments):
        command = [ARMATURE, "studio", "--no-browser", "--page", self.path("page"), *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        test.addCleanup(self.process.stdout.close)
        test.addCleanup(self.process.stderr.close)
        test.addCleanup(self.process.wait)
        test.addCleanup(self.process.kill)
        found = re.search(r"http://127\.0\.0\.1:(\d+)/(\S*)", self.process.stdout.readline())
        self.port, self.address = int(found.group(1)), found.group(2)
        token = re.search(r"token=(\w+)", self.address)
        self.token = token.group(1) if token else ""
        return self

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT)

    def raw(self, request):
        with self.connect() as client:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                client.sendall(request)
            answer = b""
            with contextlib.suppress(ConnectionResetError):
                while piece := client.recv(1 << 16):
                    answer += piece
            return Answer(answer)

    def get(self, path, method="GET", host=None, more="", body=""):
        host = f"127.0.0.1:{self.port}" if host is None else host
        return self.raw(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n{body}".encode("latin-1"))


def gltf(uri):
    return json.dumps(GLTF | {"buffers": [{"uri": uri, "byteLength": 1}]})


class ServerTest(unittest.TestCase):
    def serve(self, uri="arm.bin", *arguments):
        server = Server(self)
        server.write("model/arm.gltf", gltf(uri))
        return server.start(self, server.path("model/arm.gltf"), *arguments)

    def test_serves_the_model_below_the_token_only(self):
        server = self.serve()
        self.assertEqual(len(server.token), 32)
        self.assertEqual(json.loads(server.get(f"/{server.token}/beside").body), ["arm.bin"])
        self.assertEqual(server.get(f"/{server.token}/beside/arm.bin").body, b"BUFFER")
        self.assertEqual(server.get(f"/{server.token}/files/arm.gltf").body, gltf("arm.bin").encode())
        wrong = server.token[:-1] + ("0" if server.token[-1] != "0" else "1")
        for path in ("/beside", "/beside/arm.bin", "/files/arm.gltf", f"/{wrong}/beside", f"/{wrong}/beside/arm.bin", f"/{wrong}/files/arm.gltf",
                     f"/{server.token}/files/other", f"/{server.token}/beside/arm.gltf", f"/{server.token}/", f"/{server.token}"):
            self.assertEqual(server.get(path).status, 404, path)
        self.assertNotEqual(self.serve().token, server.token)

    def test_refuses_models_that_name_other_files(self):
        for uri in ("/etc/passwd", "../secret.bin", "%2e%2e/secret.bin", "/proc/self/environ", "link.bin"):
            server = Server(self)
            os.symlink("../secret.bin", server.path("model/link.bin"))
            path = server.write("model/arm.gltf", gltf(uri))
            done = subprocess.run([ARMATURE, "studio", "--no-browser", "--page", server.path("page"), path], capture_output=True, text=True,
                                  timeout=WAIT, check=False)
            self.assertEqual(done.returncode, 2, uri)
            self.assertIn("/buffers/0/uri", done.stderr)

    def test_looks_again_at_each_request(self):
        server = self.serve()
        os.remove(server.path("model/arm.bin"))
        os.symlink("../secret.bin", server.path("model/arm.bin"))
        self.assertEqual(server.get(f"/{server.token}/beside/arm.bin").status, 404)
        os.remove(server.path("model/arm.bin"))
        os.mkfifo(server.path("model/arm.bin"))
        self.assertEqual(server.get(f"/{server.token}/beside/arm.bin").status, 404)
        os.remove(server.path("model/arm.gltf"))
        os.mkfifo(server.path("model/arm.gltf"))
        self.assertEqual(server.get(f"/{server.token}/files/arm.gltf").status, 404)
        self.assertEqual(server.get("/").status, 200)

    def test_a_model_that_is_a_pipe_is_refused(self):
        server = Server(self)
        os.mkfifo(server.path("pipe.urdf"))
        done = subprocess.run([ARMATURE, "studio", "--no-browser", "--page", server.path("page"), server.path("pipe.urdf")],
                              capture_output=True, text=True, timeout=WAIT, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("not a regular file", done.stderr)

    def test_answers_only_to_its_own_name(self):
        server = self.serve()
        port = server.port
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}"):
            self.assertEqual(server.get("/", host=host).status, 200, host)
        for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}",
                     f"127.0.0.1:{port}:{port}", f"x@127.0.0.1:{port}", ""):
            for path in ("/", f"/{server.token}/beside", f"/{server.token}/beside/arm.bin"):
                answer = server.get(path, host=host)
                self.assertEqual(answer.status, 421, host)
                self.assertNotIn(b"page", answer.body)
        self.assertEqual(server.raw(b"GET / HTTP/1.1\r\n\r\n").status, 400)
        self.assertEqual(server.raw(b"GET / HTTP/1.0\r\n\r\n").status, 400)
        twice = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\n\r\n"
        self.assertEqual(server.raw(twice.encode()).status, 400)
        whole = f"GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        self.assertEqual(server.raw(whole.encode()).status, 400)

    def test_refuses_what_scripts_of_other_pages_ask(self):
        server = self.serve()
        own = f"http://127.0.0.1:{server.port}"
        self.assertEqual(server.get("/", more=f"Origin: {own}\r\nSec-Fetch-Site: same-origin\r\n").status, 200)
        self.assertEqual(server.get("/", more="Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n").status, 200)
        for more in ("Origin: http://evil.example\r\n", "Origin: null\r\n", f"Origin: {own}.evil.example\r\n", f"Origin: http://127.0.0.1:{server.port + 1}\r\n",
                     "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n", "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\n"):
            self.assertEqual(server.get(f"/{server.token}/beside", more=more).status, 403, more)

    def test_headers(self):
        server = self.serve()
        for path in ("/", f"/{server.token}/beside", f"/{server.token}/beside/arm.bin", "/none"):
            headers = server.get(path).headers
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["cross-origin-resource-policy"], "same-origin")
            self.assertEqual(headers["x-frame-options"], "DENY")
            self.assertEqual(headers["referrer-policy"], "no-referrer")
            policy = headers["content-security-policy"]
            for words in ("default-src 'none'", "script-src 'self' 'wasm-unsafe-eval';", "frame-ancestors 'none'", "base-uri 'none'"):
                self.assertIn(words, policy)
            self.assertNotIn("access-control-allow-origin", headers)
        for path in ("/?embed", "/?a=1&embed=1"):
            headers = server.get(path).headers
            self.assertNotIn("frame-ancestors", headers["content-security-policy"])
            self.assertNotIn("x-frame-options", headers)
        self.assertIn("x-frame-options", server.get("/?embedded").headers)
        self.assertIn("x-frame-options", server.get(f"/{server.token}/beside?embed").headers)

    def test_paths(self):
        server = self.serve()
        for path in ("/..", "/../secret.bin", "/%2e%2e/secret.bin", "/..%2fsecret.bin", "/a%00b", "/index.html%00.js", "/a%0ab", "/..%5csecret.bin", "/%",
                     "/%zz", "/a%2", "*", "index.html", "/a b", "/a\x80", "/#x"):
            self.assertEqual(server.get(path).status, 400, path)
        for path in ("/none", "/.secret", "/page", "//etc/passwd", "/%252e%252e/secret.bin"):
            self.assertEqual(server.get(path).status, 404, path)
        os.symlink("../secret.bin", server.path("page/link.bin"))
        self.assertEqual(server.get("/link.bin").status, 404)
        self.assertEqual(server.get("/index.html?x=%00").status, 200)

    def test_methods_bodies_and_versions(self):
        server = self.serve()
        page = server.get("/", method="HEAD")
        self.assertEqual((page.status, page.body, page.headers["content-length"]), (200, b"", "23"))
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get"):
            self.assertEqual(server.get("/", method=method).status, 405, method)
        self.assertEqual(server.get("/", more="Content-Length: 4\r\n", body="body").status, 413)
        self.assertEqual(server.get("/", more="Content-Length: 99999999999999999999\r\n").status, 413)
        self.assertEqual(server.get("/", more="Transfer-Encoding: chunked\r\n", body="4\r\nbody\r\n0\r\n\r\n").status, 413)
        self.assertEqual(server.get("/", more="Content-Length: 0\r\n").status, 200)
        # A body that is not read is not taken for a second request.
        smuggled = f"GET /{server.token}/beside HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n"
        answer = server.get("/", more=f"Content-Length: {len(smuggled)}\r\n", body=smuggled)
        self.assertNotIn(b"arm.bin", answer.body)
        self.assertEqual(server.raw(b"GET / HTTP/2.0\r\n\r\n").status, 505)
        for request in (b"\r\n\r\n", b"GET /\r\n\r\n", b"\x16\x03\x01\x02\x00\r\n\r\n", b"GET / HTTP/1.1 x\r\n\r\n"):
            self.assertEqual(server.raw(request).status, 400, request)
        for more in ("a b: c\r\n", "nothing\r\n", ": c\r\n", "a: b\x00c\r\n", "a: b\r\n folded\r\n", "a : b\r\n"):
            self.assertEqual(server.get("/", more=more).status, 400, more)

    def test_limits(self):
        server = self.serve()
        self.assertEqual(server.get("/?" + "x" * 8000).status, 200)
        self.assertEqual(server.get("/?" + "x" * 9000).status, 414)
        self.assertEqual(server.raw(b"x" * 1000000).status, 414)
        self.assertEqual(server.get("/", more="".join(f"a{i}: b\r\n" for i in range(200))).status, 431)
        self.assertEqual(server.get("/", more="a: " + "b" * 20000 + "\r\n").status, 431)
        self.assertEqual(server.get("/").status, 200)

    def test_several_requests_at_once_and_in_pieces(self):
        server = self.serve()
        request = f"GET /{server.token}/beside/arm.bin HTTP/1.1\r\nHost: localhost:{server.port}\r\n\r\n".encode()
        last = request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        self.assertEqual(server.raw(request * 9 + last).body.count(b"BUFFER"), 10)
        with server.connect() as client:
            for i in range(len(last)):
                client.sendall(last[i:i + 1])
            self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 200"))

    def test_large_files_come_whole(self):
        server = self.serve()
        data = os.urandom(5_000_000)
        with open(server.path("page/large.bin"), "wb") as file:
            file.write(data)
        self.assertEqual(server.get("/large.bin").body, data)

    def test_a_thousand_idle_connections_do_not_block_the_page(self):
        server = self.serve()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = 1000 if hard == resource.RLIM_INFINITY or hard >= 1200 else hard - 200
        if soft != resource.RLIM_INFINITY and soft < most + 100:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most + 100, hard))
        with contextlib.ExitStack() as clients:
            for _ in range(most):
                clients.enter_context(server.connect())
            for _ in range(5):
                self.assertIn(b"the page", server.get("/").body)

    def test_forty_connections_that_drip_or_do_not_read_do_not_block_the_page(self):
        server = self.serve()
        with open(server.path("page/large.bin"), "wb") as file:
            file.write(bytes(20_000_000))
        with contextlib.ExitStack() as clients:
            drips = [clients.enter_context(server.connect()) for _ in range(40)]
            deaf = [clients.enter_context(server.connect()) for _ in range(40)]
            for client in deaf:
                client.sendall(f"GET /large.bin HTTP/1.1\r\nHost: localhost:{server.port}\r\n\r\n".encode())
            for byte in b"GET / H":
                for client in drips:
                    client.sendall(bytes([byte]))
                self.assertIn(b"the page", server.get("/").body)

    def test_few_descriptors(self):
        server = self.serve()
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (20, 20))
        with contextlib.ExitStack() as clients:
            for _ in range(60):
                clients.enter_context(server.connect())
            self.assertIn(b"the page", server.get("/").body)

    def test_ends_while_clients_wait(self):
        server = self.serve()
        with server.connect(), server.connect() as half:
            half.sendall(b"GET / HT")
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(timeout=WAIT), 0)


EVIL = """<!doctype html><body><script>
const target = 'http://127.0.0.1:PORT/', token = 'TOKEN', seen = [];
const wait = (what, element) => new Promise((done) => {
  element.onload = () => { seen.push(what + ' loaded'); done(); };
  element.onerror = () => { seen.push(what + ' refused'); done(); };
  document.body.append(element);
});
const text = (what, path, options) => fetch(target + path, options).then((a) => a.text()).then((t) => seen.push(what + ' read [' + t + ']'), () => seen.push(what + ' refused'));
(async () => {
  await text('page', '', {});
  await text('beside', token + '/beside', {});
  await text('buffer', token + '/beside/arm.bin', {});
  await text('opaque', token + '/beside', { mode: 'no-cors' });
  await wait('script', Object.assign(document.createElement('script'), { src: target + 'theme.js' }));
  const said = new Promise((done) => { window.onmessage = (event) => { seen.push('frame ' + event.data + ' shown'); if (event.data === '?embed') done(); }; });
  for (const query of ['', '?embed']) document.body.append(Object.assign(document.createElement('iframe'), { src: target + query }));
  await said;
  await fetch('/report', { method: 'POST', body: seen.join('; ') });
})();
</script>"""


@unittest.skipUnless(CHROMIUM, "there is no Chromium on this machine")
class BrowserTest(unittest.TestCase):
    def dump(self, address):
        """The page's document once its scripts have run."""
        with tempfile.TemporaryDirectory() as profile:
            done = subprocess.run([*CHROMIUM_HEADLESS, f"--user-data-dir={profile}", "--virtual-time-budget=20000", "--dump-dom", address],
                                  capture_output=True, text=True, timeout=240, check=False)
        return done.stdout

    def elsewhere(self, text):
        """A server of another origin that has one page; its port, and what the page reports."""
        reports = queue.Queue()

        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(text.encode())

            def do_POST(self):
                reports.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.send_response(204)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=other.serve_forever, daemon=True).start()
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        return other.server_port, reports

    def test_a_page_of_another_origin_reads_nothing_even_when_it_knows_the_token(self):
        server = Server(self)
        server.write("page/index.html", "<p>the page</p><script src=theme.js></script>")
        server.write("page/theme.js", "parent.postMessage(location.search, '*')")
        server.write("model/arm.gltf", gltf("arm.bin"))
        server.start(self, server.path("model/arm.gltf"))
        port, reports = self.elsewhere(EVIL.replace("PORT", str(server.port)).replace("TOKEN", server.token))
        for host in ("127.0.0.1", "localhost"):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
                browser = subprocess.Popen([*CHROMIUM_HEADLESS, f"--user-data-dir={profile}", f"http://{host}:{port}/"], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL, start_new_session=True)
                try:
                    seen = reports.get(timeout=240).split("; ")
                finally:
                    os.killpg(browser.pid, signal.SIGKILL)
                    browser.wait()
            self.assertEqual(seen, ["page refused", "beside refused", "buffer refused", "opaque refused", "script refused", "frame ?embed shown"])

    def test_the_page_itself_reads_them(self):
        server = Server(self)
        server.write("page/index.html", "<pre id=out>waiting</pre><script>document.getElementById('out').textContent = 'inline'</script><script src=own.js></script>")
        server.write("page/own.js", """const token = new URLSearchParams(location.search).get('token');
fetch(token + '/beside').then((a) => a.text()).then((t) => { document.getElementById('out').textContent += ' read ' + t; });""")
        server.write("model/arm.gltf", gltf("arm.bin"))
        server.start(self, server.path("model/arm.gltf"))
        shown = self.dump(f"http://127.0.0.1:{server.port}/{server.address}")
        self.assertIn('waiting read ["arm.bin"]', shown)  # and the script inside the page did not run


if __name__ == "__main__":
    unittest.main()
