import { family } from '../http/contract.ts';
import { challenge } from './challenge.ts';
import { proofContracts } from './contract.ts';

export const proofs = family('proofs', proofContracts, { challenge });
