/** What a phone's vendor is asked for: it was enrolled, or revoked by the operator. */
export type RecallDue = 'enrolled' | 'flagged';

/** One phone and one reason to ask for it: ids and enums only. */
export interface RecallInput {
  readonly device_id: string;
  readonly due: RecallDue;
}

export interface DeviceRecallInput extends RecallInput {
  /** How long a vendor that is away is asked. An input, so that tests can wait for its end. */
  readonly asked_seconds_max: number;
}

/** What came of one step. */
export interface RecallStep {
  readonly outcome:
    | 'told'
    /** The vendor recalls that the phone is flagged: its device is revoked. */
    | 'flagged'
    | 'written'
    /** The vendor takes the token for none, or no token is left. */
    | 'unavailable'
    /** Nothing is to be done any more. */
    | 'over';
}

export const deviceRecallWorkflowId = ({ device_id, due }: RecallInput): string =>
  `device-recall/${device_id}/${due}`;
