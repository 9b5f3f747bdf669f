"""The dialogue with the tools: which are run, with what, and in which order.

``dialogue`` is the entry; ``tool_choice`` decides by the controllers on the bus (``expected_controllers``) which tools
are run; ``storcli``, ``megacli`` and ``mfi`` run one dialect each, with ``tool_call``. No output is parsed here.
"""
