import { spawn } from 'node:child_process';
import { chmod, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeDirectory } from './make-directory.ts';

export interface TemporalDownload {
  readonly version: string;
  readonly cache: string;
  readonly say: (line: string) => void;
  /** Where archives are, in place of the SDK's own. */
  readonly url?: string;
  /** How long the archive may take once its first byte is there. */
  readonly msMax?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Where the SDK's test server comes from, too. */
const archiveUrl = 'https://temporal.download/cli/archive';
const answerMsMax = 8_000;
const downloadMsMax = 5 * 60_000;
const progressMs = 10_000;
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Downloads the program of the workflow server into the cache and gives its path, or null, having
 * said why, when it cannot be had. Slow networks are given minutes, absent ones seconds.
 */
export async function downloadTemporal(download: TemporalDownload): Promise<string | null> {
  const { say, cache } = download;
  const address = addressOf(download);
  const draft = join(cache, 'temporal.download');
  const bin = join(cache, 'bin');
  say(`downloading the Temporal server (about 60 MB, once a machine); kept in ${bin}`);
  try {
    await rm(draft, { recursive: true, force: true });
    makeDirectory(draft);
    makeDirectory(bin);
    await unpack(address, draft, download);
    const path = join(bin, 'temporal');
    await chmod(join(draft, 'temporal'), 0o755);
    await rename(join(draft, 'temporal'), path);
    return path;
  } catch (error) {
    download.signal?.throwIfAborted();
    say(`the Temporal server cannot be downloaded: ${reasonOf(error)}`);
    return null;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Why the archive cannot be had, asked without taking it; null where it can. */
export async function faultOfDownload(
  archive: Pick<TemporalDownload, 'version' | 'url'>,
): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(answerMsMax);
    const { ok, status, body } = await fetch(addressOf(archive), { signal });
    await body?.cancel();
    return ok ? null : `answer ${status}`;
  } catch (error) {
    return reasonOf(error);
  }
}

function addressOf({ version, url = archiveUrl }: Pick<TemporalDownload, 'version' | 'url'>) {
  const arch = architectures[process.arch] ?? process.arch;
  return `${url}/v${version}?platform=${process.platform}&arch=${arch}`;
}

async function unpack(address: string, draft: string, download: TemporalDownload): Promise<void> {
  const stop = new AbortController();
  const patience = setTimeout(
    () => stop.abort(new Error(`no answer in ${answerMsMax / 1000} s`)),
    answerMsMax,
  );
  const signals = download.signal ? [stop.signal, download.signal] : [stop.signal];
  try {
    const response = await fetch(address, { signal: AbortSignal.any(signals) });
    clearTimeout(patience);
    if (!response.ok || !response.body) throw new Error(`answer ${response.status}`);
    const msMax = download.msMax ?? downloadMsMax;
    const limit = setTimeout(() => stop.abort(new Error(`longer than ${msMax / 1000} s`)), msMax);
    try {
      await extract(Readable.fromWeb(countBytes(response.body, download.say)), draft);
    } finally {
      clearTimeout(limit);
    }
  } finally {
    clearTimeout(patience);
  }
}

function countBytes(body: ReadableStream<Uint8Array>, say: (line: string) => void) {
  let bytes = 0;
  let said = Date.now();
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        bytes += part.length;
        if (Date.now() - said > progressMs) {
          said = Date.now();
          say(`downloading the Temporal server: ${Math.round(bytes / 1e6)} MB`);
        }
        controller.enqueue(part);
      },
    }),
  );
}

/** The archive holds the program beside a licence; nothing else is taken out of it. */
async function extract(archive: Readable, directory: string): Promise<void> {
  const tar = spawn('tar', ['-xzf', '-', '-C', directory, 'temporal'], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  tar.stderr.on('data', (part: Buffer) => {
    said = (said + part.toString()).slice(-500);
  });
  const ended = new Promise<void>((resolve, reject) => {
    tar.once('error', reject);
    tar.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the archive cannot be read: ${said.trim().split('\n')[0]}`));
    });
  });
  const [piped, unpacked] = await Promise.allSettled([pipeline(archive, tar.stdin), ended]);
  if (unpacked.status === 'rejected' && piped.status === 'fulfilled') throw unpacked.reason;
  if (piped.status === 'rejected' && !isBrokenPipe(piped.reason)) throw piped.reason;
  if (unpacked.status === 'rejected') throw unpacked.reason;
}

/** tar stops reading once it has what it wants, or when it gives up: its own word counts then. */
function isBrokenPipe(error: unknown): boolean {
  return (error as { code?: string }).code === 'EPIPE';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}
