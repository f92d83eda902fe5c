"""The contract of the suite, served by the verifier in test/evidence: python.py SUBCOMMAND"""

from __future__ import annotations

import json
import pathlib
import sys
import warnings
from datetime import datetime
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "test" / "evidence"))

from checks import Checks, Inputs  # noqa: E402
from constants import CHECKS, CLIENT_KEY_PREFIX  # noqa: E402
from encoding import base64_bytes, milliseconds  # noqa: E402

EXIT_CODES = {"accepted": 0, "rejected": 10, "not_supported": 20, "error": 30}


class NotSupported(Exception):
    """The verifier cannot do what a policy asks for."""


def verify(text: str) -> dict[str, str]:
    try:
        given = json.loads(text)
        roots = [base64_bytes(anchor) for anchor in given["anchors"]]
        # The verifier takes one root. Of several, only the one that the document starts with can pass.
        codes = [refusal(given, root) for root in roots or [b""]]
        code = next((one for one in codes if one != "untrusted_root"), "untrusted_root")
        if code is None:
            return {"verdict": "accepted"}
        return {"verdict": "rejected", "code": code}
    except NotSupported as reason:
        return {"verdict": "not_supported", "message": str(reason)}
    except Exception as error:  # of the input or of the verifier: both fail the case
        return {"verdict": "error", "message": repr(error)}


def refusal(given: dict[str, Any], root: bytes) -> str | None:
    policy = given["policy"]
    if policy["publicKeyBytes"] != 32:
        raise NotSupported("public_key is always a key of 32 bytes")
    images = policy.get("pcr0")
    checks = Checks(
        Inputs(
            document=base64_bytes(given["document"]),
            root=root,
            time=milliseconds(datetime.fromisoformat(given["at"].replace("Z", "+00:00"))),
            challenge=base64_bytes(given["challenge"]) if "challenge" in given else None,
            client_public_key=client_key(policy.get("userData")),
            # Without an environment and images, the check is skipped.
            environment=None if images is None else "production",
            added_images=frozenset(images or ()),
            history_entry=None,
        )
    ).run()
    return next((one["error"] for one in checks.results if one["result"] == "fail"), None)


def client_key(user_data: str | None) -> bytes | None:
    if user_data is None:
        return None
    data = base64_bytes(user_data)
    if not data.startswith(CLIENT_KEY_PREFIX) or len(data) != len(CLIENT_KEY_PREFIX) + 32:
        raise NotSupported("user_data of another form")
    return data[-32:]


def main() -> int:
    warnings.simplefilter("ignore")  # of `cryptography`, about odd certificates
    match sys.argv[1:]:
        case ["capabilities"]:
            print(json.dumps({"name": "sealed-proxy (Python)", "checks": list(CHECKS), "batch": True}))
        case ["verify"]:
            output = verify(sys.stdin.read())
            print(json.dumps(output))
            return EXIT_CODES[output["verdict"]]
        case ["verify-batch"]:
            for line in sys.stdin:
                print(json.dumps(verify(line)))
        case _:
            print("python.py capabilities | verify | verify-batch", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
