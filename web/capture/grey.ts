/** A camera frame: one value per pixel, or four as in `ImageData` (red, green, blue, alpha). */
export interface Frame {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** Brightness of each pixel from 0 to 255, row by row. */
export interface Grey {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Converts a frame to brightness (ITU-R BT.601). Reuses `target` where it has the frame's size. */
export function greyOf({ data, width, height }: Frame, target: Grey | null = null): Grey {
  const isReusable = target?.width === width && target.height === height;
  const grey = isReusable ? target : { data: new Uint8Array(width * height), width, height };
  const out = grey.data;
  if (data.length < out.length * 4) {
    out.set(data.subarray(0, out.length));
    return grey;
  }
  for (let pixel = 0, at = 0; pixel < out.length; pixel += 1, at += 4) {
    const [red, green, blue] = [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0];
    out[pixel] = (red * 77 + green * 150 + blue * 29) >> 8;
  }
  return grey;
}
