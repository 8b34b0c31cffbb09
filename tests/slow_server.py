#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""slow_server.py DIR PORTFILE: serve the repositories and bundles in DIR over HTTP, on a free port of 127.0.0.1.
Writes the URL to PORTFILE, which is then renamed to PORTFILE.ready. A path that begins with /wait-SECONDS/ is
answered so much later, with /post-SECONDS/ only to POST; /auth/ needs user u and password p. Appends the
nanoseconds that each such request took to the file that the environment variable NAPS names."""
import base64, http.server, os, subprocess, sys, time
root = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"
    def log_message(self, *a): pass
    def do_GET(self): self.serve()
    def do_POST(self): self.serve()
    def serve(self):
        begun = time.monotonic_ns()
        self.answer()
        if "NAPS" in os.environ and self.path.startswith(("/wait-", "/post-")):
            with open(os.environ["NAPS"], "a") as naps:
                naps.write("%d\n" % (time.monotonic_ns() - begun))
    def answer(self):
        path, _, query = self.path.partition("?")
        wait, _, rest = path[6:].partition("/")
        if path.startswith(("/wait-", "/post-")):
            if path.startswith("/wait-") or self.command == "POST":
                time.sleep(float(wait))
            path = "/" + rest
        if path.endswith(".bundle"):
            with open(root + path, "rb") as file:
                body = file.read()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        if path.startswith("/auth/"):
            path = path[5:]
            if self.headers.get("Authorization") != "Basic " + base64.b64encode(b"u:p").decode():
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="x"')
                self.end_headers()
                return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "GIT_PROJECT_ROOT": root, "GIT_HTTP_EXPORT_ALL": "1",
               "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command,
               "CONTENT_TYPE": self.headers.get("Content-Type") or "",
               "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or "",
               "GIT_PROTOCOL": self.headers.get("Git-Protocol") or ""}
        head, _, rest = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True).stdout.partition(b"\r\n\r\n")
        status = 200
        fields = [line.split(b": ", 1) for line in head.split(b"\r\n")]
        for field in fields:
            if field[0] == b"Status": status = int(field[1].split()[0])
        self.send_response(status)
        for key, value in fields:
            if key != b"Status": self.send_header(key.decode(), value.decode())
        self.end_headers()
        self.wfile.write(rest)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
open(sys.argv[2], "w").write("http://127.0.0.1:%d" % server.server_address[1])
os.rename(sys.argv[2], sys.argv[2] + ".ready")
server.serve_forever()
