"""Tokens (JWT) as Cloudflare Access signs them, and forged ones: RS256 by RFC 7518 and 8017."""

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
    """An RSA key that signs tokens."""

    def __init__(self, kid: str) -> None:
        completed = subprocess.run(
            ["node", "-e", _MAKE], check=True, capture_output=True, text=True
        )
        self.kid = kid
        self._jwk = json.loads(completed.stdout)

    @property
    def public(self) -> dict[str, str]:
        """Returns the public key as a team publishes it."""
        return {"kid": self.kid, "alg": "RS256", "use": "sig"} | {
            name: self._jwk[name] for name in ("kty", "n", "e")
        }

    def sign_token(self, claims: Mapping[str, Any], **header: Any) -> str:
        """Returns a token with these claims."""
        said = {"alg": "RS256", "kid": self.kid, "typ": "JWT"} | header
        body = f"{base64url_json(said)}.{base64url_json(claims)}"
        return f"{body}.{_text(self._signed(body.encode()))}"

    def _signed(self, body: bytes) -> bytes:
        modulus, secret = (int.from_bytes(_bytes(self._jwk[name])) for name in "nd")
        size = (modulus.bit_length() + 7) // 8
        told = _SHA256 + hashlib.sha256(body).digest()
        padded = b"\0\1" + b"\xff" * (size - len(told) - 3) + b"\0" + told
        return pow(int.from_bytes(padded), secret, modulus).to_bytes(size)


def base64url_json(facts: object) -> str:
    """Encodes a part of a token."""
    return _text(json.dumps(facts).encode())


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
