import { afterAll, describe, expect, it } from 'vitest';
import { closeRaceDb } from '../../../support/races/ground.ts';
import { holdRace, patienceMs } from '../hold.ts';
import { httpRaces } from './all.ts';

afterAll(closeRaceDb);

describe('races through HTTP', () => {
  it.each(httpRaces.map((race) => [race.name, race] as const))(
    '%s',
    async (_name, race) => {
      const { callers, rounds, fates } = await holdRace('http', race);
      expect(fates.length).toBeGreaterThanOrEqual(callers * rounds);
    },
    patienceMs,
  );
});
