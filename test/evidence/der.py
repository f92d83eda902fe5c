"""DER (X.690), by building it again: what is read is accepted only if its values, encoded again, give the same bytes."""

from __future__ import annotations

from datetime import datetime, timezone

BOOLEAN, INTEGER, BIT_STRING, OCTET_STRING, OID = 0x01, 0x02, 0x03, 0x04, 0x06
UTF8_STRING, PRINTABLE_STRING, IA5_STRING = 0x0C, 0x13, 0x16
UTC_TIME, GENERALIZED_TIME = 0x17, 0x18
SEQUENCE, SET = 0x30, 0x31

TRUE = b"\x01\x01\xff"

Element = tuple[int, bytes]
"""Tag and contents."""


def element(tag: int, *contents: bytes) -> bytes:
    content = b"".join(contents)
    size = len(content)
    if size < 0x80:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def elements(data: bytes) -> list[Element]:
    """All of the data, as elements one after the other. Only the form of their headers is checked."""
    found: list[Element] = []
    rest = data
    while rest:
        if len(rest) < 2 or rest[0] & 0x1F == 0x1F:
            raise ValueError("cut off, or a tag of several bytes")
        size, start = rest[1], 2
        if size >= 0x80:
            start += size & 0x7F
            size = int.from_bytes(rest[2:start], "big")
        found.append((rest[0], rest[start : start + size]))
        rest = rest[start + size :]
    if data != b"".join(element(*one) for one in found):
        raise ValueError("not DER, or cut off")
    return found


def contents(data: bytes, tag: int) -> bytes:
    """The contents of the one element that is all of the data."""
    [(found, content)] = elements(data)
    if found != tag:
        raise ValueError("another tag")
    return content


def integer(content: bytes) -> int:
    value = int.from_bytes(content, "big", signed=True)
    # One more bit for the sign; of a negative number, -128 still has 8 bits.
    size = (value if value >= 0 else ~value).bit_length() // 8 + 1
    if content != value.to_bytes(size, "big", signed=True):
        raise ValueError("not the shortest form")
    return value


def oid(content: bytes) -> str:
    numbers = []
    number = 0
    for byte in content:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    again = bytearray()
    for number in numbers:
        digits = [number & 0x7F]
        while number := number >> 7:
            digits.append(number & 0x7F | 0x80)
        again += bytes(reversed(digits))
    if not numbers or content != bytes(again):
        raise ValueError("not the shortest form, or cut off")
    first = min(numbers[0] // 40, 2)
    return ".".join(str(number) for number in (first, numbers[0] - 40 * first, *numbers[1:]))


def whole_bytes(content: bytes) -> bytes:
    """The contents of a BIT STRING without unused bits."""
    if content[:1] != b"\0":
        raise ValueError("unused bits")
    return content[1:]


def named_bits(content: bytes) -> set[int]:
    """The numbers of the bits that are set in a BIT STRING."""
    found = {
        8 * place + bit
        for place, byte in enumerate(content[1:])
        for bit in range(8)
        if byte & 0x80 >> bit
    }
    if not found:
        raise ValueError("no bit is set")
    size = max(found) // 8 + 1
    again = bytearray([8 * size - 1 - max(found)]) + bytearray(size)
    for bit in found:
        again[1 + bit // 8] |= 0x80 >> bit % 8
    if content != bytes(again):
        raise ValueError("zero bits at the end")
    return found


def time(tag: int, content: bytes) -> datetime:
    text = content.decode("ascii")
    if tag == UTC_TIME and len(text) == 13:
        century = "20" if text < "50" else "19"
        moment = datetime.strptime(century + text, "%Y%m%d%H%M%SZ")
    elif tag == GENERALIZED_TIME and text >= "2050":
        moment = datetime.strptime(text, "%Y%m%d%H%M%SZ")
        century = ""
    else:
        raise ValueError("not a time")
    if century + text != moment.strftime("%Y%m%d%H%M%SZ"):
        raise ValueError("not in the form of RFC 5280")
    return moment.replace(tzinfo=timezone.utc)
