import { createHash } from 'node:crypto';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Response of a lock holder to each connection. */
export interface Holder {
  readonly pid: number;
  /** The command that holds it. */
  readonly work: string;
  readonly isReady: boolean;
}

export interface Lock {
  setReady(): void;
  release(): void;
}

/** A starting process responds only after its modules are loaded. */
const answerMsMax = 60_000;
const retryMs = 100;
/** Any program of the machine can listen on the address of a lock and send an endless response. */
const answerLengthMax = 200;

/**
 * Takes a lock of this machine. A lock is a listening socket. The system closes it however its
 * process ends, so no lock outlives its holder. Returns the other holder if there is one.
 * @throws if a program that does not identify itself holds it for `msMax`
 */
export async function takeLock(
  name: string,
  work = 'start',
  msMax = answerMsMax,
): Promise<Lock | Holder> {
  let state = 'starting';
  const path = addressOf(name);
  const deadline = Date.now() + msMax;
  for (;;) {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).end(`${process.pid} ${work} ${state}`);
    });
    if (await listens(server, path)) {
      server.unref();
      return { setReady: () => void (state = 'ready'), release: () => void server.close() };
    }
    const holder = await readLock(name);
    if (holder) return holder;
    if (Date.now() > deadline) {
      throw new Error(`another program holds the lock ${name}: end it, and try again`);
    }
    // A socket file remains after a kill; an abstract socket has no file.
    if (!path.startsWith('\0')) rmSync(path, { force: true });
    await sleep(retryMs);
  }
}

/** Returns the holder of a lock, or null if it is free. */
export function readLock(name: string): Promise<Holder | null> {
  return new Promise((done, fail) => {
    let received = '';
    const socket = connect(addressOf(name)).setEncoding('utf8').setTimeout(answerMsMax);
    socket.on('timeout', () => {
      socket.destroy();
      fail(new Error(`the process that holds ${name} does not answer`));
    });
    socket.on('error', () => undefined);
    socket.on('data', (part: string) => {
      received += part;
      if (received.length > answerLengthMax) socket.destroy();
    });
    socket.on('close', () => {
      const [, pid, work, state] = /^(-?\d+) (\w+) (starting|ready)$/.exec(received) ?? [];
      done(pid && work ? { pid: Number(pid), work, isReady: state === 'ready' } : null);
    });
  });
}

/**
 * Runs a task under a lock, after waiting for other holders.
 * @param onWait called once if another process holds it
 */
export async function withLock<T>(
  name: string,
  onWait: (pid: number) => void,
  task: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let isReported = false; ; isReported = true) {
    signal?.throwIfAborted();
    const taken = await takeLock(name);
    if ('release' in taken) return task().finally(() => taken.release());
    if (!isReported) onWait(taken.pid);
    await sleep(retryMs);
  }
}

/** Returns the lock name of a data directory, the same for every path to it. */
export function lockOf(dataDir: string): string {
  return existsSync(dataDir) ? realpathSync(dataDir) : resolve(dataDir);
}

/**
 * Returns the socket address of a lock. On Linux a name that begins with a zero byte is an abstract
 * socket (unix(7)).
 */
export function addressOf(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return process.platform === 'linux' ? `\0trustcheck-${hash}` : `/tmp/trustcheck-${hash}.sock`;
}

function listens(server: Server, path: string): Promise<boolean> {
  return new Promise((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? done(false) : fail(error),
    );
    server.listen(path, () => done(true));
  });
}
