/**
 * What is known of the mail that carries a link, from the least to the last word on it. Reports
 * come late, twice and in any order: whatever stands later here counts, whenever it comes. What was
 * not sent on (`failed`) may be one copy of two; what was delivered can still be sent back, and
 * only what was delivered can be called spam.
 */
export const deliveryStates = [
  'queued',
  'sent',
  'deferred',
  'failed',
  'delivered',
  'blocked',
  'bounced',
  'complained',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** What a report can say; all but `deferred` is worth no more waiting. */
export type ReportedState = Exclude<DeliveryState, 'queued' | 'sent'>;

/** The states that give way to a state. */
export function statesBefore(state: DeliveryState): readonly DeliveryState[] {
  return deliveryStates.slice(0, deliveryStates.indexOf(state));
}

/** The furthest of these states beyond what is known; null where none is. */
export function furthest<State extends DeliveryState>(
  states: readonly State[],
  known: DeliveryState,
): State | null {
  const beyond = states.filter((state) => statesBefore(state).includes(known));
  return beyond.toSorted((a, b) => statesBefore(b).length - statesBefore(a).length)[0] ?? null;
}
