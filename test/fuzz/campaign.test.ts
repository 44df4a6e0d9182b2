import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCampaign, type Outcome } from './campaign.ts';
import { optionsFromEnv, reportFile } from './options.ts';
import { reportOf } from './report.ts';
import { makeStage, type Stage } from './stage.ts';

const options = optionsFromEnv();
/** Patience for a busy machine; what is measured is measured apart from it. */
const msMax = 180_000 + options.requests * 60;
let stage: Stage;
let outcome: Outcome;

beforeAll(async () => {
  stage = await makeStage();
  outcome = await runCampaign(stage, options);
  const file = process.env[reportFile];
  if (file) await writeFile(file, reportOf(outcome, options));
}, msMax);
afterAll(async () => {
  await stage.cancelChecks();
  await stage.stop();
});

describe('the API under requests of chance', () => {
  it('answers all as its document says, and shows nothing of its inside', () => {
    const found = outcome.findings.map(
      ({ operation, fault, times, curl }) => `${operation} ${fault} (${times})\n  ${curl}`,
    );
    expect(found, `seed ${options.seed}`).toEqual([]);
  });

  it('answers every operation with a success and with a refusal', () => {
    expect(outcome.unreached).toEqual([]);
    expect(outcome.sent).toBeGreaterThanOrEqual(options.requests * 0.9);
  });
});
