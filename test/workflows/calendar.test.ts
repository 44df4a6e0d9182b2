import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOfCalendarConnection, startOfCalendarFlow } from '../../activities/calendar/start.ts';
import type { Seed } from '../../cli/data-directory/seed.ts';
import { randomIds } from '../../db/ids.ts';
import type { CalendarConnectionRow } from '../../db/queries/calendar-connections.ts';
import {
  calendarConnectionWorkflowId,
  changedSignal,
  disconnectSignal,
} from '../../workflows/calendar-connection/messages.ts';
import {
  calendarConnectionMoves,
  calendarConnectionStates,
  nextCalendarConnectionState,
} from '../../workflows/calendar-connection/state.ts';
import { completeUpdate, type CompleteArgs } from '../../workflows/calendar-oauth/messages.ts';
import {
  calendarFlowMoves,
  calendarFlowStates,
  nextCalendarFlowState,
} from '../../workflows/calendar-oauth/state.ts';
import { call } from '../support/http/client.ts';
import { ownSealer } from '../support/keys/own-sealer.ts';
import { newAccount } from '../support/people/accounts.ts';
import { audited } from '../support/people/audited.ts';
import {
  begin,
  comeBack,
  connect,
  decide,
  newPerson,
  takeBackOf,
  tokenOf,
} from '../support/people/calendar.ts';
import { eventually, openTestDb } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { connectClient } from '../support/platform/temporal-client.ts';

const db = openTestDb(ownPlatform().databaseUrl);
const sealer = ownSealer(db);
let client: Client;
beforeAll(async () => {
  client = await connectClient();
});
afterAll(() => Promise.all([client.connection.close(), db.end()]));

/** Every transition of a state table, as `from move to`. */
const arrows = <S extends string, M extends string>(
  states: readonly S[],
  moves: readonly M[],
  next: (from: S, on: M) => S | null,
): string[] =>
  states.flatMap((from) =>
    moves.flatMap((on) => {
      const to = next(from, on);
      return to ? [`${from} ${on} ${to}`] : [];
    }),
  );

describe('the state tables of a calendar', () => {
  it('have the transitions of a flow, and none from a final state', () => {
    expect(arrows(calendarFlowStates, calendarFlowMoves, nextCalendarFlowState)).toEqual([
      'started offer awaiting_consent',
      'started expire expired',
      'awaiting_consent exchange exchanging',
      'awaiting_consent deny denied',
      'awaiting_consent mismatch nonce_mismatch',
      'awaiting_consent expire expired',
      'exchanging connect connected',
      'exchanging deny denied',
    ]);
  });

  it('have the transitions of a connection', () => {
    const states = calendarConnectionStates;
    expect(arrows(states, calendarConnectionMoves, nextCalendarConnectionState)).toEqual([
      'connected lose reconnect_required',
      'connected disconnect disconnected',
      'reconnect_required reconnect connected',
      'reconnect_required disconnect disconnected',
    ]);
  });
});

/** Starts a flow without any stored row. */
async function newFlow(windowMs = 60_000) {
  const start = startOfCalendarFlow({ flow_id: randomIds.make('cf'), account_id: null }, windowMs);
  const handle = await client.workflow.start('calendarOAuth', start);
  const complete = (args: CompleteArgs) => handle.executeUpdate(completeUpdate, { args: [args] });
  return { handle, complete };
}

describe('calendarOAuth', () => {
  it('ends with the first answer, whatever the answer is', async () => {
    const ends = [
      [{ answer: 'denied', reason: 'consent_denied' }, 'denied', 'consent_denied'],
      [{ answer: 'nonce_mismatch' }, 'nonce_mismatch', null],
      // Its code is no longer stored.
      [{ answer: 'code' }, 'denied', 'grant_refused'],
    ] as const;
    for (const [args, status, reason] of ends) {
      const { handle, complete } = await newFlow();
      expect(await complete(args)).toEqual({ status, reason });
      expect(await handle.result()).toEqual({ status, reason });
      await expect(complete(args)).rejects.toThrow();
    }
  });

  it('expires after its window, and then refuses an answer', async () => {
    const { handle, complete } = await newFlow(300);
    expect(await handle.result()).toEqual({ status: 'expired', reason: null });
    await expect(complete({ answer: 'code' })).rejects.toThrow();
  });
});

interface Connected {
  readonly account: Seed;
  readonly token: string;
  readonly person: string;
  readonly issuer: string;
  readonly row: () => Promise<CalendarConnectionRow>;
  readonly consent: () => Promise<unknown>;
}

/** A connected calendar, with the address of the provider. */
async function newConnected(): Promise<Connected> {
  const account = await newAccount(`cal-${randomIds.bytes(4).toString('hex')}`);
  const { api_key: token } = account;
  const query = { intent: 'routing', return_to: '/done' };
  const person = newPerson();
  const { authorizeUrl, cookie } = await begin(token, query);
  await comeBack(await decide(authorizeUrl, person), cookie);
  const row = async () => {
    const { rows } = await db.query<CalendarConnectionRow>(
      'SELECT * FROM calendar_connections WHERE account_id = $1',
      [account.account_id],
    );
    if (!rows[0]) throw new Error('no connection');
    return rows[0];
  };
  const consent = () => connect(token, query, person);
  return { account, token, person, issuer: new URL(authorizeUrl).origin, row, consent };
}

/** Starts a second workflow for the connection, with its own id and inputs. */
async function follow(row: CalendarConnectionRow, refreshMs: number, stepsMax = 1_000) {
  return client.workflow.start('calendarConnection', {
    ...startOfCalendarConnection(row, { refreshMs, stepsMax }),
    workflowId: `tested/${randomIds.uuid()}`,
  });
}

const told = async (token: string): Promise<unknown[]> => {
  const { body } = await call('GET', '/v2/events?limit=100', { token });
  const items = body['items'] as { type: string; previous: { status: string } | null }[];
  const own = items.filter(({ type }) => type.startsWith('calendar.'));
  return own.map(({ type, previous }) => [type, previous?.status]);
};

describe('calendarConnection', () => {
  it('starts after consent, as one workflow', async () => {
    const { row } = await newConnected();
    const { connection_id } = await row();
    const handle = client.workflow.getHandle(calendarConnectionWorkflowId(connection_id));
    await eventually('the workflow', async () => {
      const described = await handle.describe().catch(() => null);
      return described?.status.name === 'RUNNING';
    });
    await eventually('the mark', async () => !(await row()).awaits_signal);
    // Repeated consent changes nothing while the calendar is connected.
    const { version } = await row();
    expect(version).toBe(1);
  });

  it('refreshes its token, requires a reconnect after a revocation, and recovers with new consent', async () => {
    const { account, token, issuer, row, consent } = await newConnected();
    const first = await row();
    const before = await tokenOf(sealer, first);
    const handle = await follow(first, 500);
    const refreshed = await eventually('a refresh', async () => {
      const now = await row();
      return now.refreshed_at && now;
    });
    // Each refresh token is used once.
    expect(await tokenOf(sealer, refreshed)).not.toBe(before);
    const lost = await eventually('the loss', async () => {
      const now = await row();
      if (now.status === 'connected') await takeBackOf(issuer, sealer, now);
      return now.status === 'reconnect_required' && now;
    });
    expect(lost.refresh_token_sealed).toBeNull();
    expect(await told(token)).toEqual([
      ['calendar.connected', undefined],
      ['calendar.reconnect_required', 'connected'],
    ]);
    await consent();
    const mended = await row();
    expect(mended).toMatchObject({
      connection_id: first.connection_id,
      status: 'connected',
      disconnected_at: null,
    });
    await handle.signal(changedSignal);
    await eventually('a refresh after that', async () => {
      const now = await row();
      return now.version > mended.version;
    });
    await handle.signal(disconnectSignal);
    expect(await handle.result()).toEqual({ status: 'disconnected' });
    const last = await row();
    expect(last).toMatchObject({ status: 'disconnected', refresh_token_sealed: null });
    expect(last.disconnected_at).not.toBeNull();
    expect(await told(token)).toEqual([
      ['calendar.connected', undefined],
      ['calendar.reconnect_required', 'connected'],
      ['calendar.connected', 'reconnect_required'],
      ['calendar.disconnected', 'connected'],
    ]);
    const key = token.slice(0, 20);
    const audit = (await audited(account)).map(({ action, actor, details }) => [
      action,
      actor,
      details,
    ]);
    expect(audit).toEqual([
      ['calendar.disconnected', 'operator', { from: { intent: 'routing' } }],
      ['calendar.connected', key, { to: { intent: 'routing' } }],
      ['calendar.connected', key, { to: { intent: 'routing' } }],
    ]);
    // A disconnected connection stays so: new consent creates another one.
    await consent();
    const { rows } = await db.query<CalendarConnectionRow>(
      'SELECT status FROM calendar_connections WHERE subject_blind = $1 ORDER BY created_at',
      [last.subject_blind],
    );
    expect(rows.map(({ status }) => status)).toEqual(['disconnected', 'connected']);
    // Only the new connection is a routing address.
    const { account_id: id } = last;
    const list = await call('GET', `/cal/routing-addresses?account_id=${id}`, { token });
    expect(list.body['total']).toBe(1);
  });

  it('revokes its grant when disconnected, and continues as a new run before its history is long', async () => {
    const { issuer, row } = await newConnected();
    const handle = await follow(await row(), 100, 2);
    const token = await tokenOf(sealer, await row());
    await eventually('another run', async () => {
      const { runId } = await handle.describe();
      return runId !== handle.firstExecutionRunId;
    });
    await client.workflow.getHandle(handle.workflowId).signal(disconnectSignal);
    expect(await handle.result()).toEqual({ status: 'disconnected' });
    // The provider accepts no token of the revoked grant.
    expect(token).not.toBe('');
    expect(issuer).toMatch(/^http:/);
  });
});
