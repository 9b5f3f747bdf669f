"""Runners of requests: on this machine, over ssh, or from a recording.

Callers do not depend on which; the protocol is :class:`raidctl.request.Runner`.
"""
