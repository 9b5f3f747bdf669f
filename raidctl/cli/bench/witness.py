"""``raidctl bench witness``: the other machine of the power-cut test."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import click

from raidctl.cli.shared.options import output_options, settings_of, state_option
from raidctl.cli.shared.terminal import emit_message
from raidctl.errors import EXIT_FINE


@click.command("witness")
@click.option(
    "--listen", metavar="ADDRESS:PORT", required=True, help="Address and port to listen on; port 0: a free one."
)
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Directory of the journals (witness in the state directory).",
)
@click.option(
    "--token-file",
    "token",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File with the token (token in that directory; made if missing).",
)
@state_option
@output_options
@click.pass_context
def command(context: click.Context, /, *, listen: str, directory: Path | None, token: Path | None) -> int:
    """Record acknowledgements for the power-cut test of another machine.

    Runs until Ctrl-C on a machine whose power stays on, and judges what the cut
    has left. "raidctl bench powercut" on the other machine connects to it and
    needs a copy of the token file. Each run has a journal, which is continued
    when the witness is started again. A witness records one run at a time; for
    two, start two on different ports with different directories.

    \b
    raidctl bench witness --listen 192.0.2.7:7707

    Exit codes: 0 ended; 2 wrong usage; 3 it cannot listen or keep journals; 4 a
    permission is missing.
    """  # noqa: D301 - \b is click's: the paragraph is not wrapped
    from raidctl.bench.powercut.journal import refused  # noqa: PLC0415 - only where it is needed
    from raidctl.bench.powercut.witness import Witness  # noqa: PLC0415 - as above
    from raidctl.change.state_directory import directory as state_directory  # noqa: PLC0415 - as above
    from raidctl.cli.bench._witness_token import address_of, make_token, token_in  # noqa: PLC0415 - as above

    settings = settings_of(context)
    settings.refuse_machine("bench witness")
    host, port = address_of(listen)
    place = directory or state_directory(settings.state_dir) / "witness"
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise refused(place, error) from None
    secret = token or place / "token"
    made = make_token(secret)
    witness = Witness(place, token_in(secret), emit_message)
    where, number = witness.listen(host, port)
    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(one, lambda *_: witness.stop())
    shown = f"[{where}]:{number}" if ":" in where else f"{where}:{number}"
    if settings.as_json:
        click.echo(json.dumps({"listening": shown, "directory": str(place), "token_file": str(secret)}))
    else:
        click.echo(f"Listening on {shown}; journals in {place}.")
        click.echo(
            f"{'Made' if made else 'Token:'} {secret}{': copy it to the machine whose power is cut' if made else ''}."
        )
    witness.serve()
    return EXIT_FINE
