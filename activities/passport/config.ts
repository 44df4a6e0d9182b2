import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { devTrustConfig } from '../config.ts';
import { createCscaStore, parseMasterList, type CscaStore } from './master-list.ts';

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
