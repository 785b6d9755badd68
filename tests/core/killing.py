"""The head of a program that kills itself at its `KILL_AT`th step; `killing` makes calls steps."""

from __future__ import annotations

KILLING = """
import os, signal

left = int(os.environ["KILL_AT"])
def step():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
def killing(real):
    def call(*arguments, **options):
        step()
        done = real(*arguments, **options)
        step()
        return done
    return call
"""
