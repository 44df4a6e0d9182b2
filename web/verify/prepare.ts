// Before anything else is loaded: what the page forbids is not tried, and nothing is written to the
// console, which the parser of PDF tells what it meets.
import { config } from 'zod';
import { nameLacks } from './buffer.ts';

declare const nodeBuffer: { readonly statics: string[]; readonly members: string[] };

config({ jitless: true });
nameLacks(nodeBuffer.statics, nodeBuffer.members);
for (const level of ['debug', 'error', 'info', 'log', 'warn'] as const) {
  console[level] = () => undefined;
}
