/**
 * The fairness key of a workflow that sends mail; its activities inherit it. Temporal serves the
 * keys of a queue in turn, so that many mails of one sender delay no mail of another.
 * @param sender an id without personal data; both parts together at most 64 bytes, as Temporal asks
 */
export const fairnessKeyOf = (kind: 'account' | 'attach' | 'login', sender: string): string =>
  `${kind}/${sender}`;
