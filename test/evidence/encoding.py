"""Readers of Base64, times, CBOR and signatures. Each raises ValueError for what it does not accept."""

from __future__ import annotations

import base64
import re
from datetime import datetime, timedelta, timezone
from typing import Any

import cbor2
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA384

from constants import MAX_LEVELS


def base64_text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def base64_bytes(text: str) -> bytes:
    """Strict RFC 4648, section 4: only the one correct text of each byte string is accepted."""
    data = base64.b64decode(text, validate=True)
    if base64_text(data) != text:
        raise ValueError("not canonical Base64")
    return data


EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def milliseconds(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(milliseconds=1)


def time_text(time: int) -> str:
    moment = EPOCH + timedelta(milliseconds=time)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def time_number(text: str) -> int:
    """Milliseconds since 1970 of `YYYY-MM-DDTHH:MM:SS.mmmZ`, the only form in evidence files."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?!24)[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z", text):
        raise ValueError("not a time")
    return milliseconds(datetime.fromisoformat(text.replace("Z", "+00:00")))


def decode_cbor(data: bytes, indefinite: bool) -> Any:
    """The value of one CBOR data item (RFC 8949) that fills all of the data.

    `indefinite`: are arrays and maps of indefinite length allowed?
    """
    scan = CborScan(data, indefinite)
    scan.item(0)
    if scan.position != len(data):
        raise ValueError("further bytes")
    return cbor2.loads(data)


class CborScan:
    """Refuses what the documentation does not allow, before cbor2 makes values of it.

    Lengths are never used to allocate memory in advance.
    """

    INDEFINITE = -1

    def __init__(self, data: bytes, indefinite: bool) -> None:
        self.data = data
        self.position = 0
        self.indefinite = indefinite

    def take(self, count: int) -> bytes:
        end = self.position + count
        if end > len(self.data):
            raise ValueError("unexpected end")
        taken = self.data[self.position : end]
        self.position = end
        return taken

    def argument(self, info: int) -> int:
        """The integer or length that belongs to an initial byte (not for major type 7)."""
        if info < 24:
            return info
        if info == 31:
            return self.INDEFINITE
        if info > 27:
            raise ValueError("not well-formed")
        size = 1 << (info - 24)  # 1, 2, 4 or 8 bytes
        value = int.from_bytes(self.take(size), "big")
        shortest = value >= 24 if size == 1 else value >= 1 << (4 * size)
        if not shortest:
            raise ValueError("not in the shortest form")
        return value

    def item(self, levels: int) -> None:
        major, info = divmod(self.take(1)[0], 32)
        if major == 7:
            self.simple(info)
            return
        argument = self.argument(info)
        if major in (4, 5):
            if levels == MAX_LEVELS:
                raise ValueError("too many levels")
            if argument == self.INDEFINITE and not self.indefinite:
                raise ValueError("indefinite length")
            self.container(argument, levels + 1, is_map=major == 5)
            return
        if major == 6:
            raise ValueError("a tag")
        if argument == self.INDEFINITE:
            raise ValueError("a string in chunks, or not well-formed")
        if major == 2:
            self.take(argument)
        if major == 3 and self.take(argument).decode("utf-8").startswith("\ufeff"):
            raise ValueError("a byte order mark")

    def simple(self, info: int) -> None:
        if info in (25, 26, 27):
            self.take(1 << (info - 24))  # a float
        elif info not in (20, 21, 22):
            raise ValueError("neither false, true nor null")

    def container(self, count: int, levels: int, is_map: bool) -> None:
        keys: set[bytes] = set()
        while not self.ends(count):
            count -= 1
            if is_map:
                start = self.position
                self.item(levels)
                key = self.data[start : self.position]  # shortest form: equal keys, equal bytes
                if key[0] >> 5 not in (0, 1, 3):
                    raise ValueError("a key that is neither an integer nor text")
                if key in keys:
                    raise ValueError("repeated key")
                keys.add(key)
            self.item(levels)

    def ends(self, count: int) -> bool:
        """Whether no element is left: none of `count`, or the break comes."""
        if count >= 0:
            return count == 0
        if self.data[self.position : self.position + 1] != b"\xff":
            return False
        self.position += 1
        return True


def ecdsa_valid(key: ec.EllipticCurvePublicKey, der_signature: bytes, data: bytes) -> bool:
    try:
        key.verify(der_signature, data, ec.ECDSA(SHA384()))
        return True
    except InvalidSignature:
        return False


def raw_to_der(signature: bytes) -> bytes:
    """r and s of 48 bytes each, big-endian, as the DER that `cryptography` wants."""
    r, s = (int.from_bytes(half, "big") for half in (signature[:48], signature[48:]))
    return encode_dss_signature(r, s)
