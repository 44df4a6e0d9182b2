import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { startProvider, type Provider, type ProviderAnswer } from '../provider.ts';

/** A log as configured at a witness: its name, and its raw Ed25519 key. */
export interface WitnessedLog {
  readonly name: string;
  readonly publicKey: Buffer;
}

export interface TlogWitness extends Provider {
  /** The verifier key, `name+id+key`. */
  readonly vkey: string;
  /** The latest size of a log that it has signed; 0 for none. */
  sizeOf(name: string): number;
  /** Sets the latest tree of a log that it has signed. */
  know(name: string, tree: Tree): void;
  /** Adds lines before its own signature in the next answer. */
  besides(lines: string): void;
  /** Returns its signature line for a text. */
  cosign(text: string): string;
}

interface Tree {
  readonly size: number;
  readonly root: Buffer;
}

const empty: Tree = { size: 0, root: createHash('sha256').digest() };
const proofLinesMax = 63;
const form =
  /^old (0|[1-9]\d*)\n((?:[A-Za-z0-9+/]{43}=\n)*)\n(([^\n]+)\n(0|[1-9]\d*)\n([A-Za-z0-9+/]{43}=)\n)\n((?:— [^\n]+\n)+)$/;

/**
 * A witness of logs (C2SP tlog-witness). It rejects everything that the specification requires it
 * to reject.
 */
export async function startTlogWitness(
  name: string,
  logs: readonly WitnessedLog[],
): Promise<TlogWitness> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const raw = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url')]);
  const id = createHash('sha256').update(`${name}\n`).update(raw).digest().subarray(0, 4);
  const known = new Map<string, Tree>();
  let extra = '';
  const cosign = (text: string): string => {
    const seconds = BigInt(Math.floor(Date.now() / 1000));
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(seconds);
    const signature = sign(
      null,
      Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`),
      privateKey,
    );
    return `— ${name} ${Buffer.concat([id, time, signature]).toString('base64')}\n`;
  };
  const addCheckpoint = (body: string): ProviderAnswer => {
    const [, old, lines = '', text = '', origin = '', count, encoded = '', signatures = ''] =
      form.exec(body) ?? [];
    const proof = lines.split('\n').slice(0, -1);
    if (old === undefined || proof.length > proofLinesMax) return { status: 400 };
    const log = logs.find((each) => each.name === origin);
    if (!log) return { status: 404 };
    if (!signatures.split('\n').some((line) => isSigned(text, line, log))) return { status: 403 };
    const tree = { size: Number(count), root: Buffer.from(encoded, 'base64') };
    if (Number(old) > tree.size) return { status: 400 };
    const last = known.get(origin) ?? empty;
    if (Number(old) !== last.size) {
      const headers = { 'content-type': 'text/x.tlog.size' };
      return { status: 409, headers, text: `${last.size}\n` };
    }
    if (last.size === tree.size && !last.root.equals(tree.root)) return { status: 409 };
    const hashes = proof.map((line) => Buffer.from(line, 'base64'));
    if (!isGrown(last, tree, hashes)) return { status: 422 };
    known.set(origin, tree);
    const lineOf = cosign(text);
    const answer = extra + lineOf;
    extra = '';
    return { status: 200, headers: { 'content-type': 'text/plain' }, text: answer };
  };
  const provider = await startProvider(({ method, path, body }) =>
    method === 'POST' && path === '/w/add-checkpoint'
      ? addCheckpoint(body.toString())
      : { status: 404 },
  );
  return {
    ...provider,
    url: `${provider.url}/w`,
    vkey: `${name}+${id.toString('hex')}+${raw.toString('base64')}`,
    sizeOf: (log) => known.get(log)?.size ?? 0,
    know: (log, tree) => void known.set(log, tree),
    besides: (lines) => void (extra = lines),
    cosign,
  };
}

function isSigned(text: string, line: string, { name, publicKey }: WitnessedLog): boolean {
  const [, by, encoded = ''] = /^— (\S+) (\S+)$/.exec(line) ?? [];
  if (by !== name) return false;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return verify(null, Buffer.from(text), key, Buffer.from(encoded, 'base64').subarray(4));
}

/**
 * SUBPROOF of RFC 6962 §2.1.2, evaluated backwards from its last hash. Independent of our
 * algorithm.
 */
function isGrown(before: Tree, after: Tree, proof: readonly Buffer[]): boolean {
  if (before.size === 0 || before.size === after.size) return proof.length === 0;
  const rest = [...proof];
  const take = (): Buffer => rest.pop() ?? Buffer.alloc(0);
  const rootsOf = (size: number, of: number, isWhole: boolean): [Buffer, Buffer] => {
    if (size === of) {
      const root = isWhole ? before.root : take();
      return [root, root];
    }
    let split = 1;
    while (split * 2 < of) split *= 2;
    const sibling = take();
    if (size <= split) {
      const [old, now] = rootsOf(size, split, isWhole);
      return [old, over(now, sibling)];
    }
    const [old, now] = rootsOf(size - split, of - split, false);
    return [over(sibling, old), over(sibling, now)];
  };
  const [old, now] = rootsOf(before.size, after.size, true);
  return rest.length === 0 && old.equals(before.root) && now.equals(after.root);
}

const over = (left: Buffer, right: Buffer): Buffer =>
  createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();
