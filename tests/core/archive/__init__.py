"""Tests of the archive of conversations."""
