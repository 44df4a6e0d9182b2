import { z } from 'zod';
import { devicePlatforms } from '../../names.ts';
import { common } from '../file-members.ts';

/** The recall of a phone, in the vendor's own words. */
export const deviceRecallFile = z.object({
  ...common,
  kind: z.literal('device-recall'),
  input: z.object({ platform: z.enum(devicePlatforms), answer: z.string() }),
});

export type DeviceRecallFile = z.output<typeof deviceRecallFile>;
