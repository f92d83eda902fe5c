"""How a check ends, other than by passing."""

from __future__ import annotations


class Refused(Exception):
    """A check failed; its text is the error code."""


class Skipped(Exception):
    """A check has nothing to compare with (only for a bare document)."""


class Unusable(Exception):
    """The input is neither evidence nor a document, or cannot be read (exit code 2)."""


def require(condition: bool, error: str) -> None:
    if not condition:
        raise Refused(error)
