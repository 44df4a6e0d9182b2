import { captureSignals, type Capture, type CaptureSignal } from '../names.ts';
import { reviewRequested } from '../../workflows/proofs.ts';

/** A check as far as its capture depends on it. */
interface Paired {
  readonly device_id: string | null;
  readonly paired_at: Date | null;
}

/**
 * What captures the proofs of a check: an app on an attested device, which signs each submission,
 * or a browser, which cannot attest its camera; null before either is paired.
 * docs/decisions/017-documents-and-faces.md
 */
export function captureOf({ device_id, paired_at }: Paired): Capture | null {
  if (paired_at === null) return null;
  return device_id === null ? 'browser' : 'app';
}

/**
 * By what a proof of a check was captured; null before its first attempt, and where the person
 * asked for a review instead.
 */
export const captureOfProof = (
  check: Paired,
  { attempt, reason_code }: { readonly attempt: number; readonly reason_code: string | null },
): Capture | null => (attempt > 0 && reason_code !== reviewRequested ? captureOf(check) : null);

/**
 * The signals in `capture_signals` of a submission or of its verdict, in one order; empty where it
 * has none.
 */
export function captureSignalsIn(
  stored: Readonly<Record<string, unknown>> | null | undefined,
): readonly CaptureSignal[] {
  const named: unknown = stored?.['capture_signals'];
  return Array.isArray(named) ? captureSignals.filter((signal) => named.includes(signal)) : [];
}
