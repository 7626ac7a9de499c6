"""Parameters that are computed of what the file gives: in few bits, with a low-rank change, a head's slice of one."""
