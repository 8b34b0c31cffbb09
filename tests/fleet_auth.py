# SPDX-License-Identifier: MIT
"""Authentication besides passwords: certificates, nkeys and JWTs; for --fleet-init, agents and viewers. A
refusal is reported on one line.

    fleet_auth.py TRACE2TOP SOURCES WORK
"""
import json
import os
import socket
import subprocess
import sys
import threading
import time

from nats_client import Server
from nkeys import ACCOUNT, OPERATOR, USER, Key, account_jwt, creds, openssl, user_jwt

TOP, SOURCES, WORK = sys.argv[1:4]
DEADLINE_S = 120
TRACE = os.path.join(SOURCES, "tests/data/dump.event")
AGENT_RIGHTS = {"publish": ["trace2.v1.*.lab.one"], "subscribe": ["_INBOX.>"]}
bad = 0


def expect(ok, *what):
    global bad
    if not ok:
        bad += 1
        print("fleet_auth:", *what)


def path(name):
    return os.path.join(WORK, name)


def written(name, text):
    with open(path(name), "w", opener=lambda at, flags: os.open(at, flags, 0o600)) as to:
        to.write(text)
    return path(name)


def run(*args):
    return subprocess.run([TOP, "--no-config", *args], stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE_S)


def init(url, *more):
    return run("--fleet-init=" + url, *more, "lab.one")


def forward(url, *more):
    return run("--once", "--redact=none", "--as=lab.one", "--forward=" + url, *more, TRACE)


def view(url, *more):
    return run("--once", "--format=json", *more, url + "/lab.one")


def screen(url, *more):
    """Run a viewer, which must report why it receives nothing."""
    return run("--dump=-", "--size=120x40", "--page=sources", *more, url + "/lab.one")


def check_accepted(what, url, maker, agent, viewer):
    """Allowed actions work: the streams are created, the agent sends, the viewer reads."""
    made = init(url, *maker)
    expect(made.returncode == 0 and made.stderr.count(b"created stream") == 3, what, "--fleet-init:", made.stderr)
    sent = forward(url, *agent)
    expect(sent.returncode == 0 and not sent.stderr, what, "the agent:", sent.stderr)
    seen = view(url, *viewer)
    # On a slow machine the transit time of a message may look like a slow clock.
    expect(seen.returncode == 0 and (not seen.stderr or b"the clock of" in seen.stderr), what, "the viewer:", seen.stderr)
    with open(TRACE, "rb") as of:
        events = of.read().count(b"\n")
    if seen.returncode == 0:
        source = json.loads(seen.stdout)["sources"][0]
        expect(source["events"] == events and not source["malformed"], what, source)


def check_reported(what, done, says, status=1):
    err = done.stderr.decode()
    expect(done.returncode == status and says in err and err.count("\n") == 1, what, "status", done.returncode, err)


def check_rejected(what, url, says, *more):
    """Each of the three fails at once with one line that names the reason; the screen shows it, too."""
    begun = time.monotonic()
    check_reported(what + ": --fleet-init:", init(url, *more), says)
    check_reported(what + ": the viewer:", view(url, *more), says)
    sent = forward(url, *more)
    err = sent.stderr.decode().splitlines()
    expect(sent.returncode == 1 and says in err[0] and all("--forward:" in line for line in err), what, "the agent:", err)
    shown = [line for line in screen(url, *more).stdout.decode().splitlines() if says[:60] in line]
    expect(shown, what, "is not on the screen:", screen(url, *more).stdout.decode())
    expect(time.monotonic() - begun < 3 * DEADLINE_S, what, "takes too long")


# ---- certificates ----

def certificates():
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    for ca in ("ca", "otherca"):
        openssl("req", "-x509", *new, "-keyout", path(ca + ".key"), "-out", path(ca + ".pem"), "-subj", "/CN=" + ca, "-days", "3")
    written("ext", "subjectAltName=DNS:localhost")
    for name, ca in (("server", "ca"), ("client", "ca"), ("stranger", "otherca")):
        openssl("req", *new, "-keyout", path(name + ".key"), "-out", path(name + ".csr"), "-subj", "/CN=" + name)
        openssl("x509", "-req", "-in", path(name + ".csr"), "-CA", path(ca + ".pem"), "-CAkey", path(ca + ".key"),
                "-CAcreateserial", "-out", path(name + ".pem"), "-days", "3", "-extfile", path("ext"))


def tls():
    certificates()
    server = Server(path("tls"), 'tls { cert_file: "%s", key_file: "%s", ca_file: "%s", verify: true }'
                    % (path("server.pem"), path("server.key"), path("ca.pem"))).start()
    url = server.url("tls", "localhost")
    ca = ["--tls-ca=" + path("ca.pem")]
    mine = ["--tls-cert=" + path("client.pem"), "--tls-key=" + path("client.key")]
    check_accepted("tls", url, ca + mine, ca + mine, ca + mine)
    check_rejected("another CA", url, "certificate not trusted", "--tls-ca=" + path("otherca.pem"), *mine)
    check_rejected("another name", server.url("tls"), "certificate not trusted", *ca, *mine)
    check_rejected("no CA", url, "certificate not trusted", *mine)
    check_rejected("no client certificate", url, "--tls-cert and --tls-key", *ca)
    check_rejected("a certificate of another CA", url, "--tls-cert and --tls-key", *ca, "--tls-cert=" + path("stranger.pem"),
              "--tls-key=" + path("stranger.key"))
    # It requires TLS, without a weaker fallback.
    check_rejected("nats://", server.url("nats", "localhost"), "certificate not trusted", *mine)
    server.end()
    # Only the server's certificate is checked; no client certificate is required.
    server = Server(path("tls-one"), 'tls { cert_file: "%s", key_file: "%s" }' % (path("server.pem"), path("server.key"))).start()
    check_accepted("tls of the server", server.url("tls", "localhost"), ca, ca, ca)
    server.end()
    server = Server(path("plain")).start()
    check_rejected("a server without TLS", server.url("tls", "localhost"), "has no TLS", *ca)
    server.end()


# ---- nkeys ----

def authenticates_with_nkeys():
    admin, agent, viewer, stranger = (Key(USER) for _ in range(4))
    server = Server(path("nkeys"), "authorization { users: [ {nkey: %s}, {nkey: %s}, {nkey: %s, permissions: %s} ] }"
                    % (admin.public, viewer.public, agent.public, json.dumps(AGENT_RIGHTS))).start()
    url = server.url()

    def file(name, seed, public):
        return "--nats-creds=" + written(name, "%s\n%s\n" % (seed.seed, public.public))

    own = {name: file(name + ".nk", key, key) for name, key in (("admin", admin), ("agent", agent), ("viewer", viewer))}
    check_accepted("nkeys", url, [own["admin"]], [own["agent"]], [own["viewer"]])
    refused = "wrong user, password or key"
    check_rejected("an unknown nkey", url, refused, file("stranger.nk", stranger, stranger))
    check_rejected("the seed of another key", url, refused, file("wrong.nk", stranger, viewer))
    for what, text in (("no key at all", ""), ("a seed cut short", viewer.seed[:-3] + "\n" + viewer.public + "\n"),
                       ("a seed without its key", viewer.seed + "\n")):
        odd = "--nats-creds=" + written("odd.nk", text)
        for done in (init(url, odd), forward(url, odd), view(url, odd)):
            expect(done.returncode in (1, 2) and b"contains neither a JWT, nor an nkey seed and public key, nor USER:PASSWORD" in done.stderr
                   and done.stderr.count(b"\n") == 1, what, done.returncode, done.stderr)
    # The permissions are those of the key.
    other = run("--once", "--redact=none", "--as=lab.two", "--forward=" + url, own["agent"], TRACE)
    expect(other.returncode == 1 and b"no permission to publish as lab.two" in other.stderr, "another name:", other.stderr)
    check_reported("an agent reads:", view(url, own["agent"]), "no right to read there")
    server.end()


def tries_of(creds_file):
    """Content of each CONNECT of a viewer to a server that refuses it."""
    said = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(DEADLINE_S)
        viewer = subprocess.Popen([TOP, "--no-config", "--once", "--nats-creds=" + creds_file,
                                   "nats://127.0.0.1:%d/lab.one" % listener.getsockname()[1]],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

        def serve():
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with client:
                    client.sendall(b'INFO {"server_id":"S","version":"2.9.10","proto":1,"auth_required":true,"headers":true,'
                                   b'"max_payload":1048576,"nonce":"nonce%d"}\r\n' % len(said))
                    said.append(client.makefile("rb").readline())
                    client.sendall(b"-ERR 'Authorization Violation'\r\n")

        threading.Thread(target=serve, daemon=True).start()
        err = viewer.communicate(timeout=DEADLINE_S)[1]
        expect(b"wrong user, password or key" in err and err.count(b"\n") == 1, "refused:", err)
    return said


def repeats_a_failed_signature_once():
    """The library omits one signature of 256, so signatures are tried twice, passwords once."""
    key = Key(USER)
    tries = tries_of(written("again.nk", "%s\n%s\n" % (key.seed, key.public)))
    expect(len(tries) == 2 and tries[0] != tries[1], "a signature:", tries)
    expect(any(b'"sig":' in one for one in tries), "without a signature:", tries)
    expect(len(tries_of(written("again.pw", "lab.one:wrong\n"))) == 1, "a password")


# ---- JWTs ----

def authenticates_with_jwts():
    operator, system, account, foreign = Key(OPERATOR), Key(ACCOUNT), Key(ACCOUNT), Key(ACCOUNT)
    admin, agent, viewer, stranger = (Key(USER) for _ in range(4))
    says = operator.jwt(operator.public, "O", {"type": "operator", "system_account": system.public})
    server = Server(path("jwt"), "operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: { %s: %s, %s: %s }" % (
        says, system.public, system.public, account_jwt(operator, system, "SYS", False),
        account.public, account_jwt(operator, account, "FLEET", True))).start()
    url = server.url()

    def file(name, jwt, key):
        return "--nats-creds=" + written(name + ".creds", creds(jwt, key))

    own = {"admin": file("admin", user_jwt(account, admin, "admin"), admin),
           "agent": file("agent", user_jwt(account, agent, "lab.one", **AGENT_RIGHTS), agent),
           "viewer": file("viewer", user_jwt(account, viewer, "viewer"), viewer)}
    check_accepted("JWTs", url, [own["admin"]], [own["agent"]], [own["viewer"]])
    refused = "wrong user, password or key"
    check_rejected("the seed of another key", url, refused, file("wrong", user_jwt(account, viewer, "viewer"), stranger))
    check_rejected("a user of an unknown account", url, refused, file("foreign", user_jwt(foreign, stranger, "stranger"), stranger))
    check_rejected("an expired JWT", url, refused,
              file("old", user_jwt(account, viewer, "viewer", exp=int(time.time()) - 60), viewer))
    check_rejected("none", url, refused)
    other = run("--once", "--redact=none", "--as=lab.two", "--forward=" + url, own["agent"], TRACE)
    expect(other.returncode == 1 and b"no permission to publish as lab.two" in other.stderr, "another name:", other.stderr)
    server.end()


def main():
    # -rawin requires OpenSSL 3.0.
    probe = subprocess.run(["openssl", "pkeyutl", "-help"], capture_output=True)
    has_rawin = b"-rawin" in probe.stdout + probe.stderr
    if not has_rawin:
        print("nkeys and JWTs: left out, openssl pkeyutl has no -rawin")
    for part in (tls, authenticates_with_nkeys, repeats_a_failed_signature_once, authenticates_with_jwts) if has_rawin else (tls,):
        begun = time.monotonic()
        part()
        print("%s: %.1f s" % (part.__name__, time.monotonic() - begun))
    sys.exit(bad != 0)


main()
