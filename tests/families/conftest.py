"""Tests of families share `statics`, which lies beside this file."""
