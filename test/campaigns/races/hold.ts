import { appendFileSync } from 'node:fs';
import { callingFrom } from '../../support/http/client.ts';
import { countOf, newAddress, type Race } from '../../support/races/race.ts';
import { campaignSetting, readCampaign, reportSetting } from './campaign.ts';

/** In the suite: enough to detect a broken race and a fault at every second meeting. */
const usual = { callers: 8, rounds: 1, isWhole: false };
const campaign = readCampaign(process.env[campaignSetting]);

/** Time limit of one race, in a campaign or in the suite. */
export const patienceMs = campaign ? 3600_000 : 90_000;

export interface Held {
  readonly callers: number;
  readonly rounds: number;
  /** The result of each caller of each round; some races have additional callers. */
  readonly fates: readonly string[];
}

/**
 * Runs one race: in the suite one round of a few callers, in a campaign as configured, with a line
 * of figures. Throws when a round breaks the rule of the race.
 */
export async function holdRace(layer: 'http' | 'store', race: Race): Promise<Held> {
  const { callers, rounds: asked, isWhole } = campaign ?? usual;
  const rounds = isWhole ? asked : Math.min(asked, race.roundsMax ?? asked);
  const ends: (() => Promise<unknown>)[] = [];
  const fates: string[] = [];
  const began = performance.now();
  try {
    const round = await race.prepare((end) => ends.push(end));
    for (let place = 0; place < rounds; place += 1) {
      const { 'x-forwarded-for': address } = newAddress();
      fates.push(...(await callingFrom(address, () => round(callers))));
    }
  } finally {
    for (const end of ends) await end();
  }
  const held = { callers, rounds, fates };
  report(layer, race, held, (performance.now() - began) / 1000);
  return held;
}

function report(layer: string, { name }: Race, held: Held, seconds: number): void {
  const file = process.env[reportSetting];
  if (!file) return;
  const counts = Object.entries(countOf(held.fates)).map(([one, count]) => `${one}: ${count}`);
  const head = `${name.padEnd(26)} ${layer.padEnd(5)} ${held.callers} × ${held.rounds}`;
  appendFileSync(file, `${head}  ${seconds.toFixed(1)} s  ${counts.join(', ')}\n`);
}
