"""Mobile code: functions in WebAssembly, which can compute, and nothing else."""

from slackwater.algebra.users.mobile.modules import Refused, digest_of, install, module_functions

__all__ = ["Refused", "digest_of", "install", "module_functions"]
