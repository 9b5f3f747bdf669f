"""Who carries requests out: this machine, another one over ssh, a recording.

Everything above a runner works on all of them; the protocol is :class:`raidctl.request.Runner`.
"""
