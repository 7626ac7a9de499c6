"""Which steps each of somebody's tensors may be: its file, its name in their layout, the ways to read its shape."""
