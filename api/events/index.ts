import { family } from '../contract.ts';
import { eventContracts } from './contract.ts';
import * as endpoints from './endpoints.ts';
import { get, list } from './list.ts';
import { testEndpoint } from './test-endpoint.ts';

export const events = family('events', eventContracts, { list, get, testEndpoint, ...endpoints });
