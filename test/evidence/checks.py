"""The ten checks."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Callable

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_public_key

from certificates import Certificate, check_chain, parse_certificate
from constants import (
    CHECKS,
    CLIENT_KEY_PREFIX,
    FIVE_MINUTES,
    HISTORY_KEY,
    HISTORY_URL,
    OTHER_ENVIRONMENT,
    PINNED,
    PROTECTED_HEADER,
)
from document import Document, parse_document
from encoding import base64_bytes, base64_text, ecdsa_valid, raw_to_der, time_text
from outcome import Refused, Skipped, require


@dataclass(frozen=True)
class Inputs:
    """What the ten checks need. Of a bare document, None stands for what nobody gave."""

    document: bytes
    root: bytes  # DER
    time: int
    challenge: bytes | None
    client_public_key: bytes | None
    environment: str | None
    added_images: frozenset[str]
    history_entry: dict[str, Any] | None  # the `approval` of the file, if `by` is "history"


@dataclass
class Checks:
    """Runs the ten checks, and keeps what they found. Each method is the check of its name.

    `examined` receives the examined values of the check that runs.
    """

    inputs: Inputs
    results: list[dict[str, Any]] = field(default_factory=list)  # as in `checks` of the file
    document: Document | None = None
    chain: list[Certificate] | None = None  # only if certificate_chain passed
    approval: dict[str, Any] | None = None  # only if image_approved passed

    def run(self) -> Checks:
        failed = False
        for name in CHECKS:
            examined: dict[str, Any] = {}
            result: dict[str, Any] = {"id": name, "result": "skipped", "examined": examined}
            if not failed:
                check: Callable[[dict[str, Any]], None] = getattr(self, name)
                try:
                    check(examined)
                    result["result"] = "pass"
                except Skipped:
                    examined.clear()
                except Refused as refused:
                    result["result"] = "fail"
                    result["error"] = str(refused)
                    failed = True
            self.results.append(result)
        return self

    # The first and the third check set these; all later checks run only if they passed.

    @property
    def parsed(self) -> Document:
        assert self.document is not None
        return self.document

    @property
    def certificates(self) -> list[Certificate]:
        assert self.chain is not None
        return self.chain

    def document_format(self, examined: dict[str, Any]) -> None:
        examined["sha256"] = hashlib.sha256(self.inputs.document).hexdigest()
        self.document = parse_document(self.inputs.document)

    def trusted_root(self, examined: dict[str, Any]) -> None:
        first = self.parsed.cabundle[0]
        examined["sha256"] = hashlib.sha256(first).hexdigest()
        require(first == self.inputs.root, "untrusted_root")

    def certificate_chain(self, examined: dict[str, Any]) -> None:
        ders = [*self.parsed.cabundle, self.parsed.certificate]
        examined["sha256"] = [hashlib.sha256(der).hexdigest() for der in ders]
        chain = [parse_certificate(der) for der in ders]
        check_chain(chain)
        self.chain = chain
        examined["subjects"] = [one.subject_text for one in chain]
        examined["notBefore"] = [time_text(one.not_before) for one in chain]
        examined["notAfter"] = [time_text(one.not_after) for one in chain]

    def document_signature(self, examined: dict[str, Any]) -> None:
        signed = cbor2.dumps(["Signature1", PROTECTED_HEADER, b"", self.parsed.payload])

        leaf = self.certificates[-1]
        examined["sigStructureSha384"] = hashlib.sha384(signed).hexdigest()
        examined["signature"] = base64_text(self.parsed.signature)
        examined["publicKey"] = base64_text(leaf.key_info)
        require(ecdsa_valid(leaf.key, raw_to_der(self.parsed.signature), signed), "signature")

    def challenge(self, examined: dict[str, Any]) -> None:
        self.compare(examined, self.inputs.challenge, self.parsed.nonce, "nonce_mismatch")

    def certificate_validity(self, examined: dict[str, Any]) -> None:
        time = self.inputs.time
        examined["time"] = time_text(time)
        examined["notBefore"] = [time_text(one.not_before) for one in self.certificates]
        examined["notAfter"] = [time_text(one.not_after) for one in self.certificates]
        for one in self.certificates:
            require(time >= one.not_before - FIVE_MINUTES, "certificate_not_yet_valid")
            require(time <= one.not_after, "certificate_expired")

    def debug_mode(self, examined: dict[str, Any]) -> None:
        pcr0 = self.parsed.pcr0
        if pcr0 is None:
            raise Refused("pcr0_not_approved")
        examined["pcr0"] = pcr0
        require(pcr0 != "00" * 48, "debug_mode")

    def image_approved(self, examined: dict[str, Any]) -> None:
        pcr0 = self.parsed.pcr0
        assert pcr0 is not None  # debug_mode passed
        environment = self.inputs.environment
        entry = self.inputs.history_entry
        if environment is None and not self.inputs.added_images:
            raise Skipped
        examined["pcr0"] = pcr0

        if environment is not None and pcr0 in PINNED[environment]:
            self.approval = {"by": "pin"}
        elif pcr0 in self.inputs.added_images:
            self.approval = {"by": "setting"}
        elif environment is not None and entry is not None and history_valid(entry, pcr0, environment):
            self.approval = {**entry, "url": HISTORY_URL[environment]}
        else:
            raise Refused("pcr0_not_approved")
        examined.update({name: str(value) for name, value in self.approval.items()})

    def server_key(self, examined: dict[str, Any]) -> None:
        key = self.parsed.public_key
        if key is not None:
            examined["found"] = base64_text(key)
        require(key is not None and len(key) == 32, "public_key_mismatch")

    def client_key(self, examined: dict[str, Any]) -> None:
        key = self.inputs.client_public_key
        expected = None if key is None else CLIENT_KEY_PREFIX + key
        self.compare(examined, expected, self.parsed.user_data, "user_data_mismatch")

    @staticmethod
    def compare(examined: dict[str, Any], expected: bytes | None, found: bytes | None, error: str) -> None:
        if expected is None:
            raise Skipped
        examined["expected"] = base64_text(expected)
        if found is not None:
            examined["found"] = base64_text(found)
        require(found == expected, error)


def history_valid(entry: dict[str, Any], pcr0: str, environment: str) -> bool:
    """Does this entry of a history approve the image for this environment?"""
    if pcr0 in PINNED[OTHER_ENVIRONMENT[environment]]:
        return False
    key = load_der_public_key(base64_bytes(HISTORY_KEY))
    assert isinstance(key, ec.EllipticCurvePublicKey)
    return ecdsa_valid(key, raw_to_der(base64_bytes(entry["signature"])), pcr0.encode("ascii"))
