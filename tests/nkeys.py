# SPDX-License-Identifier: MIT
"""Keys of NATS (nkeys) and JWTs that they sign, made with openssl, because Debian has no tool for them."""
import base64
import json
import os
import subprocess
import tempfile
import time

OPERATOR, ACCOUNT, USER, SEED = 14 << 3, 0, 20 << 3, 18 << 3
PKCS8 = bytes.fromhex("302e020100300506032b657004220420")  # before the 32 bytes of an Ed25519 key


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xffff
    return crc


def text_of(raw):
    return base64.b32encode(raw + crc16(raw).to_bytes(2, "little")).decode().rstrip("=")


def plain(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def openssl(*words, stdin=None):
    return subprocess.run(["openssl", *words], input=stdin, capture_output=True, check=True).stdout


class Key:
    """A key pair of type `kind`: `seed` and `public`, in nkeys format."""

    def __init__(self, kind):
        secret = os.urandom(32)
        self.der = PKCS8 + secret
        public = openssl("pkey", "-inform", "DER", "-pubout", "-outform", "DER", stdin=self.der)[-32:]
        self.public = text_of(bytes([kind]) + public)
        self.seed = text_of(bytes([SEED | kind >> 5, (kind & 31) << 3]) + secret)

    def sign(self, text):
        # openssl signs only files with this algorithm.
        with tempfile.NamedTemporaryFile() as what, tempfile.NamedTemporaryFile() as key:
            what.write(text)
            key.write(self.der)
            what.flush()
            key.flush()
            return openssl("pkeyutl", "-sign", "-rawin", "-keyform", "DER", "-inkey", key.name, "-in", what.name)

    def jwt(self, subject, name, nats, **more):
        """A JWT about the public key `subject`, signed by this key."""
        claims = {"jti": os.urandom(16).hex(), "iat": int(time.time()), "iss": self.public, "sub": subject, "name": name,
                  "nats": {"version": 2, **nats}, **more}
        text = ".".join(plain(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ed25519-nkey"}, claims))
        return text + "." + plain(self.sign(text.encode()))


def account_jwt(operator, account, name, stores):
    limits = {what: -1 for what in ("subs", "data", "payload", "imports", "exports", "conn", "leaf")}
    if stores:
        limits.update({what: -1 for what in ("mem_storage", "disk_storage", "streams", "consumer")})
    return operator.jwt(account.public, name, {"type": "account", "limits": {**limits, "wildcards": True}})


def user_jwt(account, user, name, publish=(), subscribe=(), **more):
    """Without explicit permissions a user has all permissions of its account."""
    rights = {"pub": {"allow": list(publish)}, "sub": {"allow": list(subscribe)}} if publish else {"pub": {}, "sub": {}}
    return account.jwt(user.public, name, {"type": "user", "subs": -1, "data": -1, "payload": -1, **rights}, **more)


def creds(jwt, key):
    """A credentials file in the format of NATS's tools."""
    return ("-----BEGIN NATS USER JWT-----\n%s\n------END NATS USER JWT------\n\n"
            "************************* IMPORTANT *************************\n"
            "NKEY Seed printed below can be used to sign and prove identity.\n"
            "NKEYs are sensitive and should be treated as secrets.\n\n"
            "-----BEGIN USER NKEY SEED-----\n%s\n------END USER NKEY SEED------\n" % (jwt, key.seed))
