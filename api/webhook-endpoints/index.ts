import { family } from '../http/contract.ts';
import { webhookEndpointContracts } from './contract.ts';
import { create } from './create.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';
import { rotateSecret } from './rotate-secret.ts';
import { test } from './test.ts';
import { update } from './update.ts';

export const webhookEndpoints = family('webhook-endpoints', webhookEndpointContracts, {
  create,
  list,
  get,
  update,
  remove,
  rotateSecret,
  test,
});
