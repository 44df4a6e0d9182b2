import { channel } from 'node:diagnostics_channel';
import type { ProofState, ProofType } from '../../workflows/proofs.ts';
import type { TrustCheckState } from '../../workflows/trust-check/state.ts';

/** A state change of a check, or the result of a proof, by the process that wrote it. */
export type StepMeasure =
  | { readonly from: TrustCheckState; readonly to: TrustCheckState; readonly seconds: number }
  | { readonly proof: ProofType; readonly result: ProofState };

/** An attempt to deliver a webhook. `lagSeconds`: how long the event waited, if delivered. */
export interface DeliveryMade {
  readonly result: 'delivered' | 'retry' | 'failed' | 'canceled';
  readonly lagSeconds: number | null;
}

/** Results of archiving an affidavit that is due. */
export const renewalResults = ['renewed', 'waiting', 'failed'] as const;

/**
 * Creates a channel for measurements within the process. The sender does not depend on the
 * listeners. A listener must not throw.
 */
function measure<Value>(name: string) {
  const topic = channel(`trustcheck.${name}`);
  return {
    tell: (what: Value): void => topic.publish(what),
    // Only `tell` publishes to this channel, so the type holds.
    listen: (listener: (what: Value) => void): void =>
      topic.subscribe((what) => listener(what as Value)),
  };
}

export const measures = {
  step: measure<StepMeasure>('step'),
  delivery: measure<DeliveryMade>('delivery'),
  /** An affidavit that became available: the seconds since its decision. */
  affidavit: measure<number>('affidavit'),
  /** An affidavit that was sealed below B-LTA: its level. */
  unarchived: measure<string>('unarchived'),
  /** The result of an archive or a renewal. */
  renewal: measure<(typeof renewalResults)[number]>('renewal'),
};
