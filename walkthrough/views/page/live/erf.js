// Where a page has: \["erf"
FUNCTIONS.erf = (x) => {
  const size = Math.abs(x), square = x * x;
  if (!(size < 2)) return Math.sign(x) * (size > 6 ? 1 : 1 - tail(size, square));
  let term = x, sum = x;
  for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) sum += term *= (2 * square) / (2 * n + 1);
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-square) * sum;
};

/** 1 − erf, as a continued fraction. */
function tail(x, square) {
  let below = x;
  for (let n = 80; n > 0; n--) below = x + n / 2 / below;
  return Math.exp(-square) / (Math.sqrt(Math.PI) * below);
}
