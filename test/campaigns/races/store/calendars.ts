import { addCalendarFlow, takeCalendarFlow } from '../../../../db/queries/calendar-flows.ts';
import type { Race } from '../../../support/races/race.ts';
import { winners } from './once.ts';

const flow = winners(
  {
    name: 'calendar-flow',
    rule: 'a browser comes back from the calendar provider once',
    statements: ['calendar_flows.take'],
  },
  async (on) => {
    const stateHash = on.ids.bytes(32);
    const now = new Date();
    await addCalendarFlow(on.db, {
      state_hash: stateHash,
      flow_id: on.ids.make('cf'),
      browser_hash: on.ids.bytes(32),
      started_by: { kind: 'api-key', key_id: 'tk_test_race', roles: ['ADMIN'] },
      account_id: null,
      intent: 'routing',
      secrets_sealed: Buffer.alloc(1),
      return_to: null,
      created_at: now,
      expires_at: new Date(now.getTime() + 60_000),
    });
    return { act: () => takeCalendarFlow(on.db, stateHash) };
  },
);

export const calendarRaces: readonly Race[] = [flow];
