"""The contract of the suite, served by epsilon-attestation-verifier of PyPI: adapter.py SUBCOMMAND

The package has no argument for the time, so the adapter replaces its clock. It compares neither the nonce nor public_key
nor user_data with anything, and has no rule for debug mode, so the adapter does not announce those checks.
"""

from __future__ import annotations

import base64
import json
import logging
import sys
import tempfile
import warnings
from datetime import datetime
from typing import Any

from epsilon_verifier import verifier

EXIT_CODES = {"accepted": 0, "rejected": 10, "not_supported": 20, "error": 30}
CHECKS = [
    "document_format",
    "trusted_root",
    "certificate_chain",
    "document_signature",
    "certificate_validity",
    "image_approved",
]
CODES = {
    "Invalid attestation": "malformed_document",
    "Certificate": "certificate_chain",
    "COSE signature": "signature",
    "Signature": "signature",
    "PCR0": "pcr0_not_approved",
}


def verify(text: str) -> dict[str, str]:
    given = json.loads(text)
    at = datetime.fromisoformat(given["at"].replace("Z", "+00:00"))

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return at

    verifier.datetime = Clock
    images = given["policy"].get("pcr0", [None])
    if not images or not given["anchors"]:
        return {"verdict": "not_supported", "message": "without images or anchors, the package uses its own"}
    errors = []
    for anchor in given["anchors"]:
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(f"-----BEGIN CERTIFICATE-----\n{anchor}\n-----END CERTIFICATE-----\n")
            file.flush()
            for image in images:
                result = verifier.verify_attestation(
                    given["document"], expected_pcr0=image, aws_root_cert_path=file.name
                )
                if result.valid:
                    return {"verdict": "accepted"}
                errors.append(str(result.error))
    code = next((code for start, code in CODES.items() if errors[0].startswith(start)), "error")
    return {"verdict": "rejected", "code": code, "message": errors[0]}


def main() -> int:
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    match sys.argv[1:]:
        case ["capabilities"]:
            print(json.dumps({"name": "epsilon-attestation-verifier 1.1.0", "checks": CHECKS, "batch": True}))
        case ["verify"]:
            output = verify(sys.stdin.read())
            print(json.dumps(output))
            return EXIT_CODES[output["verdict"]]
        case ["verify-batch"]:
            for line in sys.stdin:
                print(json.dumps(verify(line)))
        case _:
            print("adapter.py capabilities | verify | verify-batch", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
