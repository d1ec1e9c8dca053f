"""Modules as records of a network, and the functions that they have."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable

from slackwater.algebra.users.functions import UserFunction
from slackwater.algebra.users.mobile import Refused, calls, digest_of, install
from slackwater.base.diagnostic import EngineError
from slackwater.globe.mobile import problems
from slackwater.globe.model import PeerName, Published, Statistics

_PREFIX = "module_"


def published_module(content: bytes, at: PeerName) -> Published:
    """A module as a peer publishes it; raises EngineError where it cannot be used."""
    _install(content, "")
    text = base64.b64encode(content).decode()
    return Published(_PREFIX + digest_of(content), at, "wasm", text, Statistics(0, 0), kind="module")


def _install(content: bytes, name: str) -> str:
    try:
        return install(content)
    except Refused as why:
        raise EngineError(problems.BAD_MODULE.at(name=name or digest_of(content), why=why)) from None


def install_published(module: Published) -> str:
    """Check a published module, and make its functions callable here; its digest; raises EngineError."""
    try:
        content = base64.b64decode(module.schema, validate=True)
    except (binascii.Error, ValueError):
        content = b""
    digest = digest_of(content)
    if module.id != _PREFIX + digest:
        raise EngineError(problems.CHANGED_MODULE.at(name=module.id, digest=digest))
    return _install(content, module.id)


def modules_in(text: str, published: Iterable[Published]) -> list[Published]:
    """The modules that a text names."""
    lowered = text.lower()  # CQL prints the names of functions in capitals
    return [one for one in published if one.kind == "module" and one.id.removeprefix(_PREFIX) in lowered]


def functions_in(text: str, published: Iterable[Published]) -> list[UserFunction]:
    """The functions of the modules that a text names, for a catalog; raises EngineError."""
    digests = [install_published(one) for one in modules_in(text, published)]
    return [function for digest in digests for function in calls.user_functions(digest)]
