"""A language model that the person has chosen: asked within a deadline and a daily cap.

What is sent is prose that has been redacted; raw code never is.
"""
