import proto from '@temporalio/proto';

const { EventType } = proto.temporal.api.enums.v1;

/** Events that are one action each (Temporal Cloud: what an action is). */
const single: ReadonlySet<number> = new Set([
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
  EventType.EVENT_TYPE_TIMER_STARTED,
  EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
  EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
]);
const childActions = 2;

/**
 * Actions as Temporal Cloud counts them, read off a history. All markers of one workflow task are
 * one; a child is two.
 */
export function countActions(
  events: readonly { readonly eventType?: number | null }[],
): number {
  let actions = 0;
  let hasMarker = false;
  for (const { eventType } of events) {
    if (eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED) hasMarker = false;
    if (eventType === EventType.EVENT_TYPE_MARKER_RECORDED && !hasMarker) {
      hasMarker = true;
      actions += 1;
    }
    if (eventType && single.has(eventType)) actions += 1;
    if (eventType === EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED) {
      actions += childActions;
    }
  }
  return actions;
}
