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
      '`organizer`: the caller’s own calendar; `routing`: an address that is invited to ' +
        'meetings',
    ),
  account_id: account_id.optional().describe('The account; that of the credential by default'),
  shared: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('Whether to connect a routing address of all accounts; POLYADMIN only'),
  return_to: z
    .string()
    .min(1)
    .max(2048)
    .optional()
    .describe(
      'Where the browser goes at the end: a path here, or a URL at an allowed origin of ' +
        'the account’s apps',
    ),
});

export const startBody = z
  .object({
    authorize_url: z.string().describe('Consent URL to open in the browser'),
    expires_at: timestamp.describe('When the flow expires'),
  })
  .meta({ id: 'CalendarStart' });

export const routingQuery = z.object({ account_id, ...pageQuery });

export const routingAddress = z
  .object({
    connection_id: z.string(),
    account_id: z
      .int()
      .nullable()
      .describe('Account of the address; null if all accounts share it'),
    shared: z.boolean(),
    address: z.string().describe('Address that is invited to meetings'),
    status: z.enum(calendarConnectionStates),
    connected_by: z.string().describe('ID of the person or API key that connected it'),
    connected_at: timestamp.describe('Time of the last consent'),
    refreshed_at: timestamp.nullable().describe('When the provider last confirmed it'),
  })
  .meta({ id: 'RoutingAddress' });

export const routingBody = pageBody(routingAddress).meta({ id: 'RoutingAddressList' });

/** Other parameters depend on the provider and are ignored. */
export const callbackQuery = z.object({
  code: answerText(4_096).describe('Authorization code'),
  state: answerText(512).describe('State of the flow'),
  error: answerText(256).describe('Error code if there is no code (RFC 6749 §4.1.2.1)'),
  iss: answerText(2_048).describe('Issuer of the response (RFC 9207)'),
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
  poly_user_id: z
    .string()
    .nullable()
    .describe('Owner of the calendar, or the person or API key that connected it'),
  connected_at: timestamp,
  disconnected_at: timestamp.nullable(),
  sequence: z.int(),
});
