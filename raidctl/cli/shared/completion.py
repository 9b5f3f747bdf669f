"""Scripts and completions for the TAB key of bash, zsh and fish.

A script passes the command line up to the cursor in ``COMP_LINE``. The answer is one line for each completion:
``plain,VALUE<tab>HELP``, or ``file,`` and ``dir,``, which the shell completes. Values come from hardware and file
systems: one with a control character is left out, and characters of the shell's syntax are always quoted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, ClassVar

import click
from click.shell_completion import (
    CompletionItem,
    ShellComplete,
    _resolve_context,  # no public function returns the parameter being completed
    _resolve_incomplete,
    add_completion_class,
    split_arg_string,
)

from raidctl.text import collapse, regex

_BASH = """\
# bash completion of raidctl
_raidctl_completion() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            plain,*) COMPREPLY+=("${line#plain,}") ;;
            file,*) compopt -o default ;;
            dir,*) compopt -o dirnames ;;
        esac
    done < <(COMP_LINE=${COMP_LINE:0:COMP_POINT} COMP_WORDBREAKS=$COMP_WORDBREAKS \\
        _RAIDCTL_COMPLETE=bash_complete "$1" 2>/dev/null)
}
complete -o nosort -F _raidctl_completion raidctl
"""
_ZSH = """\
#compdef raidctl
_raidctl() {
    local line
    local -a found shown
    while IFS= read -r line; do
        case $line in
            (plain,*)
                line=${line#plain,}
                found+=("${line%%$'\\t'*}")
                shown+=("${line/$'\\t'/  -- }")
                ;;
            (file,*) _path_files -f ;;
            (dir,*) _path_files -/ ;;
        esac
    done < <(COMP_LINE="${(j: :)words[1,CURRENT]}" _RAIDCTL_COMPLETE=zsh_complete "${(Q)words[1]}" 2>/dev/null)
    (( $#found )) && compadd -U -l -V raidctl -d shown -a found
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _raidctl "$@"
else
    compdef _raidctl raidctl
fi
"""
_FISH = """\
# fish completion of raidctl
function __raidctl_complete
    set -l line (commandline -cp | string collect)
    for answer in (env COMP_LINE=$line _RAIDCTL_COMPLETE=fish_complete raidctl 2>/dev/null)
        set -l parts (string split --max 1 , -- $answer)
        switch $parts[1]
            case plain
                printf '%s\\n' $parts[2]
            case file
                __fish_complete_path (commandline -ct)
            case dir
                __fish_complete_directories (commandline -ct)
        end
    end
end
complete --command raidctl --no-files --arguments '(__raidctl_complete)'
"""
_UNSAFE = regex(r"[^\w@%+=:,./-]", re.ASCII)
"""Characters of bash's syntax. Letters of other scripts are quoted as well, which changes nothing."""


class _Shell(ShellComplete):
    """Common to all shells."""

    def source(self) -> str:
        """Return the script; it does not depend on the environment."""
        return self.source_template

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the complete words after the program's name, and the incomplete one."""
        words = split_arg_string(os.environ.get("COMP_LINE", "") + "x")  # so that the last one is never empty
        return words[1:-1], words[-1][:-1]

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:  # type: ignore[type-arg,unused-ignore] # no type argument before click 8.3
        """Return the completions. Empty if anything fails, since messages would disturb the command line."""
        try:
            return [item for item in self._found(args, incomplete) if str(item.value).isprintable()]
        except Exception:  # noqa: BLE001 - as above
            return []

    def _found(self, args: list[str], incomplete: str) -> Iterator[CompletionItem]:  # type: ignore[type-arg,unused-ignore] # as above
        context = _resolve_context(self.cli, self.ctx_args, self.prog_name, args)
        where, rest = _resolve_incomplete(context, args, incomplete)
        before = incomplete[: len(incomplete) - len(rest)]  # the part after --rule=
        known = where.shell_complete(context, rest)
        for item in known:
            yield CompletionItem(before + item.value, item.type, item.help)
        if not known and isinstance(where, click.Parameter):
            from raidctl.cli.shared.completion_values import values  # noqa: PLC0415 - slow to import

            kind, found = values(where, context.find_root().obj)
            if kind != "plain":
                yield CompletionItem(incomplete, kind)
            for value in dict.fromkeys(found):
                if value.startswith(rest):
                    yield CompletionItem(before + value)

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Return the line for the script."""
        text = collapse(str(item.help or ""))
        return f"{item.type},{item.value}\t{text}" if text else f"{item.type},{item.value}"


class _Bash(_Shell):
    name: ClassVar[str] = "bash"
    source_template: ClassVar[str] = _BASH

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Return the value quoted for bash. The part that bash keeps of the word is left out."""
        typed = self.get_completion_args()[1]
        breaks = [typed.rfind(sign) for sign in ":=" if sign in os.environ.get("COMP_WORDBREAKS", ":=")]
        rest = str(item.value)[max(-1, *breaks) + 1 :] if breaks else str(item.value)
        return f"{item.type},{_UNSAFE.sub(lambda sign: chr(92) + sign[0], rest)}"


class _Zsh(_Shell):
    name: ClassVar[str] = "zsh"
    source_template: ClassVar[str] = _ZSH


class _Fish(_Shell):
    name: ClassVar[str] = "fish"
    source_template: ClassVar[str] = _FISH


SCRIPTS = {"raidctl": _BASH, "_raidctl": _ZSH, "raidctl.fish": _FISH}
"""The scripts by the names of their files in a package."""


def register() -> None:
    """Register these classes with click, for the three shells."""
    for shell in (_Bash, _Zsh, _Fish):
        add_completion_class(shell)
