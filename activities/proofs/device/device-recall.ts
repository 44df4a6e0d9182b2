import type { EvidenceFile } from './enrollment.ts';

/** The bits that we store at a vendor. */
export interface WrittenBits {
  readonly known: true;
  readonly flagged: boolean;
}

/** One call about one device. */
export interface RecallCall {
  /** Evidence of the enrollment, which names the app and its environment. */
  readonly enrollment: readonly EvidenceFile[];
  /** Identifies the device to its vendor. */
  readonly token: string;
  /** A UUID, the same for each attempt at this call. */
  readonly transactionId: string;
}

/** Data that a vendor keeps of a device across installs: Apple's two bits, Play's device recall. */
export interface DeviceRecall {
  /**
   * Returns the vendor's response, as `readRecall` parses it; null where the token is invalid.
   * @throws Failure `platform_not_configured` when the vendor rejects our key, and
   * `dependency_unavailable`
   */
  readBits(call: RecallCall): Promise<string | null>;
  /** Returns false where the token is invalid. Throws like `readBits`. */
  writeBits(call: RecallCall, bits: WrittenBits): Promise<boolean>;
}
