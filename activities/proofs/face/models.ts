import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import { loadGraphModel, type GraphModel } from '@tensorflow/tfjs-converter';
import * as tf from '@tensorflow/tfjs-core';
import { describerFiles, openDescriber } from './describer.ts';
import { withoutListeners } from './without-listeners.ts';

/** The networks as functions of plain numbers. A call leaves no tensors behind. */
export interface FaceModels {
  /** Detects faces in a 256 × 256 image, -1 to 1. Returns 17 numbers for each of 896 anchors. */
  boxes(image: Values): Float32Array;
  /** Reads a 192 × 192 face, 0 to 1. Returns 468 points in three dimensions. */
  mesh(face: Values): { points: Float32Array; certainty: number };
  /** Reads two 64 × 64 eyes, 0 to 1. Returns 71 points of the lids and 5 of the iris each. */
  eyes(left: Values, right: Values): Float32Array;
  /** Rates a 128 × 128 face, 0 to 1: high for a real face, low for a copy of one. */
  realness(face: Values): number;
  /** Describes a 150 × 150 face, 0 to 255. Its 128 numbers are close for the same person. */
  describe(face: Values): Float32Array;
  /** Version of the reader and digest of the networks. With another one, numbers may differ. */
  readonly digest: string;
  /** Returns the number of live tensors, which a call does not change. */
  held(): number;
}

type Values = Float32Array<ArrayBuffer>;

/** Increment it when the same networks get other input or their output is read in another way. */
const readerVersion = 'face-reader/2';
const graphNames = ['blazeface', 'facemesh', 'iris', 'antispoof'] as const;
const modelsFolder = (): string => join(folderOf('@vladmandic/human'), '..', 'models');

const require = createRequire(import.meta.url);
const folderOf = (file: string): string => dirname(require.resolve(file));

let opened: Promise<FaceModels> | null = null;

/** Returns the networks, loaded once per thread. A failed load is retried at the next call. */
export function openModels(): Promise<FaceModels> {
  opened ??= load().catch((error: unknown) => {
    opened = null;
    throw error;
  });
  return opened;
}

/** Uses one backend with one thread, so that an image gives the same numbers on every machine. */
async function load(): Promise<FaceModels> {
  setWasmPaths(join(folderOf('@tensorflow/tfjs-backend-wasm'), '/'));
  setThreadsCount(1);
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  await withoutListeners(() => tf.setBackend('wasm'));
  const [boxes, mesh, iris, antispoof] = await Promise.all(graphNames.map(openGraph));
  const describe = await openDescriber();
  const digest = await digestOf();
  if (!boxes || !mesh || !iris || !antispoof) throw new TypeError('a network is missing');
  return {
    digest,
    boxes: (image) => tidied(() => inOrder(run(boxes, tf.tensor(image, [1, 256, 256, 3])))),
    mesh: (face) =>
      tidied(() => {
        const [certainty, , points] = run(mesh, tf.tensor(face, [1, 192, 192, 3]))
          .toSorted((one, other) => one.size - other.size)
          .map(valuesOf);
        return { points: points ?? new Float32Array(), certainty: certainty?.[0] ?? 0 };
      }),
    eyes: (left, right) =>
      tidied(() => {
        const both = tf.concat([left, right].map((eye) => tf.tensor4d(eye, [1, 64, 64, 3])));
        const [points] = run(iris, both).map(valuesOf);
        return points ?? new Float32Array();
      }),
    realness: (face) =>
      tidied(() => run(antispoof, tf.tensor(face, [1, 128, 128, 3]))[0]?.dataSync()[0] ?? 0),
    describe: (face) => tidied(() => valuesOf(describe(tf.tensor4d(face, [1, 150, 150, 3])))),
    held: () => tf.memory().numTensors,
  };
}

/** `tf.tidy` searches its result for tensors, number by number. This result has none. */
function tidied<Value>(work: () => Value): Value {
  const kept: Value[] = [];
  tf.tidy(() => void kept.push(work()));
  const [value] = kept;
  if (value === undefined) throw new TypeError('nothing was read');
  return value;
}

const run = (model: GraphModel, input: tf.Tensor): tf.Tensor[] => [model.execute(input)].flat();
const valuesOf = (tensor: tf.Tensor): Float32Array => new Float32Array(tensor.dataSync());

/** Orders the output: finer anchors first; for each anchor its certainty, then box and points. */
function inOrder(outputs: readonly tf.Tensor[]): Float32Array {
  const [coarse, fine, coarseBoxes, fineBoxes] = outputs.toSorted(
    (one, other) => one.size - other.size,
  );
  if (!coarse || !fine || !coarseBoxes || !fineBoxes) throw new TypeError('another network');
  const rows = [tf.concat([fine, fineBoxes], 2), tf.concat([coarse, coarseBoxes], 2)];
  return valuesOf(tf.concat(rows, 1));
}

interface GraphFile {
  readonly modelTopology: object;
  readonly weightsManifest: { weights: tf.io.WeightsManifestEntry[] }[];
  readonly signature?: object;
}

/** Loads a network from its package, without network access. */
async function openGraph(name: string): Promise<GraphModel> {
  const folder = modelsFolder();
  const file: GraphFile = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'));
  const weights = await readFile(join(folder, `${name}.bin`));
  return loadGraphModel({
    load: async () => ({
      modelTopology: file.modelTopology,
      weightSpecs: file.weightsManifest.flatMap((part) => part.weights),
      weightData: new Uint8Array(weights).buffer,
      ...(file.signature ? { signature: file.signature } : {}),
    }),
  });
}

/** Returns the version of the reader and one hash over the files of all networks. */
async function digestOf(): Promise<string> {
  const files = graphNames.flatMap((name) =>
    ['json', 'bin'].map((end) => join(modelsFolder(), `${name}.${end}`)),
  );
  const hash = createHash('sha256');
  for (const file of [...files, ...describerFiles()]) {
    hash.update(
      createHash('sha256')
        .update(await readFile(file))
        .digest(),
    );
  }
  return `${readerVersion} ${hash.digest('hex')}`;
}
