import type { Client } from '@temporalio/client';
import { startOfCalendarConnection } from '../../../activities/calendar/start.ts';
import type { Db } from '../../../db/client.ts';
import {
  calendarConnectionsChannel,
  listUnsignaledCalendars,
  markCalendarSignaled,
  type CalendarConnectionRow,
} from '../../../db/queries/calendar-connections.ts';
import { changedSignal } from '../../../workflows/calendar-connection/messages.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

/** Signals the connection's workflow after consent, starting it if it is not running. */
export function calendarSignals(
  deps: DispatchDeps & { readonly db: Db; readonly client: Client },
): Outbox {
  const unsignaled = {
    list: (lengthMax: number, without: readonly string[]) =>
      listUnsignaledCalendars(deps.db, lengthMax, without),
    idOf: ({ connection_id }: CalendarConnectionRow) => connection_id,
    start: (row: CalendarConnectionRow) =>
      deps.client.workflow.signalWithStart('calendarConnection', {
        ...startOfCalendarConnection(row),
        signal: changedSignal,
        signalArgs: [],
      }),
    mark: (row: CalendarConnectionRow) => markCalendarSignaled(deps.db, row),
  };
  return {
    channel: calendarConnectionsChannel,
    countedAs: 'calendars',
    drain: (signal) => dispatchOutbox(unsignaled, deps, signal),
  };
}
