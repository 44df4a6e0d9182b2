import { z } from 'zod';
import { judgeAnyEvidence } from '../../../../domain/judging/judge.ts';
import { readRecall } from '../../../../domain/proofs/device/verify-device-recall.ts';
import { Failure } from '../../../../workflows/failures.ts';
import { providerDown } from '../../../vendors/provider.ts';
import type { DeviceRecall } from '../device-recall.ts';
import type { EvidenceFile } from '../enrollment.ts';
import { createPlayCaller, playProvider, type PlayOptions } from './play-decoder.ts';

const recalled = z.object({ deviceIntegrity: z.object({ deviceRecall: z.looseObject({}) }) });

/**
 * Returns the device recall in a Play verdict's payload, as JSON; null where it is absent or
 * invalid.
 */
export function recallIn(payload: unknown): string | null {
  const { data } = recalled.safeParse(payload);
  const answer = data ? JSON.stringify(data.deviceIntegrity.deviceRecall) : '';
  return readRecall('android', answer) ? answer : null;
}

const judgedByPlay = z.object({
  kind: z.literal('play-integrity'),
  policy: z.object({ package: z.string() }),
});

const played = (files: readonly EvidenceFile[]) =>
  files.find((file) => judgedByPlay.safeParse(file).success);

/**
 * Creates a client for the device recall of Play Integrity. Its bits come with the verdict of the
 * enrollment. They are written with the same token (`POST /v1/{package}/deviceRecall:write`). Only
 * set bits are written, so that flags of others are not removed.
 */
export function createPlayRecall(options: PlayOptions): DeviceRecall {
  const post = createPlayCaller(options);
  return {
    async readBits({ enrollment }) {
      const file = played(enrollment);
      return file ? recallIn((await judgeAnyEvidence(file)).facts) : null;
    },
    async writeBits({ enrollment, token }, { flagged }) {
      const { data } = judgedByPlay.safeParse(played(enrollment));
      if (!data) return false;
      const path = `/v1/${encodeURIComponent(data.policy.package)}/deviceRecall:write`;
      const newValues = { bitFirst: true, ...(flagged ? { bitSecond: true } : {}) };
      const { status, headers } = await post(path, { integrityToken: token, newValues });
      if (status === 403) throw new Failure('platform_not_configured');
      if (status !== 200 && status !== 400) throw providerDown(playProvider, status, headers);
      return status === 200;
    },
  };
}
