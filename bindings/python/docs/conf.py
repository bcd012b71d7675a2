"""Sphinx: docs/build makes the pages. tests/python runs the examples of the *.rst files."""

project, author, copyright = "Macadam for Python", "The authors of Macadam", "the authors of Macadam"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
html_theme = "alabaster"
html_theme_options = {"description": "Routes, distance matrices and isochrones as NumPy arrays", "page_width": "62em"}
suppress_warnings = ["ref.python"]  # types of parameters, such as "shape (n, 2)", are not references
