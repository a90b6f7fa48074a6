"""Settings of Sphinx, which makes a site with search of these documents:
`pip install -e '.[docs]'`, then `python -m sphinx -W -c docs . OUT`."""

import re

from sitegen import __version__

project = "sitegen"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "docs/README"
include_patterns = ["[A-QS-Z]*.md", "docs/**.md", "examples/*.md", "integrations/*/README.md"]
# For agents, and a page of the demo: no documents for users.
exclude_patterns = ["AGENTS.md", "examples/analysis.md"]
default_role = "literal"
html_theme = "furo"
html_title = project
html_copy_source = False
myst_heading_anchors = 4
autodoc_member_order = "bysource"
suppress_warnings = ["misc.highlighting_failure"]  # Pygments knows no CSV


def setup(app) -> None:
    """Make the tables of docs/README.md the navigation too. Sphinx's own directive would show as code wherever else the
    file is read."""
    app.connect("source-read", _with_contents)


def _with_contents(_app, name: str, source: list[str]) -> None:
    if name != root_doc:
        return
    parts = re.split(r"^## (.+)$", source[0], flags=re.MULTILINE)[1:]
    for caption, table in zip(parts[::2], parts[1::2], strict=True):
        linked = dict.fromkeys(re.findall(r"\]\(([^)#]+)\.md\)", table))
        pages = [page if page.startswith("..") else f"/docs/{page}" for page in linked]
        source[0] += "\n".join(
            ["\n```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```\n"]
        )
