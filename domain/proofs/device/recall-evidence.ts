import { z } from 'zod';
import { devicePlatforms } from '../../names.ts';
import { common } from '../file-members.ts';
import type { Verdict } from '../verdict.ts';
import { verifyDeviceRecall } from './verify-device-recall.ts';

/** What a vendor recalled of a phone, as it said it. */
export const deviceRecallFile = z.object({
  ...common,
  kind: z.literal('device-recall'),
  input: z.object({ platform: z.enum(devicePlatforms), answer: z.string() }),
});

/** Judges an evidence file of kind `device-recall`. */
export const verifyRecallFile = ({ input }: z.output<typeof deviceRecallFile>): Verdict =>
  verifyDeviceRecall(input.platform, input.answer);
