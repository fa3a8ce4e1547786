"""Words that Cloudflare Access would sign, and others: RS256 by its definition (RFC 7518, 8017)."""

import base64
import hashlib
import json
import subprocess
from collections.abc import Mapping
from typing import Any

_MAKE = """
const { generateKeyPairSync } = require("node:crypto");
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
console.log(JSON.stringify(privateKey.export({ format: "jwk" })));
"""
_SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")


class Signer:
    """A key of RSA, and what it signs."""

    def __init__(self, kid: str) -> None:
        made = subprocess.run(["node", "-e", _MAKE], check=True, capture_output=True, text=True)
        self.kid = kid
        self._jwk = json.loads(made.stdout)

    @property
    def public(self) -> dict[str, str]:
        """As a team shows it."""
        return {"kid": self.kid, "alg": "RS256", "use": "sig"} | {
            name: self._jwk[name] for name in ("kty", "n", "e")
        }

    def word(self, claims: Mapping[str, Any], **header: Any) -> str:
        """The claims, signed."""
        said = {"alg": "RS256", "kid": self.kid, "typ": "JWT"} | header
        body = f"{written(said)}.{written(claims)}"
        return f"{body}.{_text(self._signed(body.encode()))}"

    def _signed(self, body: bytes) -> bytes:
        modulus, secret = (int.from_bytes(_bytes(self._jwk[name])) for name in "nd")
        size = (modulus.bit_length() + 7) // 8
        told = _SHA256 + hashlib.sha256(body).digest()
        padded = b"\0\1" + b"\xff" * (size - len(told) - 3) + b"\0" + told
        return pow(int.from_bytes(padded), secret, modulus).to_bytes(size)


def written(facts: object) -> str:
    """A part of a word."""
    return _text(json.dumps(facts).encode())


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
