import { z } from 'zod';
import { recoveryStates } from '../../domain/identity/recovery-names.ts';
import { eventTypes, type EventType } from '../../workflows/events.ts';
import { deliveryStates } from '../../workflows/link-invitation/state.ts';
import { proofStates, proofTypes } from '../../workflows/proofs.ts';
import { calendarEventObject } from '../calendar/schemas.ts';
import { linkBody } from '../links/schemas.ts';
import { meetingEventObject, participantEventObject } from '../meetings/schemas.ts';
import { eventBody } from '../trust-checks/schemas/events.ts';
import { sessionBody } from '../trust-checks/schemas/schemas.ts';

/** The form of an event's `data.object`. Documents share the schema between types by its name. */
export interface EventObject {
  readonly name: string;
  readonly schema: z.ZodObject;
}

export type EventFamily<T = EventType> = T extends `${infer Family}.${string}` ? Family : never;

/** Events have no personal data: they omit titles and claims. */
const linkSchema = linkBody.omit({ url: true, title: true, metadata: true, qr_svg_url: true });
const sessionSchema = sessionBody.omit({ claims: true });

const link: EventObject = { name: 'LinkEventObject', schema: linkSchema };
const linkDelivery: EventObject = {
  name: 'LinkDeliveryEventObject',
  schema: linkSchema.extend({ delivery_status: z.enum(deliveryStates) }),
};
const session: EventObject = { name: 'TrustCheckEventObject', schema: sessionSchema };
const proof: EventObject = {
  name: 'ProofEventObject',
  schema: sessionSchema.extend({
    proof: z.enum(proofTypes),
    proof_status: z.enum(proofStates),
  }),
};

const identity: EventObject = {
  name: 'IdentityEventObject',
  schema: z.object({
    poly_user_id: z.string().describe('The person whose identity changed'),
    identity_id: z.int().optional().describe('The login email, in `identity.email_*`'),
    adopted_poly_user_id: z
      .string()
      .optional()
      .describe('Person that was merged into this one, in `identity.merged`'),
    merged_poly_user_id: z
      .string()
      .optional()
      .describe('Person that was merged with the address, in `identity.email_linked`'),
    recovery_id: z.string().optional().describe('The recovery, in `identity.recovery_updated`'),
    recovery_status: z
      .enum(recoveryStates)
      .optional()
      .describe('The new state of the recovery, in `identity.recovery_updated`'),
  }),
};

const meeting: EventObject = { name: 'MeetingEventObject', schema: meetingEventObject };
const meetingParticipant: EventObject = {
  name: 'MeetingParticipantEventObject',
  schema: meetingEventObject.extend({ participant: participantEventObject }),
};

const calendar: EventObject = { name: 'CalendarEventObject', schema: calendarEventObject };

/**
 * By the first word of the type. `null` means that no code emits the family yet. A test requires an
 * object for every emitted family.
 */
const objects: Readonly<Record<EventFamily, EventObject | null>> = {
  link,
  trust_check: session,
  proof,
  affidavit: session,
  meeting,
  call: null,
  identity,
  calendar,
};

export function familyOfEvent(type: EventType): EventFamily {
  return type.slice(0, type.indexOf('.')) as EventFamily;
}

/** Returns the object of an event's `data`; null for a type that is not emitted yet. */
export function objectOfEvent(type: EventType): EventObject | null {
  if (type === 'link.delivery_updated') return linkDelivery;
  if (type.startsWith('meeting.participant_')) return meetingParticipant;
  return objects[familyOfEvent(type)];
}

/** Returns the schema of an event's body, as sockets, webhooks and the event list carry it. */
export function bodyOfEvent(type: EventType): z.ZodObject {
  const object = objectOfEvent(type)?.schema ?? z.record(z.string(), z.unknown());
  return eventBody.extend({ type: z.literal(type), data: z.object({ object }) });
}

export const eventObjects: readonly EventObject[] = [
  ...new Set(eventTypes.map(objectOfEvent).filter((object) => object !== null)),
];
