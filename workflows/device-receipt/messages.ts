/** What a receipt is followed with: an id and bounds only. */
export interface DeviceReceiptInput {
  readonly device_id: string;
  /** The longest it waits between two looks. An input, so that tests can wait. */
  readonly wait_seconds_max: number;
  /** After so many looks it goes on as a new run, so that no history grows without end. */
  readonly steps_max: number;
}

export type ReceiptInput = Pick<DeviceReceiptInput, 'device_id'>;

/** What came of one look at a receipt. */
export interface ReceiptStep {
  readonly outcome:
    | 'renewed'
    /** It may not be asked for yet, by what it says itself. */
    | 'waiting'
    /** The same by what Apple says. */
    | 'too_early'
    /** Apple knows nothing of the key any more: the last receipt stays. */
    | 'no_data'
    /** Apple takes it for no receipt. */
    | 'refused'
    /** What Apple gave does not hold. */
    | 'unverified'
    /** It cannot be renewed any more. */
    | 'expired'
    /** The device is revoked, or gone. */
    | 'over';
  readonly wait_seconds: number;
}

export const deviceReceiptWorkflowId = (deviceId: string): string => `device-receipt/${deviceId}`;
