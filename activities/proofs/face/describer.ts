import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';

type Layer = (input: tf.Tensor4D) => tf.Tensor4D;

const require = createRequire(import.meta.url);
/** Mean red, green and blue of the training data. */
const meanColour = [122.782, 117.001, 104.298];

/** Blocks of the network in order. `down` halves the sides. */
const blocks = [
  'conv32_1',
  'conv32_2',
  'conv32_3',
  'conv64_down',
  'conv64_1',
  'conv64_2',
  'conv64_3',
  'conv128_down',
  'conv128_1',
  'conv128_2',
  'conv256_down',
  'conv256_1',
  'conv256_2',
  'conv256_down_out',
];

/**
 * Opens the network that distinguishes people: dlib's ResNet of 29 layers with the weights in
 * face-api. It runs them like `FaceRecognitionNet`, but without the detectors and backends around
 * it.
 */
export async function openDescriber(): Promise<(faces: tf.Tensor4D) => tf.Tensor> {
  const weights = await openWeights();
  const of = (name: string): tf.Tensor => {
    const found = weights[name];
    if (!found) throw new TypeError(`no weights ${name}`);
    return found;
  };
  const conv = (name: string, stride: 1 | 2, isSharp: boolean): Layer => {
    const given = of(`${name}/conv/filters`);
    // Scaling the filters once is equal to scaling the output for each face.
    const [filter, bias] = tf.tidy(() => {
      const scale = of(`${name}/scale/weights`);
      return [
        tf.mul(tf.reshape<tf.Rank.R4>(given, shapeOf(given)), scale),
        tf.add(tf.mul(of(`${name}/conv/bias`), scale), of(`${name}/scale/biases`)),
      ] as const;
    });
    const pad = stride === 1 ? 'same' : 'valid';
    const activation = isSharp ? 'relu' : 'linear';
    return (x) =>
      tf.fused.conv2d<tf.Tensor4D>({ x, filter, strides: stride, pad, bias, activation });
  };
  const block = (name: string): Layer => {
    const isDown = name.includes('down');
    const first = conv(`${name}/conv1`, isDown ? 2 : 1, true);
    const second = conv(`${name}/conv2`, 1, false);
    return (input) => {
      const out = second(first(input));
      return tf.relu(isDown ? addSmaller(input, out) : tf.add<tf.Tensor4D>(out, input));
    };
  };
  const begin = conv('conv32_down', 2, true);
  const rest = blocks.map(block);
  return (faces) => {
    const even = tf.div<tf.Tensor4D>(tf.sub(faces, tf.tensor1d(meanColour)), 255);
    const start = tf.maxPool(begin(even), 3, 2, 'valid');
    const end = rest.reduce((input, layer) => layer(input), start);
    return tf.matMul(tf.mean(end, [1, 2]), of('fc'));
  };
}

/** Adds the input at half its size, padded with empty channels. The output may lack an edge. */
function addSmaller(input: tf.Tensor4D, out: tf.Tensor4D): tf.Tensor4D {
  const pooled = tf.avgPool(input, 2, 2, 'valid');
  const [, height, width, channels] = pooled.shape;
  const [, outHeight, outWidth, outChannels] = out.shape;
  const padded = tf.pad(out, [
    [0, 0],
    [0, height - outHeight],
    [0, width - outWidth],
    [0, 0],
  ]);
  const wide = tf.pad(pooled, [
    [0, 0],
    [0, 0],
    [0, 0],
    [0, outChannels - channels],
  ]);
  return tf.add(wide, padded);
}

const shapeOf = ({ shape }: tf.Tensor): [number, number, number, number] => {
  const [height = 0, width = 0, depth = 0, count = 0] = shape;
  return [height, width, depth, count];
};

/** Returns the paths of the network's manifest and weights in the package. */
export function describerFiles(): readonly [string, string] {
  const folder = join(dirname(require.resolve('@vladmandic/face-api')), '..', 'model');
  const name = 'face_recognition_model';
  return [join(folder, `${name}-weights_manifest.json`), join(folder, `${name}.bin`)];
}

async function openWeights(): Promise<tf.NamedTensorMap> {
  const [manifestFile, weightsFile] = describerFiles();
  const text = await readFile(manifestFile, 'utf8');
  const manifest: { weights: tf.io.WeightsManifestEntry[] }[] = JSON.parse(text);
  const bytes = await readFile(weightsFile);
  const entries = manifest.flatMap(({ weights }) => weights);
  return tf.io.decodeWeights(new Uint8Array(bytes).buffer, entries);
}
