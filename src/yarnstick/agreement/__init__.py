"""Which metric deserves trust: how far scores agree with people, and how sure that is.

Arrays in, arrays out: a metric × system × prompt cube against a criterion × system × prompt cube, NaN where a
story has no value. In reading order: ``types``, ``cube``, ``means``, ``correlation``, ``intervals``.
"""
