/** A thread ended before its task was done, by itself or because the task took too long. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost';
  /** Whether the task took too long, which can happen to any task on a busy machine. */
  readonly isLate: boolean;

  constructor(message: string, { cause, isLate }: { cause: unknown; isLate: boolean }) {
    super(message, { cause });
    this.isLate = isLate;
  }
}
