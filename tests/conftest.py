"""Settings of all tests."""

# Doctests are looked for in every module; two files named conftest.py would collide.
collect_ignore_glob = ["conftest.py", "*/conftest.py"]
