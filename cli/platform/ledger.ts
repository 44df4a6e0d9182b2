import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { beginningOf } from './identity.ts';
import { makeDirectory } from './make-directory.ts';
import { endStranger, sendSignal } from './processes.ts';

/** A pid is given again; a pid with its beginning is not. */
const startedProcess = z.object({ pid: z.int().positive(), beginning: z.string().min(1) });

/** What a holder is at; one that does not say so keeps what it has started up. */
const works = ['start', 'stop', 'reset', 'check'] as const;
export type Work = (typeof works)[number];

/** What a ledger file holds. */
const ledgerContent = z.object({
  owner: startedProcess,
  work: z.enum(works).default('start'),
  isReady: z.boolean(),
  children: z.array(startedProcess.extend({ name: z.string() })),
});

type StartedProcess = z.output<typeof startedProcess>;
export type LedgerContent = z.output<typeof ledgerContent>;

/** A lock with its holder's name, and the list of the processes the holder has started. */
export interface Ledger {
  /** Notes a process that has just been started; after `close` it is killed instead. */
  add(name: string, pid: number): void;
  setReady(): void;
  /** Whether the lock is still there, and ours. */
  isHeld(): boolean;
  /** Ends whatever noted process still runs, in order, and gives the lock back. */
  close(): Promise<void>;
  /** As `close`, at once and without asking. */
  kill(): void;
}

/** Somebody else holds the lock. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
  readonly pid: number;
  readonly work: Work;
  readonly isReady: boolean;

  constructor({ owner, work, isReady }: LedgerContent) {
    super(`held by process ${owner.pid}`);
    this.pid = owner.pid;
    this.work = work;
    this.isReady = isReady;
  }
}

/** Those that use a server end before it; of a name that is not here, first of all. */
const stopOrder: readonly (readonly string[])[] = [['api', 'worker'], ['temporal'], ['postgres']];

/**
 * Takes the lock at a path. One left behind by a process that was killed is taken over, after the
 * processes it had started are ended. Throws AlreadyRunning while its owner lives.
 */
export async function openLedger(path: string, work: Work = 'start'): Promise<Ledger> {
  const owner = { pid: process.pid, beginning: beginningOf(process.pid) ?? '' };
  let content: LedgerContent = { owner, work, isReady: false, children: [] };
  let isClosed = false;
  makeDirectory(dirname(path));
  while (!create(path, content)) await takeAway(path);
  const isHeld = (): boolean => isSame(parse(path)?.owner, owner);
  const change = (next: Partial<LedgerContent>): void => {
    content = { ...content, ...next };
    // Where the lock was taken from us another process may have its own there by now.
    if (isHeld()) renameSync(writeDraft(path, content), path);
  };
  const giveBack = (): void => {
    if (isHeld()) rmSync(path, { force: true });
  };
  return {
    add(name, pid) {
      if (isClosed) return sendSignal(pid, 'SIGKILL');
      const beginning = beginningOf(pid);
      const children = content.children.filter((child) => isAlive(child));
      if (beginning !== null) change({ children: [...children, { name, pid, beginning }] });
    },
    setReady: () => change({ isReady: true }),
    isHeld,
    async close() {
      if (isClosed) return;
      isClosed = true;
      await endChildren(content.children);
      giveBack();
    },
    kill() {
      isClosed = true;
      for (const { name, pid } of content.children.filter(isAlive)) {
        // SIGQUIT is PostgreSQL's immediate shutdown; killed, it would leave what it has forked.
        sendSignal(pid, name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
      }
      giveBack();
    },
  };
}

/** What a holder is at, in words that follow its name. */
export function workWords({ work, isReady }: Pick<LedgerContent, 'work' | 'isReady'>): string {
  if (work === 'stop') return 'is ending what a killed start has left';
  if (work === 'reset') return 'is forgetting all state';
  if (work === 'check') return 'is at a check with it';
  return isReady ? 'runs it' : 'is bringing it up';
}

/** Who holds the lock at a path, or null when nobody alive does. */
export function readLedger(path: string): LedgerContent | null {
  const content = parse(path);
  return content && isAlive(content.owner) ? content : null;
}

/** What still runs of a platform whose owner is gone. */
export function readLeft(path: string): LedgerContent['children'] {
  const content = parse(path);
  return content && !isAlive(content.owner) ? content.children.filter(isAlive) : [];
}

function isSame(one: StartedProcess | undefined, other: StartedProcess): boolean {
  return one?.pid === other.pid && one.beginning === other.beginning;
}

function isAlive({ pid, beginning }: StartedProcess): boolean {
  return beginningOf(pid) === beginning;
}

function parse(path: string): LedgerContent | null {
  try {
    return ledgerContent.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data ?? null;
  } catch {
    return null;
  }
}

function writeDraft(path: string, content: LedgerContent): string {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  return draft;
}

/** A link is made whole or not at all, and never over another file: one of two starts wins. */
function create(path: string, content: LedgerContent): boolean {
  const draft = writeDraft(path, content);
  try {
    return link(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Between reading and moving another start may have taken the lock: then it gets it back. */
async function takeAway(path: string): Promise<void> {
  const held = readLedger(path);
  if (held) throw new AlreadyRunning(held);
  const left = parse(path);
  if (left) await endChildren(left.children);
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const moved = readLedger(aside);
  if (moved) link(aside, path);
  rmSync(aside, { force: true });
  if (moved) throw new AlreadyRunning(moved);
}

/** Ends whichever of some processes still run, those that use a server before it. */
export async function endChildren(children: LedgerContent['children']): Promise<void> {
  const known = new Set(stopOrder.flat());
  const others = children.map(({ name }) => name).filter((name) => !known.has(name));
  for (const names of [others, ...stopOrder]) {
    const ending = children.filter(({ name }) => names.includes(name));
    await Promise.all(
      ending.map(({ name, pid, beginning }) =>
        // For PostgreSQL SIGINT is the fast shutdown: SIGTERM would wait for its clients.
        endStranger(pid, beginning, name === 'postgres' ? 'SIGINT' : 'SIGTERM'),
      ),
    );
  }
}
