import { createHash } from 'node:crypto';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a holder of a lock answers to each connection. */
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

/** A starting process answers only after its modules are loaded. */
const answerMsMax = 60_000;
const retryMs = 100;
/** Any program of the machine can listen on the address of a lock, and answer without an end. */
const answerLengthMax = 200;

/**
 * Takes a lock of this machine. A lock is a listening socket: the system closes it when its process
 * ends in any way, so that no lock outlives its holder. Gives the other holder when there is one.
 * @throws when a program that names no process holds it for `msMax`
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
    // A socket file stays after a kill; an abstract socket has no file.
    if (!path.startsWith('\0')) rmSync(path, { force: true });
    await sleep(retryMs);
  }
}

/** The holder of a lock, or null when no process holds it. */
export function readLock(name: string): Promise<Holder | null> {
  return new Promise((done, fail) => {
    let said = '';
    const socket = connect(addressOf(name)).setEncoding('utf8').setTimeout(answerMsMax);
    socket.on('timeout', () => {
      socket.destroy();
      fail(new Error(`the process that holds ${name} does not answer`));
    });
    socket.on('error', () => undefined);
    socket.on('data', (part: string) => {
      said += part;
      if (said.length > answerLengthMax) socket.destroy();
    });
    socket.on('close', () => {
      const [, pid, work, state] = /^(-?\d+) (\w+) (starting|ready)$/.exec(said) ?? [];
      done(pid && work ? { pid: Number(pid), work, isReady: state === 'ready' } : null);
    });
  });
}

/**
 * Runs a task alone under a lock, after the processes that hold it have ended.
 * @param onWait called once, when another process holds it
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

/** The lock of a data directory, the same by every path to it. */
export function lockOf(dataDir: string): string {
  return existsSync(dataDir) ? realpathSync(dataDir) : resolve(dataDir);
}

/** unix(7): on Linux a name that begins with a zero byte is an abstract socket. */
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
