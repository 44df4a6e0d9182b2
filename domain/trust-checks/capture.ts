import { captureSignals, type Capture, type CaptureSignal } from '../names.ts';
import { reviewRequested } from '../../workflows/proofs.ts';

/** The members of a check that determine its capture. */
interface Paired {
  readonly device_id: string | null;
  readonly paired_at: Date | null;
}

/**
 * Returns the client that captures the proofs of a check. An app runs on an attested device and
 * signs each submission; a browser cannot attest its camera. Null before either is paired.
 * docs/decisions/017-documents-and-faces.md
 */
export function captureOf({ device_id, paired_at }: Paired): Capture | null {
  if (paired_at === null) return null;
  return device_id === null ? 'browser' : 'app';
}

/**
 * Returns the client that captured a proof; null before its first attempt, and if the person
 * requested a review instead.
 */
export const captureOfProof = (
  check: Paired,
  { attempt, reason_code }: { readonly attempt: number; readonly reason_code: string | null },
): Capture | null => (attempt > 0 && reason_code !== reviewRequested ? captureOf(check) : null);

/**
 * Returns the signals in `capture_signals` of a submission or its verdict, in a fixed order; empty
 * if it has none.
 */
export function captureSignalsIn(
  stored: Readonly<Record<string, unknown>> | null | undefined,
): readonly CaptureSignal[] {
  const named: unknown = stored?.['capture_signals'];
  return Array.isArray(named) ? captureSignals.filter((signal) => named.includes(signal)) : [];
}
