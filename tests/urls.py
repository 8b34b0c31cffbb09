# SPDX-License-Identifier: MIT
"""No message shows a part of a malformed URL that may be a password.

    urls.py TRACE2TOP WORK    runs every option that takes a URL or a target, and sources, with malformed URLs

Each option is combined with each authority and with each scheme, in one pair of seven; in all with URLS_ALL=1.
--forward and --otlp have all authorities with the scheme that they expect.
"""
import concurrent.futures
import os
import subprocess
import sys

TOP, WORK = sys.argv[1:3]
SECRET = "S3CRET"
# Malformed, except that an option may accept such a name.
AUTHORITIES = ["u:%s/pw@h", "u:pw/%s@h", "u:%s,x@h", "u:%s@", "u:%s", "u:%s@h h", "u:%s@h:99999", "u:%s@h:x", "u:%s?x@h", "u:%s#x@h",
               "u:%s@[::1", "u:%s@@h:x", "u:p@w%s@h:bad", "u:%%zz%s@h:-1", "u:%s\n@h", "u:%s@h:4222:5", "u:%s]@h:x", "%s@h/a b:c"]
SCHEMES = ["nats://", "tls://", "http://", "https://", "natss://", "NATS://", "ssh://"]
EMPTY = os.path.join(WORK, "empty")
bad = 0


def forms(url):
    yield ["--once", "--forward=" + url, EMPTY]
    yield ["--once", "--otlp=" + url, EMPTY]
    yield ["--once", "--tee=" + url, EMPTY]
    yield ["--once", "--record=" + url, EMPTY]
    yield ["--once", "--compare=" + url, EMPTY]
    yield ["--fleet-init=" + url]
    yield ["--once", url]
    yield ["--once", "--config=" + config_with(url), EMPTY]


def config_with(url):
    """The lines of the configuration file contain the URL as a name, a value and a malformed
    line."""
    name = os.path.join(WORK, "config.%d" % abs(hash(url)))
    with open(name, "w") as f:
        f.write("theme = %s\notlp = %s\n%s\n" % (url, url, url))
    return name


def run(args):
    done = subprocess.run([TOP, *args], stdin=subprocess.DEVNULL, capture_output=True, timeout=120, cwd=WORK)
    return args, done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


with open(EMPTY, "w"):
    pass
cases = [args for s, scheme in enumerate(SCHEMES) for a, authority in enumerate(AUTHORITIES)
         for f, args in enumerate(forms(scheme + authority.replace("%s", SECRET).replace("%%", "%")))
         if "URLS_ALL" in os.environ or (s + a + f) % 7 == 0 or (SCHEMES[s], f) in (("nats://", 0), ("http://", 1))]
# An option that needs a URL does not show text without a scheme, either.
cases += [["--once", option + text, EMPTY] for option in ("--forward=", "--otlp=", "--tee=") for text in ("u:S3CRET@h", "u:S3CRET", "S3CRET")]
cases.append(["--once", "--tee=af_unix:u:S3CRET@h", EMPTY])
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for args, status, out in pool.map(run, cases):
        if SECRET in out:
            bad += 1
            print("urls:", args, "shows the password:", [line for line in out.splitlines() if SECRET in line][0])
print(len(cases), "malformed URLs")
# The server of these valid URLs is unreachable. With events to send, the message names the server.
trace = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "dump.event")
for args in (["--once", "--otlp=http://u:%s@127.0.0.1:1", trace], ["--once", "--forward=nats://u:%s@127.0.0.1:1", trace],
             ["--once", "nats://u:%s@127.0.0.1:1/a.b"], ["--fleet-init=nats://u:%s@127.0.0.1:1"]):
    args, status, out = run([arg.replace("%s", SECRET) for arg in args])
    if SECRET in out or "127.0.0.1" not in out:
        bad += 1
        print("urls:", args, status, out[-500:])
sys.exit(1 if bad else 0)
