import type { EvidenceFile } from './enrollment.ts';

/** The bits as we have a vendor keep them. */
export interface WrittenBits {
  readonly known: true;
  readonly flagged: boolean;
}

/** One call about one phone. */
export interface RecallCall {
  /** What the phone was enrolled by, which says of which app and environment it is. */
  readonly enrollment: readonly EvidenceFile[];
  /** Names the phone to its vendor. */
  readonly token: string;
  /** The same for each attempt at this call: a UUID. */
  readonly transactionId: string;
}

/** What a vendor keeps of a phone across installs: Apple's two bits, Play's device recall. */
export interface DeviceRecall {
  /**
   * What the vendor says, as `readRecall` takes it; null where it takes the token for none. Throws
   * `platform_not_configured` where it refuses our key, and `dependency_unavailable`.
   */
  readBits(call: RecallCall): Promise<string | null>;
  /** False where the vendor takes the token for none. Throws as `readBits`. */
  writeBits(call: RecallCall, bits: WrittenBits): Promise<boolean>;
}
