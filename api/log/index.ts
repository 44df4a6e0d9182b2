import { family } from '../http/contract.ts';
import { checkpoint } from './checkpoint.ts';
import { publicLogContracts } from './contract.ts';
import { jwks } from './jwks.ts';
import { proof } from './proof.ts';
import { tile } from './tile.ts';

export const log = family('log', publicLogContracts, { checkpoint, tile, proof, jwks });
