"""What a program needs beside its steps: the few functions that the libraries lack, and the comparison."""

from __future__ import annotations

from walkthrough.number_formats import FloatFormat, NumberFormat

ERF = """\
erf = np.vectorize(math.erf, otypes=[float])  # numpy has no error function of its own
"""

RANKED = '''\
def ranked(table, taken):
    """The row with the largest last number, then that of the rows without the first of `taken`, and so on."""
    left, rows = list(range(len(table))), []
    for place in [*taken, None]:
        rows.append(table[left[int(table[left, -1].argmax())]])
        left = [row for row in left if row != place]
    return {stack}(rows)
'''

ROUNDED = '''\
def rounded(x, digits, significant=False, first=0):
    """Each number rounded half away from zero, to the given number of decimals or significant digits.

    Columns before the first one stay as they are: they hold ids.
    """

    def one(number):
        if number == 0 or not math.isfinite(number):
            return number + 0.0
        seen = Decimal(repr(abs(float(number))))  # the shortest decimal, which is what a person sees
        unit = Decimal(1).scaleb(seen.adjusted() - digits + 1 if significant else -digits)
        if len(seen.as_tuple().digits) > 12 and seen / unit < 10**9:  # what arithmetic leaves beside a half is a half
            seen += unit * Decimal(1e-9 + float(seen / unit) * 2e-15)
        if seen.as_tuple().exponent >= unit.as_tuple().exponent:
            return float(number)
        return math.copysign(seen.quantize(unit, ROUND_HALF_UP, Context(prec=800)), number) + 0.0

    return np.hstack([x[:, :first], np.vectorize(one, otypes=[float])(x[:, first:])])
'''

IN_FLOATS = '''\
def rounded(x, ids=()):
    """Each number as {name} holds it, halves to even; columns of ids stay as they are."""
    places = {mantissa} - np.maximum(np.frexp(x)[1] - 1, {least})
    found = np.ldexp(np.rint(np.ldexp(x, places)), -places)
    found = np.where((np.abs(found) > {largest}) & (x != -np.inf), {beyond}, found)
    found[:, ids] = x[:, ids]
    return found
'''

IN_WHOLE_NUMBERS = '''\
def rounded(x, ids=()):
    """Each number as a multiple of the matrix's scale; columns of ids stay as they are."""
    numbers = np.delete(x, ids, axis=1)
    scale = np.abs(numbers[np.isfinite(numbers)]).max(initial=0) / {most}
    found = np.where(np.isfinite(x), scale * np.rint(x / scale), x) if scale else x.copy()
    found[:, ids] = x[:, ids]
    return found
'''

AGREES_NUMPY = '''\
def agrees(found, recorded):
    """Whether |a - b| <= 1e-9 * max(1, |b|) everywhere, with infinite and unknown numbers in the same places."""
    if found.shape != recorded.shape:
        return False
    near = np.isfinite(recorded) & (np.abs(found - recorded) <= 1e-9 * np.maximum(1, np.abs(recorded)))
    return bool(np.all(near | (found == recorded) | (np.isnan(found) & np.isnan(recorded))))
'''

AGREES_TORCH = '''\
def agrees(found, recorded):
    """Whether |a - b| <= 1e-7 * max(1, |b|) everywhere, with infinite and unknown numbers in the same places."""
    if found.shape != recorded.shape:
        return False
    near = recorded.isfinite() & ((found - recorded).abs() <= 1e-7 * recorded.abs().clamp(min=1))
    return bool((near | (found == recorded) | (found.isnan() & recorded.isnan())).all())
'''

LOAD_TORCH = '''\
def load(path):
    """The matrices of an .npz file by name; this needs no numpy."""
    matrices = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            start = 10 + int.from_bytes(data[8:10], "little")
            shape = ast.literal_eval(data[10:start].decode())["shape"]
            numbers = torch.frombuffer(bytearray(data[start:]), dtype=torch.float64)
            matrices[name.removesuffix(".npy")] = numbers.reshape(shape)
    return matrices
'''

ROOT_TORCH = '''\
def root(x):
    """The square root; at 0, where all numbers of a vector are equal, its slope is taken as 0."""
    return torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, 1)), 0)
'''


def in_format(format: NumberFormat) -> str:
    """The function that rounds to a number format."""
    if not isinstance(format, FloatFormat):
        return IN_WHOLE_NUMBERS.format(most=format.most)
    return IN_FLOATS.format(
        name=format.name,
        mantissa=format.mantissa,
        least=1 - format.bias,
        largest=format.largest,
        beyond="np.nan" if format.ends_in_nan else "np.copysign(np.inf, x)",
    )
