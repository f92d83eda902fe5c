"""The step file_format."""

from __future__ import annotations

import json
import re
from typing import Any

from constants import CHECKS, MAX_DOCUMENT, MAX_FILE
from encoding import base64_bytes, time_number


TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
    (?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")
    |(?P<scalar>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)
    |(?P<mark>[\[\]{}:,]))""",
    re.VERBOSE,
)


def read_json(data: bytes) -> Any:
    """The value of JSON in UTF-8, however it is written; None for anything else."""

    def refuse(text: str) -> Any:
        raise ValueError(text)

    try:
        return json.loads(data.decode("utf-8"), parse_constant=refuse, parse_int=float)
    except ValueError:
        return None
    except RecursionError:
        return {} if data.lstrip()[:1] == b"{" and is_json(data.decode("utf-8")) else None


def is_json(text: str) -> bool:
    """Whether it is JSON (RFC 8259), however deep it is."""
    open_ones: list[str] = []
    state = "value"  # what may come next; also "first" (of a list or an object), "name", "colon", "after"
    position = 0
    while token := TOKEN.match(text, position):
        position = token.end()
        mark = token["mark"]
        if state in ("name", "first") and token["string"] is not None and open_ones[-1] == "{":
            state = "colon"
        elif state in ("value", "first") and (mark is None or mark in "[{") and (state, open_ones[-1:]) != ("first", ["{"]):
            if mark is not None:
                open_ones.append(mark)
            state = "after" if mark is None else "first"
        elif state == "colon" and mark == ":":
            state = "value"
        elif state == "after" and mark == "," and open_ones:
            state = "name" if open_ones[-1] == "{" else "value"
        elif state in ("after", "first") and mark in ("]", "}") and open_ones[-1:] == [{"]": "[", "}": "{"}[mark]]:
            open_ones.pop()
            state = "after"
        else:
            return False
    return state == "after" and not open_ones and text[position:].strip(" \t\r\n") == ""


def parse_evidence(data: bytes) -> dict[str, Any]:
    """The step file_format: all fields, no others, each as documented. Raises ValueError.

    How the fields belong together is left to the step recorded_values.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise ValueError("repeated name")
        return dict(pairs)

    def refuse(text: str) -> Any:
        raise ValueError("not an integer: " + text)

    def integer(text: str) -> int:
        if text == "-0" or len(text) > 17:
            raise ValueError("-0, or beyond 2^53: " + text[:17])
        return int(text)

    def expect(condition: bool) -> None:
        if not condition:
            raise ValueError("not as documented")

    def text(value: Any, pattern: str) -> None:
        expect(isinstance(value, str) and re.fullmatch(pattern, value) is not None)

    def binary(value: Any, minimum: int, maximum: int) -> None:
        expect(isinstance(value, str))
        expect(minimum <= len(base64_bytes(value)) <= maximum)

    def names(value: Any, *expected: str) -> None:
        expect(isinstance(value, dict) and set(value) == set(expected))

    pcr = "[0-9a-f]{96}"
    url = "https://[!-~]{1,2000}"

    expect(len(data) <= MAX_FILE)
    try:
        file: dict[str, Any] = json.loads(data, object_pairs_hook=unique, parse_int=integer, parse_float=refuse)
        json.dumps(file, ensure_ascii=False).encode("utf-8")  # no half of a surrogate pair
    except RecursionError:
        raise ValueError("too deep") from None

    names(
        file,
        *("format", "formatVersion", "version", "backend", "verifiedAt", "environment"),
        *("challenge", "clientPublicKey", "serverPublicKey", "attestationDocument"),
        *("pcr0", "approval", "checks", "digest"),
    )
    text(file["format"], "sealed-proxy-evidence")
    expect(type(file["formatVersion"]) is int and file["formatVersion"] == 1)
    text(file["version"], "[0-9A-Za-z.+-]{1,64}")
    text(file["backend"], url)
    text(file["verifiedAt"], ".*")
    time_number(file["verifiedAt"])
    text(file["environment"], "production|development")
    binary(file["challenge"], 32, 32)
    binary(file["clientPublicKey"], 32, 32)
    if file["serverPublicKey"] is not None:
        binary(file["serverPublicKey"], 32, 32)
    binary(file["attestationDocument"], 0, MAX_DOCUMENT)
    if file["pcr0"] is not None:
        text(file["pcr0"], pcr)
    text(file["digest"], "[0-9a-f]{64}")

    approval = file["approval"]
    if approval is not None:
        expect(isinstance(approval, dict))
        if approval.get("by") == "history":
            names(approval, "by", "url", "pcr1", "pcr2", "timestamp", "signature")
            text(approval["url"], url)
            text(approval["pcr1"], pcr)
            text(approval["pcr2"], pcr)
            expect(type(approval["timestamp"]) is int and abs(approval["timestamp"]) < 2**53)
            binary(approval["signature"], 96, 96)
        else:
            names(approval, "by")
            text(approval["by"], "pin|setting")

    checks = file["checks"]
    expect(isinstance(checks, list) and len(checks) == len(CHECKS))
    for check, name in zip(checks, CHECKS):
        expect(isinstance(check, dict))
        failed = check.get("result") == "fail"
        names(check, "id", "result", "examined", *(["error"] if failed else []))
        text(check["id"], name)
        text(check["result"], "pass|fail|skipped")
        if failed:
            text(check["error"], "[a-z0-9_]{1,64}")
        expect(isinstance(check["examined"], dict))
        for name, value in check["examined"].items():
            text(name, "[A-Za-z][A-Za-z0-9]{0,63}")
            for one in value if isinstance(value, list) else [value]:
                expect(isinstance(one, str))
    return file
