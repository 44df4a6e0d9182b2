/** An image with one channel, row by row from the top. */
export interface Grey {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Like `Grey`, with three channels: red, green and blue of each pixel. */
export type Picture = Grey;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Interpolates between the four surrounding pixels; outside the image, returns its edge. */
export function valueAt({ data, width, height }: Grey, x: number, y: number): number {
  const left = Math.min(Math.max(x, 0), width - 1.001);
  const top = Math.min(Math.max(y, 0), height - 1.001);
  const [column, row] = [Math.trunc(left), Math.trunc(top)];
  const at = row * width + column;
  const [dx, dy] = [left - column, top - row];
  const upper = (data[at] ?? 0) * (1 - dx) + (data[at + 1] ?? 0) * dx;
  const lower = (data[at + width] ?? 0) * (1 - dx) + (data[at + width + 1] ?? 0) * dx;
  return upper * (1 - dy) + lower * dy;
}

/**
 * Returns the image with sides of at most `sideMax` pixels; each is the mean of those it covers.
 */
export function shrunk(image: Grey, sideMax: number): { image: Grey; scale: number } {
  const scale = Math.max(1, Math.ceil(Math.max(image.width, image.height) / sideMax));
  if (scale === 1) return { image, scale };
  const [width, height] = [Math.floor(image.width / scale), Math.floor(image.height / scale)];
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let sum = 0;
      for (let dy = 0; dy < scale; dy += 1) {
        const at = (y * scale + dy) * image.width + x * scale;
        for (let dx = 0; dx < scale; dx += 1) sum += image.data[at + dx] ?? 0;
      }
      data[y * width + x] = sum / (scale * scale);
    }
  }
  return { image: { data, width, height }, scale };
}

/** Returns the image after a quarter turn clockwise. */
export function turned({ data, width, height }: Grey): Grey {
  const out = new Uint8Array(data.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      out[x * height + (height - 1 - y)] = data[y * width + x] ?? 0;
    }
  }
  return { data: out, width: height, height: width };
}

/**
 * Rotates the image about its center; areas from outside repeat the edge. Pixels are computed like
 * `valueAt`, but inlined, since whole photographs are rotated.
 */
export function rotated(image: Grey, degrees: number): Grey {
  const { data: from, width, height } = image;
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const data = new Uint8Array(width * height);
  const [lastX, lastY] = [width - 1.001, height - 1.001];
  let index = 0;
  for (let y = 0; y < height; y += 1) {
    const dy = y - height / 2;
    for (let x = 0; x < width; x += 1) {
      const dx = x - width / 2;
      const left = Math.min(Math.max(cos * dx + sin * dy + width / 2, 0), lastX);
      const top = Math.min(Math.max(cos * dy - sin * dx + height / 2, 0), lastY);
      const column = Math.trunc(left);
      const row = Math.trunc(top);
      const at = row * width + column;
      const right = left - column;
      const down = top - row;
      const upper = (from[at] ?? 0) * (1 - right) + (from[at + 1] ?? 0) * right;
      const lower = (from[at + width] ?? 0) * (1 - right) + (from[at + width + 1] ?? 0) * right;
      data[index] = upper * (1 - down) + lower * down;
      index += 1;
    }
  }
  return { data, width, height };
}

/**
 * Returns sums from the top left corner, for the sum of any rectangle: one row and column wider
 * than the image.
 */
export function integralOf({ data, width, height }: Grey): Float64Array {
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let row = 0;
    for (let x = 0; x < width; x += 1) {
      row += data[y * width + x] ?? 0;
      sums[(y + 1) * (width + 1) + x + 1] = (sums[y * (width + 1) + x + 1] ?? 0) + row;
    }
  }
  return sums;
}

/** Median step between neighbors; above it, the steps are sensor grain, not print. */
const grainMax = 5;

/**
 * Smooths the image if it has much grain: readers mistake grain for letters, and take long for it.
 */
export function calmed(image: Grey): Grey {
  const { data, width, height } = image;
  const steps = new Uint32Array(256);
  let count = 0;
  for (let at = 1; at < data.length; at += 7) {
    const step = Math.abs((data[at] ?? 0) - (data[at - 1] ?? 0));
    steps[step] = (steps[step] ?? 0) + 1;
    count += 1;
  }
  let [seen, median] = [0, 0];
  while (seen < count / 2) {
    seen += steps[median] ?? 0;
    median += 1;
  }
  if (median <= grainMax) return image;
  const out = new Uint8Array(data);
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x;
      const row = (from: number): number =>
        (data[from - 1] ?? 0) + 2 * (data[from] ?? 0) + (data[from + 1] ?? 0);
      out[at] = (row(at - width) + 2 * row(at) + row(at + width)) / 16;
    }
  }
  return { data: out, width, height };
}
