import { z } from 'zod';
import { calendarIntents } from '../../domain/names.ts';
import { calendarConnectionStates } from '../../workflows/calendar-connection/state.ts';
import { calendarFlowStates, type CalendarDenial } from '../../workflows/calendar-oauth/state.ts';
import { accountPath } from '../accounts/schemas.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';

const { account_id } = accountPath.shape;
const timestamp = z.iso.datetime();
const answerText = (max: number) => z.string().max(max).optional();

export const startQuery = z.object({
  intent: z
    .enum(calendarIntents)
    .describe(
      '`organizer`: the caller’s own calendar; `routing`: an address that is invited to meetings',
    ),
  account_id: account_id.optional().describe('The account; else that of the credential'),
  shared: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('A routing address of all accounts, which a POLYADMIN connects'),
  return_to: z
    .string()
    .min(1)
    .max(2048)
    .optional()
    .describe(
      'Where the browser is led in the end: a path here, or an origin of the account’s apps',
    ),
});

export const startBody = z
  .object({
    authorize_url: z.string().describe('Where the browser is to be led for consent'),
    expires_at: timestamp.describe('Until when it may come back'),
  })
  .meta({ id: 'CalendarStart' });

export const routingQuery = z.object({ account_id, ...pageQuery });

export const routingAddress = z
  .object({
    connection_id: z.string(),
    account_id: z.int().nullable().describe('Null for one that all accounts share'),
    shared: z.boolean(),
    address: z.string().describe('What is invited to meetings'),
    status: z.enum(calendarConnectionStates),
    connected_by: z.string().describe('Who, or which API key, has connected it'),
    connected_at: timestamp.describe('When it was consented to last'),
    refreshed_at: timestamp.nullable().describe('When the provider has last confirmed it'),
  })
  .meta({ id: 'RoutingAddress' });

export const routingBody = pageBody(routingAddress).meta({ id: 'RoutingAddressList' });

/** Other parameters depend on the provider and are ignored. */
export const callbackQuery = z.object({
  code: answerText(4_096).describe('What is exchanged for a grant'),
  state: answerText(512).describe('By which the flow is known'),
  error: answerText(256).describe('Why there is no code (RFC 6749 §4.1.2.1)'),
  iss: answerText(2_048).describe('Who answers (RFC 9207)'),
});

/** The results of a flow, for the page that the person returns to. */
export const calendarResults = [...calendarFlowStates, 'pending'] as const;
export type CalendarResult = (typeof calendarResults)[number];
export type CalendarReason = CalendarDenial;

/** A connection in an event. */
export const calendarEventObject = z.object({
  connection_id: z.string(),
  account_id: z.int(),
  intent: z.enum(calendarIntents),
  status: z.enum(calendarConnectionStates),
  poly_user_id: z.string().nullable().describe('Whose it is, or who has connected it'),
  connected_at: timestamp,
  disconnected_at: timestamp.nullable(),
  sequence: z.int(),
});
