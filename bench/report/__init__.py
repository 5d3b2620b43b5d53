"""The page "How good is it" and its plots, made of stored results; ``bench/render.py`` writes them.

``page`` puts the sections together: ``found`` (quality), ``peers_section``, ``speed_section``, ``past``, ``elsewhere``
(where something else is better). ``rows``, ``lines`` and ``scatter`` draw, on ``scale``, ``labels`` and ``svg``.
"""
