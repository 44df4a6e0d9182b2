import { channel } from 'node:diagnostics_channel';
import type { ProofState, ProofType } from '../../workflows/proofs.ts';
import type { TrustCheckState } from '../../workflows/trust-check/state.ts';

/** A step of a check that was written, by whichever process wrote it. */
export type StepMeasure =
  | { readonly from: TrustCheckState; readonly to: TrustCheckState; readonly seconds: number }
  | { readonly proof: ProofType; readonly result: ProofState };

/** An attempt at a webhook; how long its event has waited, where it was delivered. */
export interface DeliveryMade {
  readonly result: 'delivered' | 'retry' | 'failed' | 'canceled';
  readonly lagSeconds: number | null;
}

/** What becomes of an affidavit that is due to be archived. */
export const renewalResults = ['renewed', 'waiting', 'failed'] as const;

/**
 * What operators measure is told within the process, as spans are: who does it need not know who
 * listens. A listener must not throw.
 */
function measure<Told>(name: string) {
  const told = channel(`trustcheck.${name}`);
  return {
    tell: (what: Told): void => told.publish(what),
    // Nobody else has this channel: what comes is what was told.
    listen: (listener: (what: Told) => void): void =>
      told.subscribe((what) => listener(what as Told)),
  };
}

export const measures = {
  step: measure<StepMeasure>('step'),
  delivery: measure<DeliveryMade>('delivery'),
  /** An affidavit that is there, by the seconds since its decision. */
  affidavit: measure<number>('affidavit'),
  /** An affidavit that was sealed below B-LTA, by its level. */
  unarchived: measure<string>('unarchived'),
  /** What became of an affidavit that was to be archived (again). */
  renewal: measure<(typeof renewalResults)[number]>('renewal'),
};
