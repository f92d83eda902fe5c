"""The check certificate_chain."""

from __future__ import annotations

from dataclasses import dataclass

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec

import der
from constants import ECDSA_WITH_SHA384, EC_P384
from encoding import ecdsa_valid, milliseconds
from names import name_text
from outcome import Refused, require

BASIC_CONSTRAINTS = "2.5.29.19"
KEY_USAGE = "2.5.29.15"
SUBJECT_KEY_IDENTIFIER = "2.5.29.14"
AUTHORITY_KEY_IDENTIFIER = "2.5.29.35"
MUST_NOT_OCCUR = ("2.5.29.30", "2.5.29.36", "2.5.29.54")

DIGITAL_SIGNATURE, KEY_CERT_SIGN = 0, 5


@dataclass(frozen=True)
class AuthorityKey:
    """Each is None if it is missing."""

    key_identifier: bytes | None
    issuer: bytes | None  # the contents of the directoryName: a name, DER
    serial_number: bytes | None  # the contents of the INTEGER


@dataclass(frozen=True)
class Certificate:
    signed: bytes  # tbsCertificate, DER
    signature: bytes  # ECDSA-Sig-Value
    serial_number: bytes  # the contents of the INTEGER
    issuer: bytes  # DER
    subject: bytes  # DER
    subject_text: str
    not_before: int
    not_after: int
    key: ec.EllipticCurvePublicKey
    key_info: bytes  # subjectPublicKeyInfo, DER
    authority: bool
    path_length: int | None
    usage: set[int] | None  # the bits
    key_identifier: bytes | None
    authority_key: AuthorityKey | None


def parse_certificate(data: bytes) -> Certificate:
    """The tables of the check certificate_chain."""
    try:
        return read_certificate(data)
    except (ValueError, UnsupportedAlgorithm):
        raise Refused("malformed_certificate") from None


def read_certificate(data: bytes) -> Certificate:
    parts = der.elements(der.contents(data, der.SEQUENCE))
    require([tag for tag, _ in parts] == [der.SEQUENCE, der.SEQUENCE, der.BIT_STRING], "malformed_certificate")
    signed, outer_algorithm, signature = (der.element(*part) for part in parts)

    fields = der.elements(parts[0][1])
    required = [0xA0, der.INTEGER, *[der.SEQUENCE] * 5]
    tags = [tag for tag, _ in fields]
    require(tags in (required, [*required, 0xA3]), "malformed_certificate")
    version, serial_number, inner_algorithm, issuer, validity, subject, key_info, *wrapped = fields
    require(der.element(*version) == b"\xa0\x03\x02\x01\x02", "malformed_certificate")
    require(1 <= der.integer(serial_number[1]) < 2**160, "malformed_certificate")
    name_text(issuer[1])
    not_before, not_after = (milliseconds(der.time(*one)) for one in der.elements(validity[1]))

    extensions: dict[str, bytes] = {}
    for _, content in wrapped:
        extensions = read_extensions(content)
    authority, path_length = basic_constraints(extensions.get(BASIC_CONSTRAINTS))
    usage = extensions.get(KEY_USAGE)
    own_key = extensions.get(SUBJECT_KEY_IDENTIFIER)
    authority_key = extensions.get(AUTHORITY_KEY_IDENTIFIER)

    for algorithm in (der.element(*inner_algorithm), outer_algorithm):
        require(algorithm == ECDSA_WITH_SHA384, "certificate_algorithm")

    return Certificate(
        signed=signed,
        signature=der.whole_bytes(der.contents(signature, der.BIT_STRING)),
        serial_number=serial_number[1],
        issuer=der.element(*issuer),
        subject=der.element(*subject),
        subject_text=name_text(subject[1]),
        not_before=not_before,
        not_after=not_after,
        key=public_key(key_info[1]),
        key_info=der.element(*key_info),
        authority=authority,
        path_length=path_length,
        usage=None if usage is None else der.named_bits(der.contents(usage, der.BIT_STRING)),
        key_identifier=None if own_key is None else der.contents(own_key, der.OCTET_STRING),
        authority_key=None if authority_key is None else read_authority_key(authority_key),
    )


def public_key(info: bytes) -> ec.EllipticCurvePublicKey:
    algorithm, key = der.elements(info)
    require(algorithm[0] == der.SEQUENCE and key[0] == der.BIT_STRING, "malformed_certificate")
    require(der.element(*algorithm) == EC_P384, "certificate_algorithm")
    point = der.whole_bytes(key[1])
    require(len(point) == 97 and point[0] == 4, "malformed_certificate")
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP384R1(), point)


def read_extensions(content: bytes) -> dict[str, bytes]:
    """The contents of the OCTET STRING of each extension by its type."""
    found: dict[str, bytes] = {}
    for tag, extension in der.elements(der.contents(content, der.SEQUENCE)):
        (type_tag, type_content), *flag, (value_tag, value) = der.elements(extension)
        require((tag, type_tag, value_tag) == (der.SEQUENCE, der.OID, der.OCTET_STRING), "malformed_certificate")
        require([der.element(*one) for one in flag] in ([], [der.TRUE]), "malformed_certificate")
        number = der.oid(type_content)
        require(number not in found and number not in MUST_NOT_OCCUR, "malformed_certificate")
        require(not flag or number in (BASIC_CONSTRAINTS, KEY_USAGE), "malformed_certificate")
        found[number] = value
    require(len(found) >= 1, "malformed_certificate")
    return found


def basic_constraints(value: bytes | None) -> tuple[bool, int | None]:
    """Whether it is a certificate authority, and its path length."""
    content = b"" if value is None else der.contents(value, der.SEQUENCE)
    match der.elements(content):
        case []:
            return False, None
        case [(der.BOOLEAN, b"\xff")]:
            return True, None
        case [(der.BOOLEAN, b"\xff"), (der.INTEGER, number)]:
            path_length = der.integer(number)
            require(path_length >= 0, "malformed_certificate")
            return True, path_length
        case _:
            raise Refused("malformed_certificate")


def read_authority_key(value: bytes) -> AuthorityKey:
    parts = der.elements(der.contents(value, der.SEQUENCE))
    tags = [tag for tag, _ in parts]
    require(tags == [tag for tag in (0x80, 0xA1, 0x82) if tag in tags], "malformed_certificate")
    found = dict(parts)
    names = found.get(0xA1)
    return AuthorityKey(
        key_identifier=found.get(0x80),
        issuer=None if names is None else der.contents(names, 0xA4),
        serial_number=found.get(0x82),
    )


def check_chain(chain: list[Certificate]) -> None:
    """The rules for the chain. The last certificate is the leaf."""
    error = "certificate_chain"
    *authorities, leaf = chain

    for index, authority in enumerate(authorities):
        require(authority.authority, error)
        require(authority.usage is None or KEY_CERT_SIGN in authority.usage, error)
        if authority.path_length is not None:
            following = authorities[index + 1 :]
            issued_by_others = sum(one.subject != one.issuer for one in following)
            require(issued_by_others <= authority.path_length, error)

    require(not leaf.authority, error)
    if leaf.usage is not None:
        require(DIGITAL_SIGNATURE in leaf.usage and KEY_CERT_SIGN not in leaf.usage, error)

    for issuer, issued in zip(chain, chain[1:]):
        require(issued.issuer == issuer.subject, error)
        require(is_authority_key(issued.authority_key, issuer), error)
        require(ecdsa_valid(issuer.key, issued.signature, issued.signed), error)


def is_authority_key(wanted: AuthorityKey | None, issuer: Certificate) -> bool:
    """Whether an authority key identifier, as far as it says something, means this issuer."""
    if wanted is None:
        return True
    return (
        (wanted.key_identifier is None or issuer.key_identifier in (None, wanted.key_identifier))
        and wanted.issuer in (None, issuer.issuer)
        and wanted.serial_number in (None, issuer.serial_number)
    )
