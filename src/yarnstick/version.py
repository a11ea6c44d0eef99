"""The one place the version is written; the build and every signature read it from here."""

__version__ = "0.1.0"
