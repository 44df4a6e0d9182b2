/** Why the vendor of a phone is called: the phone was enrolled, or the operator revoked it. */
export type RecallDue = 'enrolled' | 'flagged';

/** One phone and one reason to call its vendor: ids and enums only. */
export interface RecallInput {
  readonly device_id: string;
  readonly due: RecallDue;
}

export interface DeviceRecallInput extends RecallInput {
  /** Seconds to retry an unavailable vendor. An input, so that tests can wait for the end. */
  readonly asked_seconds_max: number;
}

/** Result of one step. */
export interface RecallStep {
  readonly outcome:
    | 'told'
    /** The vendor has the flag set for this phone: the device is revoked. */
    | 'flagged'
    | 'written'
    /** The vendor rejects the token, or no token is left. */
    | 'unavailable'
    /** Nothing is left to do. */
    | 'over';
}

export const deviceRecallWorkflowId = ({ device_id, due }: RecallInput): string =>
  `device-recall/${device_id}/${due}`;
