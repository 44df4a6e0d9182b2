import { afterAll, describe, expect, it } from 'vitest';
import { closeRaceDb } from '../../../support/races/ground.ts';
import { closeStage } from '../../../support/races/stage.ts';
import { holdRace, patienceMs } from '../hold.ts';
import { storeRaces } from './all.ts';

afterAll(closeStage);
afterAll(closeRaceDb);

describe('races in the store', () => {
  it.each(storeRaces.map((race) => [race.name, race] as const))(
    '%s',
    async (_name, race) => {
      const { callers, rounds, fates } = await holdRace('store', race);
      expect(fates.length).toBeGreaterThanOrEqual(callers * rounds);
    },
    patienceMs,
  );
});
