import { transaction } from '../../../../db/client.ts';
import * as platforms from '../../../../db/queries/platform-accounts.ts';
import type { Race } from '../../../support/races/race.ts';
import { staged, type Stage } from '../../../support/races/stage.ts';
import { winners } from './once.ts';

const flow = winners(
  {
    name: 'platform-flow',
    rule: 'an answer to a consent is taken once, by who has begun it',
    statements: ['platform_flows.take'],
  },
  async (on) => {
    const stateHash = on.ids.bytes(32);
    const now = new Date();
    const begun = {
      platform: 'conf-b',
      account_id: on.own.account_id,
      begun_by: 'tk_test_race',
    } as const;
    await platforms.addPlatformFlow(on.db, {
      ...begun,
      state_hash: stateHash,
      flow_id: on.ids.make('pf'),
      external_id: null,
      secrets_sealed: null,
      created_at: now,
      expires_at: new Date(now.getTime() + 60_000),
    });
    return { act: () => platforms.takePlatformFlow(on.db, stateHash, begun) };
  },
);

const connect = (on: Stage, external_id: string, account_id: number) =>
  transaction(on.db, (tx) =>
    platforms.connectPlatformAccount(tx, {
      platform: 'conf-b',
      external_id,
      account_id,
      connected_by: 'tk_test_race',
      connected_at: new Date(),
    }),
  );

const connected = winners(
  {
    name: 'platform-connected',
    rule: 'of many accounts that connect an organization at once one has it',
    statements: ['platform_accounts.connect'],
  },
  async (on) => {
    const external_id = on.ids.uuid();
    const rows = await staged(
      on,
      `INSERT INTO accounts (name, created_at) SELECT 'a racer', now() FROM generate_series(1, 50)
       RETURNING account_id`,
      [],
    );
    const act = (place: number) => connect(on, external_id, Number(rows[place]?.['account_id']));
    const left = 'SELECT count(*)::int AS rows FROM platform_accounts WHERE external_id = $1';
    return { act, left: [left, [external_id], [{ rows: 1 }]] };
  },
);

const disconnected = winners(
  {
    name: 'platform-disconnected',
    rule: 'an organization is disconnected once',
    statements: ['platform_accounts.disconnect'],
  },
  async (on) => {
    const external_id = on.ids.uuid();
    const { account_id } = on.own;
    await connect(on, external_id, account_id);
    return {
      act: () =>
        transaction(on.db, (tx) =>
          platforms.disconnectPlatformAccount(tx, 'conf-b', external_id, account_id),
        ),
      left: ['SELECT 1 FROM platform_accounts WHERE external_id = $1', [external_id], []],
    };
  },
);

export const platformRaces: readonly Race[] = [flow, connected, disconnected];
