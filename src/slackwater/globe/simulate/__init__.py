"""Networks of peers in simulated time: the peers run their real code, on a network that fails by chance."""
