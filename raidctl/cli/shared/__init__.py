"""Code of several commands: options, the machine, the change engine, output.

``options`` and ``option_types`` are the options; ``machine`` is the machine that they name; ``plan_change`` and
``apply_change`` carry out a change of settings, ``apply_deeds`` and ``hardware_deeds`` a deed; ``measuring`` and
``switcher`` run the benchmark and change a setting meanwhile; ``exit_codes`` and ``terminal`` end a command. Commands
import from here; nothing here imports a command.
"""
