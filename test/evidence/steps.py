"""The steps of a verification: of evidence, and of a bare attestation document."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import Any

from checks import Checks, Inputs
from constants import CHECKS, FIVE_MINUTES
from encoding import base64_bytes, time_number
from evidence_format import parse_evidence
from outcome import Unusable


@dataclass
class Report:
    steps: list[dict[str, str]] = field(default_factory=list)

    def add(self, name: str, result: str, error: str | None = None) -> None:
        step = {"id": name, "result": result}
        if error is not None:
            step["error"] = error
        self.steps.append(step)

    def add_test(self, name: str, passed: bool) -> None:
        self.add(name, "pass" if passed else "fail")

    def add_checks(self, checks: Checks) -> None:
        for result in checks.results:
            self.add(result["id"], result["result"], result.get("error"))

    @property
    def verified(self) -> bool:
        return bool(self.steps) and all(step["result"] == "pass" for step in self.steps)


@dataclass(frozen=True)
class Options:
    time: int | None
    images: frozenset[str]
    root: bytes
    challenge: bytes | None


def file_digest(file: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON (RFC 8785) of all fields but `digest`."""
    rest = {name: value for name, value in file.items() if name != "digest"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def verify_evidence(data: bytes, options: Options) -> Report:
    """The 14 steps."""
    report = Report()

    # Step 1: file_format
    try:
        file = parse_evidence(data)
    except ValueError:
        report.add("file_format", "fail")
        for name in ("file_digest", *CHECKS, "verified_at", "recorded_values"):
            report.add(name, "skipped")
        return report
    report.add("file_format", "pass")

    # Step 2: file_digest
    report.add_test("file_digest", file["digest"] == file_digest(file))

    # Step 3: the ten checks, with what this verifier chose
    approval = file["approval"]
    by = None if approval is None else approval["by"]
    verified_at = time_number(file["verifiedAt"])
    inputs = Inputs(
        document=base64_bytes(file["attestationDocument"]),
        root=options.root,
        time=verified_at if options.time is None else options.time,
        challenge=base64_bytes(file["challenge"]),
        client_public_key=base64_bytes(file["clientPublicKey"]),
        environment=file["environment"],
        added_images=options.images,
        history_entry=approval if by == "history" else None,
    )
    checks = Checks(inputs).run()
    report.add_checks(checks)

    # Step 4: verified_at
    if checks.chain is None:
        report.add("verified_at", "skipped")
    else:
        leaf = checks.chain[-1]
        allowed = leaf.not_after - leaf.not_before + FIVE_MINUTES
        near = abs(verified_at - checks.parsed.timestamp) <= allowed
        report.add_test("verified_at", near)

    # Step 5: recorded_values: once more, with what the proxy chose
    recorded_image = file["pcr0"] if by == "setting" else None
    images = frozenset[str]() if recorded_image is None else frozenset([recorded_image])
    again = Checks(replace(inputs, time=verified_at, added_images=images)).run()
    document = again.document
    same = (
        file["serverPublicKey"] == (None if document is None else document.server_public_key)
        and file["pcr0"] == (None if document is None else document.pcr0)
        and file["approval"] == again.approval
        and file["checks"] == again.results
    )
    passed = all(check["result"] == "pass" for check in file["checks"])
    report.add_test("recorded_values", same and passed)
    return report


def verify_document(data: bytes, options: Options) -> Report:
    """The ten checks for a bare attestation document."""
    if options.time is None:
        raise Unusable("a bare document does not say when it was verified: give --at")
    inputs = Inputs(
        document=data,
        root=options.root,
        time=options.time,
        challenge=options.challenge,
        client_public_key=None,
        environment=None,
        added_images=options.images,
        history_entry=None,
    )
    report = Report()
    report.add_checks(Checks(inputs).run())
    return report
