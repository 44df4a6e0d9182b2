import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { devTrustConfig } from '../config.ts';
import { openCountryCrls, type CountryCrls } from './country-crls.ts';
import { createCscaStore, joinCscaStores, parseMasterList, type CscaStore } from './master-list.ts';

/** The States whose passports are taken. */
export interface PassportTrust {
  /** Those of the signed master list. */
  readonly published: CscaStore;
  /** The simulator's own, told apart in whatever is judged by it. */
  readonly development: CscaStore;
}

/**
 * Loads the country signing certificates passports are held against, once at start: the signed
 * master list, and in development the simulator's own State beside it.
 * Throws one line that names the setting at fault.
 */
export function loadPassportTrust(
  config: Pick<z.output<typeof devTrustConfig>, 'CSCA_MASTER_LIST' | 'CSCA_MASTER_LIST_ROOT'>,
  devCscaPem: string | null,
): PassportTrust {
  const { CSCA_MASTER_LIST: list, CSCA_MASTER_LIST_ROOT: root } = config;
  if ((list === undefined) !== (root === undefined)) {
    throw new Error('CSCA_MASTER_LIST and CSCA_MASTER_LIST_ROOT: set both or none');
  }
  const published =
    list && root
      ? parseMasterList(readFileSync(list), new X509Certificate(readFileSync(root)).raw)
      : createCscaStore([]);
  const simulated = devCscaPem ? [new X509Certificate(devCscaPem).raw] : [];
  return { published, development: createCscaStore(simulated) };
}

/**
 * Opens the directory of CRLs that document signers are looked up in; null when none is set.
 * Throws one line that names the setting at fault.
 */
export async function loadCountryCrls(
  config: Pick<z.output<typeof devTrustConfig>, 'CSCA_CRLS' | 'CSCA_CRLS_REQUIRED'>,
  { published, development }: PassportTrust,
  { clock, log }: { readonly clock: () => Date; readonly log: Logger },
): Promise<{ readonly crls: CountryCrls | null; readonly isCrlRequired: boolean }> {
  const { CSCA_CRLS: directory, CSCA_CRLS_REQUIRED } = config;
  const isCrlRequired = CSCA_CRLS_REQUIRED === 'yes';
  if (directory === undefined) {
    if (isCrlRequired) throw new Error('CSCA_CRLS_REQUIRED: needs CSCA_CRLS');
    return { crls: null, isCrlRequired };
  }
  const cscaStore = joinCscaStores([published, development]);
  try {
    return { crls: await openCountryCrls({ directory, cscaStore, clock, log }), isCrlRequired };
  } catch (cause) {
    throw new Error('CSCA_CRLS: not a directory that can be read', { cause });
  }
}
