"""The tests, one folder an area of the packages; shared samples are modules of this package."""
