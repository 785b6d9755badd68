"""Cortex over HTTP, for scripts of this machine: loopback only, with a token, when asked for.

Nothing opens a port by itself: `cortex serve` does, until it is ended.
"""
