import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { reasonOf } from '../command-line/reason.ts';
import { removeDrafts } from '../data-directory/data-directory.ts';
import { refuseDirectory } from '../data-directory/directory-fault.ts';
import { readState, writeState, type PlatformStatus, type Ports } from '../data-directory/state.ts';
import { environment } from '../environment.ts';
import { makeDirectory } from '../platform/cache.ts';
import { endLeft, killLeft } from '../platform/platform-processes.ts';
import { lockOf, takeLock, type Holder, type Lock } from '../platform/lock.ts';
import { movedPorts, reservePorts, wantedPorts } from '../platform/ports.ts';
import { watchFile, watchStarter } from '../platform/supervise.ts';
import { boxOf } from './box.ts';
import type { Platform } from './bring-up.ts';
import { closeDirectory } from './close-directory.ts';
import { withoutSecrets } from './without-secrets.ts';

export interface StartOptions {
  /** Run the check and stop. */
  readonly once?: boolean;
  /** False to skip the check. */
  readonly check: boolean;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const interruptedCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** One Ctrl-C can arrive twice: from the terminal, and forwarded by npm. */
const sameSignalMs = 400;

/**
 * Starts everything, runs one check, prints the summary, and stays until it is stopped. Returns the
 * exit code. With `--once` it is 0 only if the check passed and its affidavit is valid.
 */
export async function start(dataDir: string, options: StartOptions): Promise<number> {
  refuseProduction();
  await refuseDirectory(dataDir);
  makeDirectory(dataDir);
  let isHeld = false;
  const stop = listen(() => isHeld && killLeft(dataDir));
  const lock = await takeLock(lockOf(dataDir));
  if ('pid' in lock) {
    process.stderr.write(`${refusalOf(lock)}\n`);
    return 1;
  }
  isHeld = true;
  const unwatch = watchStarter(() => {
    process.stderr.write('\nstopping: what started this is gone\n');
    stop.abort(new Interrupted('SIGTERM'));
  });
  let release = (): void => undefined;
  try {
    await endLeft(dataDir);
    await removeDrafts(dataDir);
    await closeDirectory(dataDir);
    const wanted = wantedPorts(await readState(dataDir, 'ports'));
    const reserved = await reservePorts(wanted);
    ({ release } = reserved);
    const moved = await movedPorts(wanted, reserved.ports);
    return await run({ dataDir, ports: reserved.ports, moved }, lock, stop, options);
  } finally {
    unwatch();
    stop.abort();
    // Keeps temporary files for the next start, because an interrupted step may still write to one.
    await endLeft(dataDir);
    lock.release();
    release();
  }
}

/**
 * Refuses production: the keys and trust anchors of the local platform are only for development.
 */
function refuseProduction(profile = environment()['PROFILE']): void {
  if (profile === undefined || profile === 'development') return;
  const way = 'unset it, or see docker-compose.yml';
  throw new Error(`PROFILE is ${profile}: npm start is for development; ${way}`);
}

function refusalOf({ pid, work, isReady }: Holder): string {
  if (work !== 'start') {
    return `process ${pid} runs trustcheck ${work} here; start again once it has ended`;
  }
  return isReady
    ? `already running as process ${pid}; see: npm run status`
    : `already being started as process ${pid}; wait for it, or end it`;
}

interface Place {
  readonly dataDir: string;
  readonly ports: Ports;
  /** One line about parts on unusual ports; null if none. */
  readonly moved: string | null;
}

async function run(
  { dataDir, ports, moved }: Place,
  lock: Lock,
  stop: AbortController,
  options: StartOptions,
): Promise<number> {
  const broken = Promise.withResolvers<never>();
  const interrupted = untilAborted(stop.signal);
  // It may reject before any code waits for it.
  interrupted.catch(() => undefined);
  const platform = await createPlatform(dataDir, ports, stop.signal, broken.reject);
  const unguard = watchFile(join(dataDir, 'ports.json'), () => {
    process.stderr.write(`\nstopping: ${dataDir} is gone, or is not the one this began in\n`);
    stop.abort(new DirectoryRemoved());
  });
  let isUp = false;
  try {
    await Promise.race([loadAndBringUp(platform, options), broken.promise, interrupted]);
    const status = statusOf(platform);
    await writeState(dataDir, 'status', status);
    lock.setReady();
    isUp = true;
    if (moved && !options.once) process.stdout.write(`\n${moved}\n`);
    process.stdout.write(boxOf(withoutSecrets(status), options.once ? 'ended' : 'running'));
    if (!options.once) await Promise.race([broken.promise, interrupted]);
    return 0;
  } catch (error) {
    if (error instanceof Interrupted) return isUp ? 0 : interruptedCodes[error.signal];
    if (!(error instanceof DirectoryRemoved)) report(platform, error);
    return 1;
  } finally {
    unguard();
  }
}

/** Loaded late: a refused start then loads 230 modules instead of 1,460. */
async function loadAndBringUp(platform: Platform, options: StartOptions): Promise<void> {
  const { bringUp } = await import('./bring-up.ts');
  platform.signal.throwIfAborted();
  await bringUp(platform, options);
}

async function createPlatform(
  dataDir: string,
  ports: Ports,
  signal: AbortSignal,
  onBroken: (error: unknown) => void,
): Promise<Platform> {
  await writeState(dataDir, 'ports', ports);
  const earlier = await readState(dataDir, 'status');
  const given = environment()['BASE_URL']?.replace(/\/+$/, '');
  return {
    dataDir,
    ports,
    baseUrl: given || `http://127.0.0.1:${ports.api}`,
    codecToken: environment()['CODEC_OPERATOR_TOKEN'] || randomBytes(24).toString('hex'),
    signal,
    say: (line) => void process.stderr.write(`${line}\n`),
    onBroken,
    failure: null,
    database: null,
    temporal: null,
    seed: await readState(dataDir, 'seed'),
    lastCheck: earlier?.last_check ?? null,
    tryLink: earlier?.try_link_url ?? null,
  };
}

class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: (typeof signals)[number];

  constructor(signal: (typeof signals)[number]) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}

class DirectoryRemoved extends Error {
  override readonly name = 'DirectoryGone';
}

/** The first signal ends everything in order; a second one ends everything immediately. */
function listen(kill: () => void): AbortController {
  const stop = new AbortController();
  let firstAt: number | null = null;
  for (const signal of signals) {
    process.on(signal, () => {
      const now = Date.now();
      if (firstAt === null) {
        firstAt = now;
        process.stderr.write('\nstopping; once more ends everything at once\n');
        stop.abort(new Interrupted(signal));
      } else if (now - firstAt > sameSignalMs) {
        kill();
        process.exit(interruptedCodes[signal]);
      }
    });
  }
  return stop;
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Prints the failed step, the last lines of its log, and the remedy. */
function report({ failure, dataDir }: Platform, error: unknown): void {
  const reason = reasonOf(failure ? failure.error : error);
  const step = failure ? `failed: ${failure.step}\n` : '';
  const way = `look for causes with: npx trustcheck doctor; the logs are in ${dataDir}/logs`;
  process.stderr.write(`\n${step}${reason}\n${way}\n`);
}

function statusOf(platform: Platform): PlatformStatus {
  const { seed, temporal, baseUrl, database, codecToken, lastCheck, tryLink } = platform;
  if (!seed || !temporal || !database || !tryLink) throw new Error('the platform is not up');
  return {
    base_url: baseUrl,
    temporal_address: temporal.address,
    temporal_namespace: temporal.namespace,
    temporal_ui: temporal.uiUrl,
    database_url: database.owner,
    outbox_url: `${baseUrl}/outbox`,
    try_link_url: tryLink,
    codec_operator_token: codecToken,
    ...seed,
    last_check: lastCheck,
  };
}
