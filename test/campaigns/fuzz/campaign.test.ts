import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCampaign, type Outcome } from './campaign.ts';
import { optionsFromEnv, reportFile } from './options.ts';
import { reportOf } from './report.ts';
import { makeStage, type Stage } from './stage.ts';

const options = optionsFromEnv();

// Takes minutes, so that `npm run fuzz` runs it as a separate step.
describe.skipIf(options === null)('the API under random requests', () => {
  const { requests, seed } = options ?? { requests: 0, seed: 0 };
  /** Time for a busy machine; slow answers are measured separately. */
  const msMax = 180_000 + requests * 60;
  let stage: Stage;
  let outcome: Outcome;

  beforeAll(async () => {
    stage = await makeStage();
    outcome = await runCampaign(stage, { requests, seed });
    const file = process.env[reportFile];
    if (file) await writeFile(file, reportOf(outcome, { requests, seed }));
  }, msMax);
  afterAll(async () => {
    await stage.cancelChecks();
    await stage.stop();
  });

  it('answers as its OpenAPI document says, and leaks no internals', () => {
    const found = outcome.findings.map(
      ({ operation, fault, times, curl }) => `${operation} ${fault} (${times})\n  ${curl}`,
    );
    expect(found, `seed ${seed}`).toEqual([]);
  });

  it('answers every operation with a success and with a refusal', () => {
    expect(outcome.unreached).toEqual([]);
    expect(outcome.sent).toBeGreaterThanOrEqual(requests * 0.9);
  });
});
