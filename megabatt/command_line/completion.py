"""`megabatt completion`: scripts that complete commands in shells."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from megabatt.runtime.printable import echo


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes megabatt's commands and options in a shell.

    For bash, add to ~/.bashrc: eval "$(megabatt completion bash)". For zsh the same with zsh, in
    ~/.zshrc. For fish: megabatt completion fish > ~/.config/fish/completions/megabatt.fish
    """
    complete = get_completion_class(shell)
    assert complete is not None
    echo(complete(context.find_root().command, {}, "megabatt", "_MEGABATT_COMPLETE").source())
