"""Numbers read by formats, from left to right."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from slackwater.algebra.expressions.number_formats import NumberFormat, number_format
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rowwise import rowwise


@dataclass(slots=True)
class _Scan:
    """A text and how far it is read."""

    text: str
    at: int = 0

    def skip(self, signs: str) -> str:
        """The next character if it is one of the signs, and nothing else."""
        char = self.text[self.at : self.at + 1]
        if not char or char not in signs:
            return ""
        self.at += 1
        return char

    def digits(self, others: str) -> str:
        """The digits, and the other signs, that follow, without the white space among them."""
        read = []
        while self.at < len(self.text):
            char = self.text[self.at]
            digit = unicodedata.decimal(char, None)
            if digit is None and char not in others and not char.isspace():
                break
            read.append(str(digit) if digit is not None else char if char in others else "")
            self.at += 1
        return "".join(read)


def _number_text(text: str, form: str) -> str | None:
    format_ = number_format(form)
    if format_ is None:
        return None
    if format_.after == "PR" and text[:1] == "<":
        return _read(_Scan(text[1:-1]), format_, "-") if text[1:].endswith(">") else None
    return _read(_Scan(text), format_, "")


_SIGNS = {"S": "+-", "MI": "-"}


def _read(scan: _Scan, format_: NumberFormat, sign: str) -> str | None:
    sign += scan.skip(_SIGNS.get(format_.before, ""))
    if format_.has_dollar and not scan.skip("$"):
        return None
    whole = scan.digits(",") if format_.groups else ""
    part = ""
    if format_.has_point and scan.skip("."):
        part = scan.digits("") if format_.part else ""
    sign += scan.skip(_SIGNS.get(format_.after, ""))
    if scan.at < len(scan.text) or len(part) > format_.part or not _are_sizes(whole, format_.groups):
        return None
    digits = whole.replace(",", "")
    minus = "-" if sign.count("-") == 1 else ""
    return f"{minus}{digits or '0'}.{part or '0'}" if digits or part else None


def _are_sizes(whole: str, groups: tuple[str, ...]) -> bool:
    """Whether the groups, from the right, are no longer than those of the format, or just as long."""
    sizes = [len(group) for group in whole.split(",")] if whole else []
    if len(sizes) > len(groups):
        return False
    sizes = [0] * (len(groups) - len(sizes)) + sizes
    return all(
        size == len(group) if group.startswith("0") else size <= len(group)
        for size, group in zip(sizes, groups, strict=True)
    )


MAKERS: dict[str, Maker] = {"number_text": rowwise(_number_text)}
