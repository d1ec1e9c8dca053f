"""The gate tries the same examples every time; campaigns and developers try new ones."""

import os

from hypothesis import settings

settings.register_profile("gate", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("gate" if os.environ.get("CI") and not os.environ.get("SLACKWATER_FUZZ") else "search")
