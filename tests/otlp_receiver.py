# SPDX-License-Identifier: MIT
"""Receivers of OpenTelemetry spans.

    otlp_receiver.py RECEIVER...    RECEIVER: DIR[,ANSWER...]; DIR/port, DIR/accepted (one request per
                                    line), DIR/log, DIR/errors; each request gets the next answer, then
                                    200: STATUS[:RETRY-AFTER], partial:N, hang, close, late;
                                    `all=ANSWER`: always that one
"""
import gzip
import http.server
import json
import os
import sys
import threading
import time
import traceback

from otlp import need, request


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

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


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def finish_request(self, request, client_address):
        try:
            super().finish_request(request, client_address)
        except SystemExit:
            self.handle_error(request, client_address)

    def handle_error(self, request, client_address):
        with open(os.path.join(self.RequestHandlerClass.where, "errors"), "a", encoding="utf-8") as to:
            traceback.print_exc(file=to)


def serve(where, *answers):
    always = [answer[4:] for answer in answers if answer.startswith("all=")]
    server = Server(("127.0.0.1", 0), type("OneReceiver", (Receiver,), {
        "where": where, "answers": [answer for answer in answers if not answer.startswith("all=")],
        "forever": (always or ["200"])[0]}))
    with open(os.path.join(where, "port.new"), "w", encoding="utf-8") as to:
        to.write(str(server.server_port))
    os.rename(os.path.join(where, "port.new"), os.path.join(where, "port"))
    server.serve_forever()


for receiver in sys.argv[1:]:
    threading.Thread(target=serve, args=receiver.split(",")).start()
