export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Names the message over retries. */
  readonly idempotencyKey: string;
}

/** Sends mail. */
export interface Mailer {
  /**
   * Sends one message, at least once. Throws `mail_rejected` when the provider will never take it,
   * `dependency_unavailable` otherwise.
   */
  send(mail: Mail): Promise<{ readonly messageId: string }>;
}
