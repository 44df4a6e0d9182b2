import { family } from '../http/contract.ts';
import { connect } from './consent/connect.ts';
import { consentContracts } from './consent/contract.ts';
import { disconnect } from './consent/disconnect.ts';
import { redirect } from './consent/redirect.ts';
import { meetingContracts } from './contract.ts';
import { getByLink } from './get-by-link.ts';
import { get } from './get.ts';
import { botHook } from './hooks/bot-hook.ts';
import { hookContracts } from './hooks/contract.ts';
import { confirmHook, eventHook } from './hooks/event-hook.ts';
import { loaded } from './hooks/hooks.ts';
import { play } from './play.ts';
import { start } from './start.ts';

/** The older paths are rows of the table that share a handler. */
export const meetings = family(
  'meetings',
  { ...meetingContracts, ...hookContracts, ...consentContracts },
  {
    start,
    startConfA: start,
    startConfB: start,
    get,
    getByLink,
    play,
    confirmHook,
    eventHook,
    botHook,
    loaded,
    connect,
    redirect,
    disconnect,
  },
);
