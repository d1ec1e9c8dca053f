"""Networks of peers: the example of chapter 2 as processes, deaths, and what links and peers bear."""
