"""``python -m hybridkb`` is the ``hybridkb`` command."""

from hybridkb.cli import main

if __name__ == "__main__":
    main()
