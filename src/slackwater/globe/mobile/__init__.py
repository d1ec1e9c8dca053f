"""Modules of WebAssembly in a network: they come with a subscription, and go where it is computed."""
