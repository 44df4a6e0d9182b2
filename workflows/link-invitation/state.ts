/**
 * Delivery states of the mail with a link, in order of precedence. Reports come late, twice and in
 * any order; a later state in this list wins, whenever its report comes. `failed` may concern one
 * copy of two. A delivered mail can still bounce, and only a delivered mail can be reported as
 * spam.
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

/**
 * States that a report can carry. After any of them except `deferred` the workflow waits no longer.
 */
export type ReportedState = Exclude<DeliveryState, 'queued' | 'sent'>;

/** Returns the states that this state replaces. */
export function statesBefore(state: DeliveryState): readonly DeliveryState[] {
  return deliveryStates.slice(0, deliveryStates.indexOf(state));
}

/** Returns the latest of these states that follows `known`, or null if there is none. */
export function furthest<State extends DeliveryState>(
  states: readonly State[],
  known: DeliveryState,
): State | null {
  const beyond = states.filter((state) => statesBefore(state).includes(known));
  return beyond.toSorted((a, b) => statesBefore(b).length - statesBefore(a).length)[0] ?? null;
}
