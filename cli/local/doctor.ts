import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { temporalTlsOf } from '../../activities/runtime/temporal-tls.ts';
import { reasonOf } from '../command-line/reason.ts';
import { directoryFault, nearest } from '../data-directory/directory-fault.ts';
import { readState, type Ports } from '../data-directory/state.ts';
import { environment } from '../environment.ts';
import { findProcesses, namesOf } from '../platform/platform-processes.ts';
import { lockOf, readLock } from '../platform/lock.ts';
import { isFree, wantedPorts } from '../platform/ports.ts';
import { clusterVersion, programs } from '../platform/postgres-cluster.ts';
import { awaitPostgres } from '../platform/postgres.ts';
import { faultOfGetting, findInstalledTemporal } from '../platform/temporal-program.ts';
import { temporalAnswers } from '../platform/temporal.ts';

interface Finding {
  readonly isFine: boolean;
  readonly say: string;
}

const nodeNeeded = 24;
const diskBytesNeeded = 1024 ** 3;
const answerMsMax = 3_000;

/**
 * Checks the requirements of the platform on this machine. Each failing line names its remedy. Exit
 * code 1 if one fails.
 */
export async function doctor(dataDir: string): Promise<number> {
  const checks: [string, () => Finding | Promise<Finding>][] = [
    ['Node', checkNode],
    ['PostgreSQL', () => checkPostgres(dataDir)],
    ['Temporal server', checkTemporal],
    ['State directory', () => checkDirectory(dataDir)],
    ['Keys', () => checkKeys(dataDir)],
    ['Disk', () => checkDisk(dataDir)],
    ['Ports', () => checkPorts(dataDir)],
    ['Public log', () => checkPublicLog(dataDir)],
  ];
  let isAllFine = true;
  for (const [name, look] of checks) {
    const { isFine, say } = await finding(look);
    process.stdout.write(`${isFine ? '✓' : '✗'} ${name}: ${say}\n`);
    isAllFine &&= isFine;
  }
  return isAllFine ? 0 : 1;
}

async function finding(look: () => Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    return { isFine: false, say: reasonOf(error) };
  }
}

function checkNode(): Finding {
  const isFine = Number(process.versions.node.split('.')[0]) >= nodeNeeded;
  const say = isFine ? process.version : `${process.version}; run npm ci, or install Node 24`;
  return { isFine, say };
}

async function checkPostgres(dataDir: string): Promise<Finding> {
  const given = environment()['DATABASE_ADMIN_URL'];
  if (given) {
    await awaitPostgres(given, answerMsMax);
    return { isFine: true, say: 'DATABASE_ADMIN_URL answers' };
  }
  const { version } = await programs();
  const cluster = join(dataDir, 'postgres');
  const made = await clusterVersion(cluster);
  if (made === null || version.startsWith(`${made}.`)) {
    return { isFine: true, say: `embedded, ${version}` };
  }
  return {
    isFine: false,
    say: `${cluster} is of version ${made}, not ${version}; run npm run reset`,
  };
}

async function checkTemporal(): Promise<Finding> {
  const given = environment()['TEMPORAL_ADDRESS'];
  if (given) {
    const isFine = await temporalAnswers(given, {
      msMax: answerMsMax,
      tls: temporalTlsOf(environment()),
    });
    const fault = `no answer from ${given}; start it, or unset TEMPORAL_ADDRESS`;
    return { isFine, say: isFine ? 'TEMPORAL_ADDRESS answers' : fault };
  }
  const found = await findInstalledTemporal(() => undefined);
  if (found) return { isFine: true, say: found };
  const fault = await faultOfGetting();
  if (fault !== null) return { isFine: false, say: `not there; ${fault}` };
  return { isFine: true, say: 'not there yet; the first start downloads it, or builds it with Go' };
}

async function checkDirectory(dataDir: string): Promise<Finding> {
  const fault = await directoryFault(dataDir);
  return { isFine: fault === null, say: fault ? `${fault.why}; ${fault.fix}` : dataDir };
}

/** Keys in AWS KMS or a token must sign once. */
async function checkKeys(dataDir: string): Promise<Finding> {
  if (!existsSync(join(dataDir, 'keys'))) {
    return { isFine: true, say: 'not there yet; the first start makes them' };
  }
  const { loadLocalKeys } = await import('../data-directory/keys.ts');
  const keys = loadLocalKeys(dataDir);
  await keys.prove();
  const { currentOf, rotatableKeys } = await import('../../activities/keys/changes/rotate-keys.ts');
  const held = rotatableKeys.filter((name) => currentOf(keys, name).prove);
  const say =
    held.length > 0 ? `${held.join(', ')} held elsewhere, and each signs` : 'all in files';
  return { isFine: true, say };
}

async function checkDisk(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearest(dataDir));
  const free = bavail * bsize;
  const say = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
  const isFine = free > diskBytesNeeded;
  return { isFine, say: isFine ? say : `${say}; 1 GiB is needed` };
}

/**
 * A port of another program is no failure: a free one is chosen. A port of a killed start is one.
 */
async function checkPorts(dataDir: string): Promise<Finding> {
  const last = await readState(dataDir, 'ports');
  const ports = wantedPorts(last);
  const running = await readLock(lockOf(dataDir));
  if (running) return { isFine: true, say: `in use by trustcheck, process ${running.pid}` };
  const left = findProcesses(dataDir);
  const own = new Set(left.flatMap(({ name }) => last && portsOf(last, name)));
  const taken = (
    await Promise.all([...new Set([...Object.values(ports), ...own])].map(portIfTaken))
  ).filter((port) => port !== null);
  const others = taken.filter((port) => !own.has(port));
  const foreign = `${others.join(', ')} in use by other programs; other ports will be used`;
  if (left.length === 0) return { isFine: true, say: others.length > 0 ? foreign : 'free' };
  const ours = taken.filter((port) => own.has(port));
  const where = ours.length > 0 ? ` at ${ours.join(', ')}` : '';
  const names = `${namesOf(left)}${where}`;
  const killed = `ours, left by a start that was killed: ${names}; run npm run stop`;
  return { isFine: false, say: others.length > 0 ? `${killed}; ${foreign}` : killed };
}

/** A running worker reports whether the log continues its signed checkpoints. */
async function checkPublicLog(dataDir: string): Promise<Finding> {
  const ports = await readState(dataDir, 'ports');
  if (!ports || !(await readLock(lockOf(dataDir)))) {
    return { isFine: true, say: 'looked at by the workers at their start' };
  }
  const answer = await fetch(`http://127.0.0.1:${ports.worker}/readyz`, {
    signal: AbortSignal.timeout(answerMsMax),
  });
  const { checks } = Object(await answer.json());
  if (Object(checks).log !== false) return { isFine: true, say: 'goes on from what it has signed' };
  const say =
    'does not go on from what it has signed; see "After a restore" in docs/protocols/log.md';
  return { isFine: false, say };
}

/** Returns the ports on which a part of the last start listens. */
function portsOf({ api, metrics, worker, postgres, temporal, temporalUi }: Ports, name: string) {
  const known: Readonly<Record<string, number[]>> = {
    api: [api, metrics],
    worker: [worker],
    postgres: [postgres],
    temporal: [temporal, temporalUi],
  };
  return known[name] ?? [];
}

async function portIfTaken(port: number | null): Promise<number | null> {
  return port === null || port === 0 || (await isFree(port)) ? null : port;
}
