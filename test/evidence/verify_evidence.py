#!/usr/bin/env python3
"""Verify an evidence file of Sealed Proxy, or a bare attestation document of AWS Nitro Enclaves.

    verify_evidence.py FILE [--at TIME] [--pcr0 PCR0]... [--root FILE] [--challenge BASE64]
    verify_evidence.py --batch [the same options] < FILE_NAMES

This is an independent implementation of docs/evidence.md. It uses no network, and needs only Python 3
and the packages in requirements.txt.

How to read it:

1. constants.py: the constants of the documentation.
2. encoding.py: readers of Base64, times and CBOR.
3. document.py (the check document_format); certificates.py, names.py and der.py (the check certificate_chain).
4. checks.py: the ten checks, one method for each.
5. evidence_format.py (the step file_format) and steps.py: the 14 steps.
6. This file: the command line.

Principles: every value is refused unless the documentation allows it; a check that fails raises
`Refused` with its error code; nothing else leaves these functions, whatever the input is.

Output: one line for each step, `pass STEP`, `fail STEP ERROR` or `skipped STEP`. With --batch, one line of
JSON for each file: {"steps": [{"id", "result", "error" (of a check that failed)}], "verified": true or false}.
Exit code: 0 if every step passed; 1 if not; 2 if the file cannot be read or is neither evidence nor a
document, or the options are wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import warnings
from datetime import datetime

from certificates import parse_certificate
from constants import AWS_ROOT, AWS_ROOT_SHA256, MAX_FILE
from encoding import base64_bytes, milliseconds, time_text
from evidence_format import read_json
from outcome import Refused, Unusable
from steps import Options, Report, verify_document, verify_evidence


ARRAY_OF_FOUR = b"\x84"
"""The first byte of an attestation document."""


def verify(data: bytes, options: Options) -> Report:
    """A JSON object is evidence; Base64, or bytes that begin like a document, is a document."""
    if len(data) > MAX_FILE:
        raise Unusable("too large")
    if isinstance(read_json(data), dict):
        if options.challenge is not None:
            raise Unusable("--challenge is only for a bare document: evidence has its own")
        return verify_evidence(data, options)
    try:
        document = document_base64(data)
    except ValueError:
        document = data
    if document[:1] != ARRAY_OF_FOUR:
        raise Unusable("neither evidence nor an attestation document")
    return verify_document(document, options)


TIME = "([0-9]{4}-[0-9]{2}-[0-9]{2}T)([0-9]{2}:[0-9]{2})(:[0-9]{2}([.][0-9]{1,3})?)?(Z|[+-](?!24)[0-9]{2}:[0-5][0-9])"


def time_option(text: str) -> int:
    """As the documentation writes it, with a zone; or milliseconds since 1970."""
    if re.fullmatch("[0-9]{1,15}", text):
        time = int(text)
    elif (match := re.fullmatch(TIME, text)) and match[2] < "24":
        fraction = match[4] or "."
        plain = text.replace(fraction, "") if match[4] else text
        moment = datetime.fromisoformat(plain.replace("Z", "+00:00"))
        time = milliseconds(moment) + int(fraction[1:].ljust(3, "0"))
    else:
        raise ValueError("not a time")
    try:
        time_text(time)
    except OverflowError:
        raise ValueError("beyond the years 1 to 9999") from None
    return time


def pcr0_option(text: str) -> str:
    if not re.fullmatch("[0-9A-Fa-f]{96}", text):
        raise ValueError("96 hex digits expected")
    return text.lower()


def root_option(name: str) -> bytes:
    """A certificate file, PEM or DER, as DER."""
    try:
        with open(name, "rb") as file:
            data = file.read(MAX_FILE)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"cannot read {name}: {error.strerror}") from None
    if b"-----BEGIN " in data:
        [found] = re.findall(rb"-----BEGIN ([^-]*-----[^-]*-----END [^-]*-----)?", data)
        label, base64, end, *_ = found.split(b"-----")
        if (label, end) != (b"CERTIFICATE", b"END CERTIFICATE"):
            raise ValueError("not a certificate")
        data = document_base64(base64)
    try:
        parse_certificate(data)
    except Refused:
        raise ValueError("not a certificate") from None
    return data


def document_base64(text: bytes) -> bytes:
    """Base64 in which white space is ignored."""
    return base64_bytes(text.translate(None, b" \t\r\n").decode("ascii"))


def aws_root() -> bytes:
    root = base64_bytes("".join(AWS_ROOT.split("\n")[1:-2]))
    assert hashlib.sha256(root).hexdigest() == AWS_ROOT_SHA256
    return root


def verify_file(name: str, options: Options) -> Report:
    try:
        with open(name, "rb") as file:
            data = file.read(MAX_FILE + 1)
    except (OSError, ValueError) as error:
        raise Unusable(f"cannot read it: {error}") from None
    return verify(data, options)


def run_batch(options: Options) -> int:
    """One line of JSON for each file name on standard input; the exit code is the highest one."""
    code = 0
    for line in sys.stdin.buffer:
        try:
            report = verify_file(os.fsdecode(line.rstrip(b"\r\n")), options)
            code = max(code, 0 if report.verified else 1)
            print(json.dumps({"steps": report.steps, "verified": report.verified}), flush=True)
        except Unusable as error:
            code = 2
            print(json.dumps({"steps": [], "verified": False, "error": str(error)}), flush=True)
    return code


def main() -> int:
    warnings.simplefilter("ignore")  # of `cryptography`, about odd certificates

    parser = argparse.ArgumentParser(description="Verify evidence of Sealed Proxy, offline.")
    parser.add_argument("file", nargs="?", help="evidence, or a bare attestation document")
    parser.add_argument("--at", type=time_option, help="time of the verification")
    parser.add_argument("--pcr0", type=pcr0_option, action="append", default=[], help="trust it")
    parser.add_argument("--root", type=root_option, help="trusted root instead of that of AWS")
    parser.add_argument("--challenge", type=base64_bytes, help="challenge for a bare document")
    parser.add_argument("--batch", action="store_true", help="read file names from standard input")
    arguments = parser.parse_args()
    if arguments.batch == (arguments.file is not None):
        parser.error("give either FILE or --batch")

    options = Options(
        time=arguments.at,
        images=frozenset(arguments.pcr0),
        root=aws_root() if arguments.root is None else arguments.root,
        challenge=arguments.challenge,
    )
    if arguments.batch:
        return run_batch(options)

    try:
        report = verify_file(arguments.file, options)
    except Unusable as error:
        print(f"{arguments.file}: {error}", file=sys.stderr)
        return 2
    for step in report.steps:
        print(" ".join(step[name] for name in ("result", "id", "error") if name in step))
    return 0 if report.verified else 1


if __name__ == "__main__":
    sys.exit(main())
