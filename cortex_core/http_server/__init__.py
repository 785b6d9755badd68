"""Cortex over HTTP, for scripts on this machine: loopback only, with a token.

Only `cortex serve` opens the port, and only while it runs.
"""
