/** Input of the workflow of a receipt: an id and bounds only. */
export interface DeviceReceiptInput {
  readonly device_id: string;
  /** Longest wait between two attempts. An input, so that tests can use a short wait. */
  readonly wait_seconds_max: number;
  /**
   * Attempts after which the workflow continues as a new run. It bounds the size of the history.
   */
  readonly steps_max: number;
}

export type ReceiptInput = Pick<DeviceReceiptInput, 'device_id'>;

/** Result of one attempt to renew a receipt. */
export interface ReceiptStep {
  readonly outcome:
    | 'renewed'
    /** The receipt's own "not before" date is still ahead. */
    | 'waiting'
    /** Apple answers that it is too early. */
    | 'too_early'
    /** Apple has no data for the key any more. The last receipt stays. */
    | 'no_data'
    /** Apple rejects it as a receipt. */
    | 'refused'
    /** Apple's new receipt does not verify. */
    | 'unverified'
    /** The receipt expired and cannot be renewed. */
    | 'expired'
    /** The device is revoked or deleted. */
    | 'over';
  readonly wait_seconds: number;
}

export const deviceReceiptWorkflowId = (deviceId: string): string => `device-receipt/${deviceId}`;
