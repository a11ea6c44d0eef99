"""``python -m yarnstick``: the command line, for where the script is not on the path."""

from yarnstick.cli import main

if __name__ == "__main__":
    main()
