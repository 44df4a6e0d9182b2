import type { Picture } from '../../domain/images/grey.ts';
import { drawTriangle, type Corner } from '../../simulator/face/triangle.ts';

/** How a print of a photograph is held before a camera, in degrees and parts of its width. */
export interface Slant {
  readonly yaw: number;
  readonly pitch: number;
  readonly roll: number;
  readonly shift: readonly [number, number];
  /** Around a cylinder, towards the camera. */
  readonly bend?: Bend | undefined;
}

export interface Bend {
  /** In parts of the picture's width. */
  readonly radius: number;
  /** Of the cylinder: 0 upright, 90 level. */
  readonly axis: number;
}

const parts = 24;
const shownShare = 0.85;
/** Of the camera, in widths of the picture. */
const distance = 1.6;

/** A photograph of a photograph: a plane, or bent one way as paper can be, however it is held. */
export function slanted(picture: Picture, { yaw, pitch, roll, shift, bend }: Slant): Picture {
  const { width, height } = picture;
  const drawn = { data: new Uint8Array(width * height * 3).fill(128), width, height };
  const depths = new Float32Array(width * height).fill(Number.POSITIVE_INFINITY);
  const [a, b, c] = [yaw, pitch, roll].map((degrees) => (degrees * Math.PI) / 180);
  const corner = (column: number, row: number): Corner => {
    const from = { x: (column / parts) * width, y: (row / parts) * height };
    let [x, y, z] = [(from.x - width / 2) * shownShare, (from.y - height / 2) * shownShare, 0];
    if (bend) [x, y, z] = bentBy(x, y, bend, width);
    [x, y] = turned(x, y, c ?? 0);
    [x, z] = turned(x, z, a ?? 0);
    [y, z] = turned(y, z, b ?? 0);
    const near = (distance * width) / (distance * width + z);
    const place = {
      x: (0.5 + shift[0]) * width + x * near,
      y: (0.5 + shift[1]) * height + y * near,
    };
    return { ...place, z, from };
  };
  for (let row = 0; row < parts; row += 1) {
    for (let column = 0; column < parts; column += 1) {
      const [one, two] = [corner(column, row), corner(column + 1, row)];
      const [three, four] = [corner(column, row + 1), corner(column + 1, row + 1)];
      drawTriangle(drawn, depths, picture, [one, two, three]);
      drawTriangle(drawn, depths, picture, [two, four, three]);
    }
  }
  return drawn;
}

function bentBy(x: number, y: number, bend: Bend, width: number): [number, number, number] {
  const axis = (bend.axis * Math.PI) / 180;
  const radius = bend.radius * width;
  const [across, along] = turned(x, y, axis);
  const angle = across / radius;
  const [bentX, bentY] = turned(radius * Math.sin(angle), along, -axis);
  return [bentX, bentY, radius * (1 - Math.cos(angle))];
}

const turned = (one: number, other: number, angle: number): [number, number] => [
  one * Math.cos(angle) - other * Math.sin(angle),
  one * Math.sin(angle) + other * Math.cos(angle),
];
