"""Finding and loading models: always offline, unless the user names one of a hub."""
