"""The metrics that come with yarnstick, a family a file. Every module here is imported when metrics are listed."""
