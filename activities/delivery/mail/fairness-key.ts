/**
 * Returns the fairness key of a workflow that sends mail. Its activities inherit it. Temporal
 * serves the keys of a queue in turn, so one sender cannot delay the mails of others.
 * @param sender an id without personal data; the key must have at most 64 bytes, a limit of
 *   Temporal
 */
export const fairnessKeyOf = (kind: 'account' | 'attach' | 'login', sender: string): string =>
  `${kind}/${sender}`;
