import { appendFileSync } from 'node:fs';
import { afterAll, describe, it } from 'vitest';
import { campaignSetting, readCampaign, reportSetting } from './campaign.ts';
import { closeRaceDb } from './ground.ts';
import { countOf, type Race } from './race.ts';

/** In the suite: enough to see that each race still runs, and what fails at every second meeting. */
const usual = { callers: 8, rounds: 1 };

/**
 * Holds races as tests, one each, in turn: in the suite a round of a few callers, in a campaign as
 * many as it asks for, with a line of figures for each.
 */
export function holdRaces(layer: 'http' | 'store', races: readonly Race[]): void {
  const campaign = readCampaign(process.env[campaignSetting]);
  const { callers, rounds } = campaign ?? usual;
  const patienceMs = campaign ? 3600_000 : 90_000;
  afterAll(closeRaceDb);
  describe(`races by ${layer}`, () => {
    it.each(races.map((race) => [race.name, race] as const))(
      '%s',
      async (_name, race) => {
        const ends: (() => Promise<unknown>)[] = [];
        const began = performance.now();
        const counts: Record<string, number> = {};
        const roundsOf = Math.min(rounds, race.roundsMax ?? rounds);
        try {
          const round = await race.prepare((end) => ends.push(end));
          for (let place = 0; place < roundsOf; place += 1) {
            for (const [one, count] of Object.entries(countOf(await round(callers)))) {
              counts[one] = (counts[one] ?? 0) + count;
            }
          }
        } finally {
          for (const end of ends) await end();
        }
        const seconds = (performance.now() - began) / 1000;
        report({ layer, race, callers, rounds: roundsOf, seconds, counts });
      },
      patienceMs,
    );
  });
}

interface Figures {
  readonly layer: string;
  readonly race: Race;
  readonly callers: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly counts: Readonly<Record<string, number>>;
}

function report({ layer, race, callers, rounds, seconds, counts }: Figures): void {
  const file = process.env[reportSetting];
  if (!file) return;
  const fates = Object.entries(counts).map(([one, count]) => `${one}: ${count}`);
  const head = `${race.name.padEnd(26)} ${layer.padEnd(5)} ${callers} × ${rounds}`;
  appendFileSync(file, `${head}  ${seconds.toFixed(1)} s  ${fates.join(', ')}\n`);
}
