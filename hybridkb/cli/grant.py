"""``hybridkb grant``: who may read a library on a server, and who may write to it."""

from __future__ import annotations

import click

from hybridkb.cli.output import print_json, print_text
from hybridkb.cli.session import Session, global_options, pass_session


@click.command()
@click.argument("address", required=False)
@click.option("--reader", "readers", multiple=True, metavar="ROLE", help="May read; may be given several times.")
@click.option("--writer", "writers", multiple=True, metavar="ROLE", help="May read and write, but not migrate or drop.")
@click.option("--revoke", multiple=True, metavar="ROLE", help="May do nothing in the library any more.")
@click.option("--print", "dry_run", is_flag=True, help="Print the SQL, and change nothing.")
@global_options
@pass_session
def grant(
    session: Session, /, address: str | None, readers: tuple[str, ...], writers: tuple[str, ...],
    revoke: tuple[str, ...], dry_run: bool,
) -> None:  # fmt: skip
    """Let roles of a server read a library, or write to it.

    ADDRESS (else --database) is the library's, as the role that owns it. What a role was granted there before is taken
    back first; tables that later migrations make are granted as well.
    """
    from hybridkb.upkeep import grant as grant_roles

    target = address or session.database
    if not target:
        raise click.UsageError("which library? Give its ADDRESS, or set HYBRIDKB_DATABASE")
    statements = grant_roles(target, readers=readers, writers=writers, revoke=revoke, dry_run=dry_run)
    if session.as_json:
        print_json({"statements": statements, "done": not dry_run})
        return
    if dry_run:
        print_text("\n".join(("BEGIN;", *(f"{one};" for one in statements), "COMMIT;")))
        return
    for roles, may in ((readers, "reads"), (writers, "reads and writes"), (revoke, "may do nothing any more")):
        for role in roles:
            print_text(f"{role}: {may}")
