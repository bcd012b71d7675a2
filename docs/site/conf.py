"""Sphinx: docs/site/build makes all pages. Their source is the repository, so that links are the same as in a clone."""

from pygments.lexers.special import TextLexer

project, author, copyright = "Macadam", "The authors of Macadam", "the authors of Macadam"
extensions = ["breathe", "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/site/index"
include_patterns = ["*.md", "docs/**", "bindings/java/README.md", "bindings/python/README.md", "bindings/python/docs/*.rst"]
html_theme = "furo"
html_title = "Macadam"
toc_object_entries = False  # 700 names in the sidebar of each page would take longer than everything else
myst_heading_anchors = 4  # links to headings are checked

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
suppress_warnings = ["ref.python"]  # types of parameters, such as "shape (n, 2)", are not references

breathe_default_project = "macadam"  # build gives its folder
breathe_domain_by_extension = {"h": "c"}


def setup(app):
    for language in "csv", "profile":  # of blocks that Pygments does not know
        app.add_lexer(language, TextLexer)
