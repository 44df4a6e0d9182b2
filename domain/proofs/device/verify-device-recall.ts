import { z } from 'zod';
import type { DevicePlatform } from '../../names.ts';
import { jsonOf } from '../json-of.ts';
import { judge, type Rule, type Verdict } from '../verdict.ts';
import type { DeviceRecallFile } from './recall-evidence.ts';

/** The bits that a vendor stores per phone for us; they survive a reinstall of the app. */
export interface RecalledBits {
  /** An app of this team was enrolled on the phone before. */
  readonly known: boolean;
  /** The operator has revoked a device on this phone. */
  readonly flagged: boolean;
  /** The month of the last change, `YYYY-MM`; null if the vendor states none. */
  readonly writtenIn: string | null;
}

interface Findings {
  readonly bits: RecalledBits | null;
}

/** Longer than any genuine answer of a vendor. */
export const recallLengthMax = 2_000;
const month = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/);
const monthNumber = z.int().min(200_001).max(999_912);
const neverSet = /^(?:failed to find bit state|bit state not found)\.?$/i;

const twoBits = z
  .object({ bit0: z.boolean(), bit1: z.boolean(), last_update_time: month.optional() })
  .transform(({ bit0, bit1, last_update_time }): RecalledBits => {
    return { known: bit0, flagged: bit1, writtenIn: last_update_time ?? null };
  });

/** Google omits false values, and the dates of bits that were never written. */
const threeBits = z
  .object({
    values: z.object({
      bitFirst: z.boolean().default(false),
      bitSecond: z.boolean().default(false),
    }),
    writeDates: z
      .object({ yyyymmFirst: monthNumber.optional(), yyyymmSecond: monthNumber.optional() })
      .optional(),
  })
  .transform(({ values, writeDates = {} }): RecalledBits => {
    const { yyyymmFirst = 0, yyyymmSecond = 0 } = writeDates;
    const last = Math.max(yyyymmFirst, yyyymmSecond);
    const writtenIn = last === 0 ? null : `${Math.floor(last / 100)}-${String(last).slice(-2)}`;
    return { known: values.bitFirst, flagged: values.bitSecond, writtenIn };
  });

/**
 * Returns the bits in a vendor's answer: Apple's answer to `query_two_bits`, which is a plain text
 * if no bit was ever set, or `deviceRecall` of Play's verdict in JSON. Null for anything else.
 */
export function readRecall(platform: DevicePlatform, answer: string): RecalledBits | null {
  if (answer.length > recallLengthMax) return null;
  if (platform === 'android') return threeBits.safeParse(jsonOf(answer)).data ?? null;
  if (neverSet.test(answer.trim())) return { known: false, flagged: false, writtenIn: null };
  return twoBits.safeParse(jsonOf(answer)).data ?? null;
}

/**
 * Judges the vendor's recall of a phone at its enrollment. A flag fails it; an earlier enrollment
 * is reported and does not fail it. The vendor's answer is unsigned, but an auditor can read it.
 * Never throws.
 */
export function verifyDeviceRecall(platform: DevicePlatform, answer: string): Verdict {
  const findings = { bits: readRecall(platform, answer) };
  return judge('device-recall', rules, findings, ({ bits }) =>
    bits
      ? {
          reinstall_detected: bits.known,
          device_flagged: bits.flagged,
          ...(bits.writtenIn === null ? {} : { written_in: bits.writtenIn }),
        }
      : {},
  );
}

const rules: readonly Rule<Findings>[] = [
  { name: 'parse', judge: ({ bits }) => (bits ? { ok: true } : { fault: 'malformed' }) },
  {
    name: 'flag',
    judge: ({ bits }) => {
      if (!bits) return { skipped: 'not parsed' };
      return bits.flagged ? { fault: 'device_flagged' } : { ok: true };
    },
  },
];

/** Judges an evidence file of kind `device-recall`. */
export const verifyRecallFile = ({ input }: DeviceRecallFile): Verdict =>
  verifyDeviceRecall(input.platform, input.answer);
