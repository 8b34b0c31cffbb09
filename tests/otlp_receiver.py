# SPDX-License-Identifier: MIT
"""A receiver of OpenTelemetry spans.

    otlp_receiver.py DIR [ANSWER ...]    DIR/port, DIR/accepted (one request per line), DIR/log; each
                                         request gets the next answer, then 200: STATUS[:RETRY-AFTER],
                                         partial:N, hang, close, late; `all=ANSWER`: always that one
"""
import gzip
import http.server
import json
import os
import sys
import time

from otlp import need, request


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    where, answers, forever = "", [], "200"

    def log_message(self, *_):
        pass

    def note(self, name, text):
        with open(os.path.join(self.where, name), "a", encoding="utf-8") as to:
            to.write(text + "\n")

    def answer(self, status, body=b"{}", retry=None):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if retry:
            self.send_header("Retry-After", retry)
        try:
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:
            self.close_connection = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        text = body.decode("utf-8")
        nr = len(request(text))
        need(self.headers["Content-Type"] == "application/json", "a content type")
        what, _, how = (self.answers.pop(0) if self.answers else self.forever).partition(":")
        self.note("log", f"{what} {nr} {self.path} {self.headers.get('Authorization', '-')}"
                         f" {self.headers.get('Content-Encoding', '-')}")
        if what == "hang":
            time.sleep(3600)
        if what == "close":
            self.close_connection = True
            self.connection.close()
            return
        if what == "late":
            time.sleep(1.5)
        if what in ("200", "partial", "late"):
            self.note("accepted", text)
        if what == "partial":
            refused = {"partialSuccess": {"rejectedSpans": how, "errorMessage": "too\x1b[2Jold"}}
            self.answer(200, json.dumps(refused).encode())
        else:
            self.answer(200 if what == "late" else int(what), b"{}", how)


def serve(where, answers):
    Receiver.where = where
    for answer in answers:
        if answer.startswith("all="):
            Receiver.forever = answer[4:]
        else:
            Receiver.answers.append(answer)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("OTLP_PORT", "0"))), Receiver)
    server.daemon_threads = True
    with open(os.path.join(where, "port.new"), "w", encoding="utf-8") as to:
        to.write(str(server.server_port))
    os.rename(os.path.join(where, "port.new"), os.path.join(where, "port"))
    server.serve_forever()


serve(sys.argv[1], sys.argv[2:])
