import { expect } from 'vitest';
import { transaction } from '../../../../db/client.ts';
import { lockAccount } from '../../../../db/queries/accounts.ts';
import { insertJoinSession } from '../../../../db/queries/join-sessions.ts';
import { insertParticipant } from '../../../../db/queries/meeting-participants.ts';
import { planReport, publishReport } from '../../../../db/queries/meeting-reports.ts';
import { insertMeeting, lockMeeting, type MeetingRow } from '../../../../db/queries/meetings.ts';
import * as inbox from '../../../../db/queries/webhook-inbox.ts';
import * as webhooks from '../../../../db/queries/webhooks.ts';
import { atOnce, expectFates, fate, type Race } from '../../../support/races/race.ts';
import { stage, staged, stagedLink, type Stage } from '../../../support/races/stage.ts';
import { winners } from './once.ts';

async function newMeeting(on: Stage): Promise<MeetingRow> {
  const { link_uuid, account_id } = await stagedLink(on);
  const meeting = await transaction(on.db, (tx) =>
    insertMeeting(tx, {
      meeting_key: on.ids.make('mt'),
      platform: 'sandbox',
      meeting_id: null,
      link_uuid,
      occurrence: 1,
      account_id,
      livemode: false,
      topic: null,
      organization: null,
      scheduled_at: null,
      created_by: 'operator',
      created_at: new Date(),
    }),
  );
  if (!meeting) throw new Error('no meeting was made');
  return meeting;
}

const participant = winners(
  {
    name: 'participant',
    rule: 'somebody is in a meeting once',
    statements: ['participants.insert'],
  },
  async (on) => {
    const { meeting_key, account_id, occurred_at } = await newMeeting(on);
    const poly_user_id = on.ids.make('pu');
    return {
      act: () =>
        transaction(on.db, (tx) =>
          insertParticipant(tx, {
            participant_id: on.ids.make('pt'),
            meeting_key,
            account_id,
            poly_user_id,
            role: 'participant',
            display_name_sealed: null,
            status: 'invited',
            verification: 'unverified',
            attestation: null,
            join_session_id: null,
            link_session_id: null,
            external_blind: null,
            created_by: null,
            occurred_at,
            created_at: new Date(),
          }),
        ),
    };
  },
);

const inboxKept = winners(
  {
    name: 'platform-event-kept',
    rule: 'what a platform tells is kept once, however often it is told',
    statements: ['webhook_inbox.insert'],
  },
  async (on) => {
    const { meeting_key, platform } = await newMeeting(on);
    const event_id = on.ids.make('ev');
    return {
      act: (place) =>
        inbox.addToInbox(on.db, {
          event_id,
          platform,
          meeting_key,
          body_sealed: Buffer.from([place]),
          received_at: new Date(),
        }),
    };
  },
);

const inboxTaken = winners(
  {
    name: 'platform-event-taken',
    rule: 'what a platform tells is put on record once, and its body goes with that',
    statements: ['webhook_inbox.take', 'webhook_inbox.drop'],
  },
  async (on) => {
    const { meeting_key, platform } = await newMeeting(on);
    const event_id = on.ids.make('ev');
    const row = { event_id, platform, meeting_key, body_sealed: Buffer.alloc(1) };
    await inbox.addToInbox(on.db, { ...row, received_at: new Date() });
    return {
      act: () => transaction(on.db, (tx) => inbox.takeFromInbox(tx, event_id, new Date())),
      left: [
        'SELECT body_sealed, awaits_signal FROM webhook_inbox WHERE event_id = $1',
        [event_id],
        [{ body_sealed: null, awaits_signal: false }],
      ],
    };
  },
);

const report: Race = {
  name: 'meeting-report',
  rule: 'a meeting has one report, which becomes available once',
  statements: ['meeting_reports.insert', 'meeting_reports.publish', 'meetings.lock'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const { meeting_key, account_id } = await newMeeting(on);
      const planned = await atOnce(callers, () =>
        transaction(on.db, async (tx) => {
          await lockMeeting(tx, meeting_key);
          return planReport(tx, {
            report_id: on.ids.make('mr'),
            meeting_key,
            account_id,
            version: 1,
            object_key: on.ids.make('reports'),
            created_by: 'operator',
            created_at: new Date(),
          });
        }),
      );
      const [id = '', another] = [...new Set(planned.map(({ report_id }) => report_id))];
      expect(another).toBeUndefined();
      const outcomes = await atOnce(callers, (place) =>
        fate(
          transaction(on.db, (tx) =>
            publishReport(tx, id, { sha256: `sha-${place}`, sizeBytes: 1 }, new Date()),
          ),
        ),
      );
      expectFates(outcomes, { won: 1, lost: callers - 1 });
      return outcomes;
    };
  },
};

const joinSession: Race = {
  name: 'join-session-repeated',
  rule: 'a join session asked for again is the one that was made',
  statements: ['join_sessions.insert'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const { link_uuid, account_id } = await stagedLink(on);
      const join_session_id = on.ids.make('js');
      const made = await atOnce(callers, () =>
        insertJoinSession(on.db, {
          join_session_id,
          link_uuid,
          account_id,
          participant_id: on.ids.make('pt'),
          display_name_sealed: null,
          platform: 'sandbox',
          client: 'web',
          browser_hash: on.ids.bytes(32),
          nonce_hash: null,
          created_at: new Date(),
          expires_at: new Date(Date.now() + 600_000),
        }),
      );
      expect(new Set(made.map(({ participant_id }) => participant_id)).size).toBe(1);
      return made.map(() => 'the same');
    };
  },
};

async function newEndpoint(on: Stage): Promise<webhooks.NewEndpoint> {
  const endpoint = {
    endpoint_id: on.ids.make('we'),
    account_id: on.own.account_id,
    app_id: null,
    livemode: true,
    url: 'http://127.0.0.1:9/',
    types: ['meeting.ended'],
    description: null,
    secret_sealed: on.ids.bytes(32),
    now: new Date(),
  };
  await webhooks.addEndpoint(on.db, endpoint);
  return endpoint;
}

const replays: Race = {
  name: 'delivery-replayed',
  rule: 'each replay of a delivery has a number of its own, and a repeated one none',
  statements: ['webhook_deliveries.replay', 'webhook_deliveries.sample'],
  async prepare() {
    const on = await stage();
    const { endpoint_id: endpointId } = await newEndpoint(on);
    return async (callers) => {
      const deliveryId = on.ids.make('wd');
      const sample = { event_id: on.ids.make('evt') };
      await atOnce(callers, () =>
        webhooks.addSample(on.db, { deliveryId, endpointId, sample, now: new Date() }),
      );
      const done = "UPDATE webhook_deliveries SET status = 'delivered' WHERE delivery_id = $1";
      await on.db.query(done, [deliveryId]);
      const ids = Array.from({ length: callers }, () => on.ids.make('wd'));
      // Every fifth call repeats the previous request.
      const asked = ids.map((id, place) => (place % 5 === 4 ? (ids[place - 1] ?? id) : id));
      const outcomes = await Promise.all(
        asked.map((replayId) =>
          webhooks.replayDelivery(on.db, { deliveryId, endpointId, replayId, now: new Date() }),
        ),
      );
      expectFates(outcomes, { queued: callers });
      const rows = await staged(
        on,
        'SELECT replay FROM webhook_deliveries WHERE event_id = $1 ORDER BY replay',
        [sample.event_id],
      );
      const count = new Set(asked).size + 1;
      expect(rows).toHaveLength(count);
      expect(new Set(rows.map((row) => row['replay'])).size).toBe(count);
      return outcomes;
    };
  },
};

const endpointLimit: Race = {
  name: 'endpoint-limit',
  rule: 'an account has no more endpoints than it may',
  statements: ['accounts.lock', 'webhook_endpoints.insert'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const { rows } = await on.db.query<{ account_id: number }>(
        `INSERT INTO accounts (name, created_at) VALUES ('endpoints', now()) RETURNING account_id`,
      );
      const account_id = rows[0]?.account_id ?? 0;
      const most = 3;
      const outcomes = await atOnce(callers, () =>
        fate(
          transaction(on.db, async (tx) => {
            // Takes the account lock, as every administrative change does.
            await lockAccount(tx, account_id);
            const endpoint = {
              endpoint_id: on.ids.make('we'),
              account_id,
              app_id: null,
              livemode: true,
              url: 'http://127.0.0.1:9/',
              types: [],
              description: null,
              secret_sealed: on.ids.bytes(32),
              now: new Date(),
            };
            return webhooks.addEndpointWithin(tx, endpoint, most);
          }),
        ),
      );
      const won = Math.min(most, callers);
      expectFates(outcomes, { won, lost: callers - won });
      const kept = 'SELECT 1 FROM webhook_endpoints WHERE account_id = $1';
      expect(await staged(on, kept, [account_id])).toHaveLength(won);
      return outcomes;
    };
  },
};

export const meetingRaces: readonly Race[] = [
  participant,
  inboxKept,
  inboxTaken,
  report,
  joinSession,
  replays,
  endpointLimit,
];
