"""The check certificate_chain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from constants import ECDSA_WITH_SHA384
from encoding import der_split, ecdsa_valid, milliseconds
from outcome import Refused, require


@dataclass(frozen=True)
class Certificate:
    signed: bytes  # TBSCertificate, DER
    signature: bytes | None  # DER; None if it is not whole bytes
    issuer: bytes  # DER
    subject: bytes  # DER
    subject_text: str  # as in the examined values
    not_before: int
    not_after: int
    key: ec.EllipticCurvePublicKey
    key_info: bytes  # SubjectPublicKeyInfo, DER
    authority: bool
    path_length: int | None
    usage: x509.KeyUsage | None
    serial_number: int
    issuer_name: x509.Name
    key_identifier: bytes | None
    authority_key: x509.AuthorityKeyIdentifier | None


def parse_certificate(der: bytes) -> Certificate:
    """Rules 1 to 5 of the check certificate_chain.

    `cryptography` parses strictly. Broken contents of a known extension and a negative path length
    are among the things that it does not accept.
    """
    try:
        parsed = x509.load_der_x509_certificate(der)
        extensions = parsed.extensions
        subject_text = "\n".join(
            attribute.rfc4514_string() for rdn in parsed.subject.rdns for attribute in rdn
        )
        issuer_name = parsed.issuer
        not_before = milliseconds(parsed.not_valid_before_utc)
        not_after = milliseconds(parsed.not_valid_after_utc)
        signed, outer_algorithm, signature_bits = der_split(der)
        _, _, inner_algorithm, issuer, _, subject, key_info, *_ = der_split(signed)
    except Exception:  # it has several kinds of them for what it does not accept
        raise Refused("malformed_certificate") from None

    require(parsed.version is x509.Version.v3, "malformed_certificate")
    for extension in extensions:
        known = extension.oid in (x509.OID_BASIC_CONSTRAINTS, x509.OID_KEY_USAGE)
        require(known or not extension.critical, "malformed_certificate")

    algorithms = (inner_algorithm, outer_algorithm)
    require(algorithms == (ECDSA_WITH_SHA384, ECDSA_WITH_SHA384), "certificate_algorithm")
    try:
        key = parsed.public_key()
    except Exception:  # unknown algorithm or curve, or not a point of the curve
        raise Refused("malformed_certificate") from None
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP384R1):
        raise Refused("certificate_algorithm")

    def extension_value(kind: type[Any]) -> Any:
        try:
            return extensions.get_extension_for_class(kind).value
        except x509.ExtensionNotFound:
            return None

    # The contents of a BIT STRING start with the number of unused bits, which `cryptography` ignores.
    whole_bytes = signature_bits.endswith(b"\0" + parsed.signature)

    constraints = extension_value(x509.BasicConstraints)
    own_key = extension_value(x509.SubjectKeyIdentifier)
    return Certificate(
        signed=signed,
        signature=parsed.signature if whole_bytes else None,
        issuer=issuer,
        subject=subject,
        subject_text=subject_text,
        not_before=not_before,
        not_after=not_after,
        key=key,
        key_info=key_info,
        authority=constraints is not None and constraints.ca,
        path_length=None if constraints is None else constraints.path_length,
        usage=extension_value(x509.KeyUsage),
        serial_number=parsed.serial_number,
        issuer_name=issuer_name,
        key_identifier=None if own_key is None else own_key.digest,
        authority_key=extension_value(x509.AuthorityKeyIdentifier),
    )


def check_chain(chain: list[Certificate]) -> None:
    """Rules 6 to 8 of the check certificate_chain. The last certificate is the leaf."""
    error = "certificate_chain"
    *authorities, leaf = chain

    for index, authority in enumerate(authorities):
        require(authority.authority, error)
        require(authority.usage is None or authority.usage.key_cert_sign, error)
        if authority.path_length is not None:
            following = authorities[index + 1 :]
            issued_by_others = sum(one.subject != one.issuer for one in following)
            require(issued_by_others <= authority.path_length, error)

    require(not leaf.authority, error)
    require(leaf.usage is None or leaf.usage.digital_signature, error)

    for issuer, issued in zip(chain, chain[1:]):
        require(issued.issuer == issuer.subject, error)
        require(is_authority_key(issued.authority_key, issuer), error)
        signature = issued.signature
        require(signature is not None and ecdsa_valid(issuer.key, signature, issued.signed), error)


def is_authority_key(wanted: x509.AuthorityKeyIdentifier | None, issuer: Certificate) -> bool:
    """Whether an authority key identifier, as far as it says something, means this issuer."""
    if wanted is None:
        return True
    if None not in (wanted.key_identifier, issuer.key_identifier):
        if wanted.key_identifier != issuer.key_identifier:
            return False
    if wanted.authority_cert_serial_number not in (None, issuer.serial_number):
        return False
    names = [
        name.value for name in wanted.authority_cert_issuer or [] if isinstance(name, x509.DirectoryName)
    ]
    return names[:1] in ([], [issuer.issuer_name])
