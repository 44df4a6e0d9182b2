import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import { loadGraphModel, type GraphModel } from '@tensorflow/tfjs-converter';
import * as tf from '@tensorflow/tfjs-core';
import { describerFiles, openDescriber } from './describer.ts';
import { withoutListeners } from './without-listeners.ts';

/** The networks, as functions of plain numbers. Nothing of theirs is left behind by a call. */
export interface FaceModels {
  /** Of an image of 256 pixels a side, -1 to 1: a line of 17 numbers for each of 896 anchors. */
  boxes(image: Values): Float32Array;
  /** Of a face at 192 pixels a side, 0 to 1: 468 points in three dimensions. */
  mesh(face: Values): { points: Float32Array; certainty: number };
  /** Of two eyes at 64 pixels a side, 0 to 1: 71 points of the lids and 5 of the iris each. */
  eyes(left: Values, right: Values): Float32Array;
  /** Of a face at 128 pixels a side, 0 to 1: whether it looks like one and not like its copy. */
  realness(face: Values): number;
  /** Of a face at 150 pixels a side, 0 to 255: 128 numbers, near to those of the same person. */
  describe(face: Values): Float32Array;
  /** Of the networks' files and the rules of reading: another one may read other numbers. */
  readonly digest: string;
  /** How many tensors are held: the same after each call as before it. */
  held(): number;
}

type Values = Float32Array<ArrayBuffer>;

/** Goes up when the same networks are fed or read in another way. */
const readerVersion = 'face-reader/2';
const graphNames = ['blazeface', 'facemesh', 'iris', 'antispoof'] as const;
const modelsFolder = (): string => join(folderOf('@vladmandic/human'), '..', 'models');

const require = createRequire(import.meta.url);
const folderOf = (file: string): string => dirname(require.resolve(file));

let opened: Promise<FaceModels> | null = null;

/** The networks, loaded once in each thread. One that did not load is tried again. */
export function openModels(): Promise<FaceModels> {
  opened ??= load().catch((error: unknown) => {
    opened = null;
    throw error;
  });
  return opened;
}

/** One backend, one thread of it: the same image gives the same numbers, whatever the machine. */
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

/** What `tf.tidy` is given back it searches for tensors, number by number: here there are none. */
function tidied<Value>(work: () => Value): Value {
  const kept: Value[] = [];
  tf.tidy(() => void kept.push(work()));
  const [value] = kept;
  if (value === undefined) throw new TypeError('nothing was read');
  return value;
}

const run = (model: GraphModel, input: tf.Tensor): tf.Tensor[] => [model.execute(input)].flat();
const valuesOf = (tensor: tf.Tensor): Float32Array => new Float32Array(tensor.dataSync());

/** The finer anchors first; of each its certainty, then box and points. */
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

/** From the package: nothing is fetched. */
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

/** The version of the reader and one hash of all its networks, in their order. */
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
