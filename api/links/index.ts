import { family } from '../contract.ts';
import { complete, completeById } from './complete.ts';
import { linkContracts } from './contract.ts';
import { create, createByType, createImport, createInvite } from './create.ts';
import { firstRun } from './first-run.ts';
import { list, listConfB, listInvites, listMeetings, listMeetingsOfPlatform } from './list.ts';
import { linkListContracts } from './list-contracts.ts';
import { details, preview, previewById } from './preview.ts';
import { raw } from './raw.ts';
import { remove, removeById } from './remove.ts';
import { send } from './send.ts';
import { success, successByApp } from './success.ts';
import { ticket, ticketOfLink } from './ticket.ts';
import { update, updateById } from './update.ts';
import { linkVisitorContracts } from './visitor-contracts.ts';

const contracts = { ...linkContracts, ...linkListContracts, ...linkVisitorContracts };

/** Aliases are rows of the table that point at the same behaviour. */
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
