/**
 * Returns how far the points of a face moved relative to each other, in distances between the eyes.
 * It first removes the flat motion that fits best: shift, turn, stretch and slant of the picture. A
 * turning head moves its nose relative to its cheeks; all points of a flat photograph are in one
 * plane. Those of a bent one are not: see docs/protocols/faces.md.
 */
export function parallaxOf(from: readonly number[], to: readonly number[]): number {
  const count = Math.min(from.length, to.length) / 2;
  const apart = eyesApartOf(from);
  if (count < 4 || apart <= 0) return 0;
  const points = Array.from({ length: count }, (_, index) => [
    from[index * 2] ?? 0,
    from[index * 2 + 1] ?? 0,
    1,
  ]);
  const errors = [0, 1].map((axis) => {
    const target = points.map((_, index) => to[index * 2 + axis] ?? 0);
    const weights = leastSquares(points, target);
    return points.map((point, index) => (target[index] ?? 0) - dot(point, weights));
  });
  const squares = errors.flat().reduce((sum, error) => sum + error * error, 0);
  return Math.sqrt(squares / count) / apart;
}

/** Returns how far points moved, in distances between the eyes. */
export function shiftOf(from: readonly number[], to: readonly number[]): number {
  const squares = from.map((value, index) => (value - (to[index] ?? 0)) ** 2);
  const sum = squares.reduce((total, square) => total + square, 0);
  return Math.sqrt((2 * sum) / Math.max(1, from.length)) / Math.max(0.01, eyesApartOf(from));
}

/** Distance between the centers of the eyes; `points` begins with the corners of the eyes. */
function eyesApartOf(points: readonly number[]): number {
  const [ax = 0, ay = 0, bx = 0, by = 0, cx = 0, cy = 0, dx = 0, dy = 0] = points;
  return Math.hypot(cx + dx - ax - bx, cy + dy - ay - by) / 2;
}

export const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);

/** Returns the weights of x, y and 1 that best fit a target, by the normal equations. */
export function leastSquares(points: readonly number[][], target: readonly number[]): number[] {
  const column = (index: number): number[] => points.map((point) => point[index] ?? 0);
  const columns = [0, 1, 2].map(column);
  const normal = columns.map((one) => columns.map((other) => dot(one, other)));
  const right = columns.map((one) => dot(one, target));
  const whole = determinant(normal);
  if (whole === 0) return [0, 0, 0];
  return [0, 1, 2].map(
    (index) =>
      determinant(
        normal.map((row, at) =>
          row.map((value, place) => (place === index ? (right[at] ?? 0) : value)),
        ),
      ) / whole,
  );
}

function determinant(rows: readonly (readonly number[])[]): number {
  const [[a = 0, b = 0, c = 0] = [], [d = 0, e = 0, f = 0] = [], [g = 0, h = 0, i = 0] = []] = rows;
  return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
}
