"""``hybridkb paper``: papers with their exact source, passages, sections and cited summary."""

from __future__ import annotations

import click

from hybridkb.cli.paper_add import add
from hybridkb.cli.paper_current import current
from hybridkb.cli.paper_list import list_papers
from hybridkb.cli.paper_page import page
from hybridkb.cli.paper_show import show


@click.group()
def paper() -> None:
    """Take in papers, look at them, and see where a passage stands on its page."""


for _command in (add, list_papers, show, page, current):
    paper.add_command(_command)
