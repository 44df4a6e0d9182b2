import sharp from 'sharp';
import { drawPage, type Page } from '../../simulator/document/page.ts';

/** How a simulated photograph is taken. All lengths are parts of the document's width. */
export interface Conditions {
  /** Of the photograph. */
  readonly width: number;
  readonly height: number;
  /** Of the document in it. */
  readonly widthShare: number;
  readonly rotation: number;
  /** By how much each corner is off, in pixels: what makes perspective. */
  readonly cornersOff: readonly (readonly [number, number])[];
  readonly shift: readonly [number, number];
  readonly blur: number;
  readonly noise: number;
  readonly brightness: number;
  /** A reflection: where in the document, how large, how strong. */
  readonly glare: {
    readonly x: number;
    readonly y: number;
    readonly radius: number;
    readonly strength: number;
  } | null;
  readonly quality: number;
}

export const straight: Conditions = {
  width: 1600,
  height: 1200,
  widthShare: 0.8,
  rotation: 0,
  cornersOff: [
    [0, 0],
    [0, 0],
    [0, 0],
    [0, 0],
  ],
  shift: [0, 0],
  blur: 0,
  noise: 0,
  brightness: 1,
  glare: null,
  quality: 88,
};

/** Numbers from 0 to 1, the same for the same seed. */
export type Random = () => number;

const pixelsPerMm = 16;

/** Takes a photograph of a drawn page lying on a desk. */
export async function photograph(
  page: Page,
  conditions: Conditions,
  random: Random,
): Promise<Uint8Array> {
  const { width, height, quality, blur } = conditions;
  const drawn = await drawPage(page, pixelsPerMm);
  const back = inverseOf(cornersOf(page, conditions), drawn.width, drawn.height);
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [fromX, fromY] = back(x, y);
      const isOn = fromX >= 0 && fromY >= 0 && fromX < drawn.width && fromY < drawn.height;
      const light = 0.92 + 0.08 * (x / width);
      for (let channel = 0; channel < 3; channel += 1) {
        const seen = isOn ? sample(drawn, fromX, fromY, channel) : 95 + 12 * channel;
        pixels[(y * width + x) * 3 + channel] = Math.min(255, seen * light);
      }
    }
  }
  const sharpened = sharp(pixels, { raw: { width, height, channels: 3 } });
  const blurred = blur >= 0.3 ? sharpened.blur(blur) : sharpened;
  const lit = expose(await blurred.raw().toBuffer(), conditions, page, random);
  const done = sharp(lit, { raw: { width, height, channels: 3 } });
  return new Uint8Array(await done.jpeg({ quality }).toBuffer());
}

type Drawn = Awaited<ReturnType<typeof drawPage>>;

function sample({ pixels, width, height }: Drawn, x: number, y: number, channel: number): number {
  const [left, top] = [Math.min(Math.trunc(x), width - 2), Math.min(Math.trunc(y), height - 2)];
  const [dx, dy] = [x - left, y - top];
  const at = (column: number, row: number): number =>
    pixels[(row * width + column) * 3 + channel] ?? 0;
  const upper = at(left, top) * (1 - dx) + at(left + 1, top) * dx;
  const lower = at(left, top + 1) * (1 - dx) + at(left + 1, top + 1) * dx;
  return upper * (1 - dy) + lower * dy;
}

/** Light, its reflection and the noise of the sensor, which no lens blurs. */
function expose(pixels: Buffer, conditions: Conditions, page: Page, random: Random): Buffer {
  const { width, height, noise, brightness, glare } = conditions;
  const corners = cornersOf(page, conditions);
  const place = glare && between(corners, glare.x, glare.y);
  const radius = (glare?.radius ?? 1) * width * conditions.widthShare;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const off = place ? Math.hypot(x - place[0], y - place[1]) / radius : 0;
      const shine = place && glare ? 255 * glare.strength * Math.exp(-(off ** 4)) : 0;
      const grain = noise === 0 ? 0 : noise * (random() + random() + random() - 1.5) * 2;
      for (let channel = 0; channel < 3; channel += 1) {
        const at = (y * width + x) * 3 + channel;
        const value = (pixels[at] ?? 0) * brightness + shine + grain;
        pixels[at] = Math.min(255, Math.max(0, value));
      }
    }
  }
  return pixels;
}

type Corners = readonly (readonly [number, number])[];

function cornersOf({ widthMm, heightMm }: Page, conditions: Conditions): Corners {
  const { width, height, widthShare, rotation, shift, cornersOff } = conditions;
  const halfWide = (width * widthShare) / 2;
  const halfHigh = (halfWide * heightMm) / widthMm;
  const angle = (rotation * Math.PI) / 180;
  const flat = [
    [-halfWide, -halfHigh],
    [halfWide, -halfHigh],
    [halfWide, halfHigh],
    [-halfWide, halfHigh],
  ] as const;
  return flat.map(([x, y], index) => [
    width * (0.5 + shift[0]) +
      x * Math.cos(angle) -
      y * Math.sin(angle) +
      (cornersOff[index]?.[0] ?? 0),
    height * (0.5 + shift[1]) +
      x * Math.sin(angle) +
      y * Math.cos(angle) +
      (cornersOff[index]?.[1] ?? 0),
  ]);
}

function between(corners: Corners, x: number, y: number): readonly [number, number] {
  const [a = [0, 0], b = [0, 0], c = [0, 0], d = [0, 0]] = corners;
  const mix = (index: 0 | 1): number =>
    (a[index] * (1 - x) + b[index] * x) * (1 - y) + (d[index] * (1 - x) + c[index] * x) * y;
  return [mix(0), mix(1)];
}

/** From a place in the photograph to one in the page: the projective map of the four corners. */
function inverseOf(corners: Corners, width: number, height: number) {
  const page: Corners = [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ];
  const rows = corners.flatMap(([x, y], index) => {
    const [u, v] = page[index] ?? [0, 0];
    return [
      [x, y, 1, 0, 0, 0, -u * x, -u * y, u],
      [0, 0, 0, x, y, 1, -v * x, -v * y, v],
    ];
  });
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = solved(rows);
  return (x: number, y: number): readonly [number, number] => {
    const depth = g * x + h * y + 1;
    return [(a * x + b * y + c) / depth, (d * x + e * y + f) / depth];
  };
}

/** Gauss and Jordan, with the largest of each column first. */
function solved(rows: number[][]): number[] {
  const size = rows.length;
  for (let column = 0; column < size; column += 1) {
    const below = rows
      .slice(column)
      .toSorted((one, other) => Math.abs(other[column] ?? 0) - Math.abs(one[column] ?? 0));
    rows.splice(column, below.length, ...below);
    const pivot = rows[column] ?? [];
    const first = pivot[column] ?? 1;
    for (const row of rows) {
      if (row === pivot) continue;
      const share = (row[column] ?? 0) / first;
      for (let index = column; index <= size; index += 1) {
        row[index] = (row[index] ?? 0) - share * (pivot[index] ?? 0);
      }
    }
  }
  return rows.map((row, index) => (row[size] ?? 0) / (row[index] ?? 1));
}
