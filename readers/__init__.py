"""What other tools print, read into facts: one file per foreign format, listed in `formats.py`.

A reader takes text and returns a `Reading`; it never raises on odd text, and what it does not know is None, never ok.
"""
