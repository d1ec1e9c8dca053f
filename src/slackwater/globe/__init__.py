"""StreamGlobe: a network of peers that publish streams, subscribe to them, and share what they compute."""
