"""The check document_format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from cbor2 import CBORDecodeError

from constants import MAX_DOCUMENT, PROTECTED_HEADER
from encoding import base64_text, decode_cbor
from outcome import Refused, require


@dataclass(frozen=True)
class Document:
    payload: bytes
    signature: bytes
    timestamp: int
    pcrs: dict[int, bytes]
    certificate: bytes
    cabundle: list[bytes]
    public_key: bytes | None
    user_data: bytes | None
    nonce: bytes | None

    @property
    def pcr0(self) -> str | None:
        return self.pcrs[0].hex() if 0 in self.pcrs else None

    @property
    def server_public_key(self) -> str | None:
        """As recorded in the file: only a key of 32 bytes."""
        key = self.public_key
        return base64_text(key) if key is not None and len(key) == 32 else None


def parse_document(data: bytes) -> Document:
    """The check document_format."""
    error = "malformed_document"

    def is_bytes(value: Any, minimum: int, maximum: int) -> bool:
        return isinstance(value, bytes) and minimum <= len(value) <= maximum

    # 1 to 3: the envelope
    require(len(data) <= MAX_DOCUMENT, error)
    try:
        envelope = decode_cbor(data, indefinite=False)
        require(isinstance(envelope, list) and len(envelope) == 4, error)
        protected, unprotected, payload, signature = envelope
        require(type(protected) is bytes and protected == PROTECTED_HEADER, error)
        require(isinstance(unprotected, dict) and len(unprotected) == 0, error)
        require(isinstance(payload, bytes), error)
        require(is_bytes(signature, 96, 96), error)
        fields = decode_cbor(payload, indefinite=True)
    except (ValueError, CBORDecodeError):  # also what is not UTF-8
        raise Refused(error) from None

    # 4: the payload
    require(isinstance(fields, dict) and all(isinstance(key, str) for key in fields), error)

    module_id: Any = fields.get("module_id")
    require(isinstance(module_id, str) and bool(re.fullmatch("[ -~]{1,256}", module_id)), error)

    digest: Any = fields.get("digest")
    require(isinstance(digest, str) and digest == "SHA384", error)

    timestamp: Any = fields.get("timestamp")
    require(type(timestamp) is int and 0 < timestamp < 2**53, error)

    pcrs: Any = fields.get("pcrs")
    require(isinstance(pcrs, dict) and len(pcrs) >= 1, error)
    require(all(type(index) is int and 0 <= index <= 31 for index in pcrs), error)
    require(all(is_bytes(value, 48, 48) for value in pcrs.values()), error)

    require(is_bytes(fields.get("certificate"), 1, 1024), error)

    cabundle: Any = fields.get("cabundle")
    require(isinstance(cabundle, list) and len(cabundle) >= 1, error)
    require(all(is_bytes(certificate, 1, 1024) for certificate in cabundle), error)

    for name, minimum, maximum in (
        ("public_key", 1, 1024),
        ("user_data", 0, 512),
        ("nonce", 0, 512),
    ):
        value = fields.get(name)
        require(value is None or is_bytes(value, minimum, maximum), error)

    return Document(
        payload=payload,
        signature=signature,
        timestamp=timestamp,
        pcrs=pcrs,
        certificate=fields["certificate"],
        cabundle=cabundle,
        public_key=fields.get("public_key"),
        user_data=fields.get("user_data"),
        nonce=fields.get("nonce"),
    )
