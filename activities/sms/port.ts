/** Sends text messages. */
export interface SmsSender {
  /**
   * Sends one message, at least once.
   * @param message `to` in E.164; the key names the message over retries
   * Throws `sms_rejected` when the number cannot be reached, `dependency_unavailable` otherwise.
   */
  send(message: {
    readonly to: string;
    readonly text: string;
    readonly idempotencyKey: string;
  }): Promise<{ readonly messageId: string }>;
}
