import { describe, expect, it } from 'vitest';
import { runCampaign } from './campaign.ts';
import { parsers } from './parsers.ts';

// `npm run mutants` reads 20,000 of each and measures their times.
const all = await parsers();

describe('a parser of hostile bytes', () => {
  it.each(all)('accepts genuine input, and throws only its own errors: $name', async (parser) => {
    expect(parser.seeds.length).toBeGreaterThan(0);
    for (const genuine of parser.seeds) await parser.read(genuine);
    expect((await runCampaign(parser, 300, 20_261_122)).faults).toEqual([]);
  });

  it('is reported when it throws another error', async () => {
    const broken = {
      name: 'broken',
      seeds: [Buffer.from('abc')],
      read: (bytes: Uint8Array) => {
        if (bytes.length < 3) throw new TypeError('no third byte');
      },
      throws: ['MalformedDer'],
    };
    const { faults } = await runCampaign(broken, 100, 1);
    expect(faults[0]).toMatch(/^input \d+: TypeError: no third byte$/);
  });
});
