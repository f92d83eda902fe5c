"""Names in certificates, and their text by RFC 4514."""

from __future__ import annotations

import re

import der

SHORT_NAMES = {
    "2.5.4.3": "CN",
    "2.5.4.7": "L",
    "2.5.4.8": "ST",
    "2.5.4.10": "O",
    "2.5.4.11": "OU",
    "2.5.4.6": "C",
    "2.5.4.9": "STREET",
    "0.9.2342.19200300.100.1.25": "DC",
    "0.9.2342.19200300.100.1.1": "UID",
}


def name_text(name: bytes) -> str:
    """`name`: the contents of the SEQUENCE. Raises ValueError."""
    relative_names = der.elements(name)
    if not relative_names:
        raise ValueError("an empty name")
    return "\n".join(relative_name_text(*one) for one in relative_names)


def relative_name_text(tag: int, content: bytes) -> str:
    attributes = der.elements(content)
    encoded = [der.element(*one) for one in attributes]
    if tag != der.SET or not attributes or encoded != sorted(set(encoded)):
        raise ValueError("not a set of attributes")
    return "+".join(attribute_text(*one) for one in attributes)


def attribute_text(tag: int, content: bytes) -> str:
    if tag != der.SEQUENCE:
        raise ValueError("not an attribute")
    (type_tag, type_content), (value_tag, value) = der.elements(content)
    if type_tag != der.OID:
        raise ValueError("no type")
    number = der.oid(type_content)
    text = string(value_tag, value)
    if number in SHORT_NAMES and text is not None:
        return f"{SHORT_NAMES[number]}={escaped(text)}"
    return f"{SHORT_NAMES.get(number, number)}=#{der.element(value_tag, value).hex().upper()}"


def string(tag: int, value: bytes) -> str | None:
    if tag == der.UTF8_STRING:
        return value.decode("utf-8")
    if tag == der.IA5_STRING:
        return value.decode("ascii")
    if tag == der.PRINTABLE_STRING:
        if not re.fullmatch(rb"[A-Za-z0-9'()+,\-./:=? ]*", value):
            raise ValueError("not printable")
        return value.decode("ascii")
    return None


def escaped(text: str) -> str:
    result = []
    for place, character in enumerate(text):
        first, last = place == 0, place == len(text) - 1
        if ord(character) < 0x20 or ord(character) == 0x7F:
            result.append(f"\\{ord(character):02X}")
        elif character in '"+,;<>\\' or (first and character in " #") or (last and character == " "):
            result.append("\\" + character)
        else:
            result.append(character)
    return "".join(result)
