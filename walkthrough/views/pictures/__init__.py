"""Pictures: shapes first, made of a trace and settings; then written as SVG here, as TikZ in `latex/`, on the page."""
