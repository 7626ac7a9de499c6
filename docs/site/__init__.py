"""The site: static pages of documents, course, examples and the playground. `python -m docs.site FOLDER`."""
