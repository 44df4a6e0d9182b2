/** A thread ended before its task did, of itself or since that took too long. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost';
  /** It took too long, which a busy machine does to anything. */
  readonly isLate: boolean;

  constructor(message: string, { cause, isLate }: { cause: unknown; isLate: boolean }) {
    super(message, { cause });
    this.isLate = isLate;
  }
}
