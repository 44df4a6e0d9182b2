import { family } from '../contract.ts';
import { botHook } from './bot-hook.ts';
import { connect } from './connect.ts';
import { consentContracts } from './consent-contract.ts';
import { meetingContracts } from './contract.ts';
import { disconnect } from './disconnect.ts';
import { confirmHook, eventHook } from './event-hook.ts';
import { get } from './get.ts';
import { getByLink } from './get-by-link.ts';
import { hookContracts } from './hook-contract.ts';
import { loaded } from './hooks.ts';
import { play } from './play.ts';
import { redirect } from './redirect.ts';
import { start } from './start.ts';

/** The older addresses are rows of the table that point at the same behaviour. */
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
