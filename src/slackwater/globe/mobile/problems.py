"""What can be wrong with mobile code."""

from __future__ import annotations

from slackwater.base.problem import Problem

BAD_MODULE = Problem(
    "bad-module",
    'module "{name}" cannot be used: {why}',
    detail="A module is WebAssembly without imports. It exports functions over f64, i64 and i32 with one "
    "result, or over texts in its memory.",
    hint="See docs/peers.md for what a module exports, and for the limits.",
    means="A WebAssembly module is too large, malformed, imports something, exports no function of a known "
    "signature, or takes more memory than it may.",
)
UNKNOWN_MODULE_FUNCTION = Problem(
    "unused-module",
    'the query calls no function of module "{name}"',
    detail="It exports {functions}.",
    hint='Call one by its name, in XQuery as call-module("{first}", …).',
    means="A module was registered with a subscription that calls none of its functions.",
)
CHANGED_MODULE = Problem(
    "changed-module",
    'module "{name}" has the digest {digest}',
    hint="The sender is broken: publish the module again.",
    means="A module is named by the digest of its content; what was received has another one.",
)
