"""Benchmarks, run by hand; each reports ratios. One BLAS thread, as the command line takes: set before numpy loads."""

import os

for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
