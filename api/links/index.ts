import { family } from '../http/contract.ts';
import { complete, completeById } from './complete.ts';
import { linkContracts } from './contract.ts';
import { create, createByType, createImport, createInvite } from './create.ts';
import { linkListContracts } from './read/list-contracts.ts';
import { list, listConfB, listInvites, listMeetings, listMeetingsOfPlatform } from './read/list.ts';
import { raw } from './read/raw.ts';
import { remove, removeById } from './remove.ts';
import { send } from './send.ts';
import { update, updateById } from './update.ts';
import { linkVisitorContracts } from './visitor/contracts.ts';
import { firstRun } from './visitor/first-run.ts';
import { details, preview, previewById } from './visitor/preview.ts';
import { success, successByApp } from './visitor/success.ts';
import { ticket, ticketOfLink } from './visitor/ticket.ts';

const contracts = { ...linkContracts, ...linkListContracts, ...linkVisitorContracts };

/** Aliases are rows of the table that share a handler. */
export const links = family('links', contracts, {
  createByType,
  createInvite,
  createImport,
  create,
  createShort: create,
  send,
  remove,
  removeByApp: remove,
  removeById,
  update,
  updateByApp: update,
  updateById,
  complete,
  completeById,
  raw,
  preview,
  previewById,
  details,
  list,
  listMeetings,
  listMeetingsOfPlatform,
  listConfB,
  listInvites,
  firstRun,
  success,
  successByApp,
  ticket,
  ticketOfLink,
});
