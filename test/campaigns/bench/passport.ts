import { schemeOf, verifyBytes, hashOf } from '../../../domain/pki/x509/algorithms.ts';
import { readSod } from '../../../domain/proofs/passport/data/sod.ts';
import {
  createCscaStore,
  joinCscaStores,
} from '../../../domain/proofs/passport/signer/master-list.ts';
import { verifyEmrtd } from '../../../domain/proofs/passport/verify-emrtd.ts';
import { createDevCsca } from '../../../simulator/roots/passport.ts';
import { at, bytes, germanList, vector } from '../../support/fixtures/passports/fixtures.ts';
import { judgedDevices } from './devices.ts';
import type { Bench, BenchContext } from './measure/bench.ts';
import type { BenchResult, Measure } from './measure/judge.ts';
import { alternate } from './measure/rounds.ts';
import { median } from './measure/statistics.ts';

/**
 * P8: judging evidence of passports and phones, each kind compared with one bare verification of a
 * signature in it. An EF.SOD is judged with 1,000 CSCAs loaded.
 */
export const passport: Bench = { id: 'P8', rounds: 9, run };

const cscas = 1_000;
const timesEach = 20;
const goalMs = 10;

async function run({ pace }: BenchContext): Promise<BenchResult> {
  const published = germanList();
  const others = Array.from({ length: cscas - published.size }, (_, index) => {
    return createDevCsca(at, { commonName: `CSCA ${index}` }).certificate;
  });
  const cscaStore = joinCscaStores([published, createCscaStore(others)]);
  const vectors: { country: string; sod: string }[] = JSON.parse(
    vector('nfc-sod.json').toString(),
  ).vectors;
  const sods = vectors.filter(({ country }) => country !== 'ID').map(({ sod }) => bytes(sod));
  const judge = (sod: Uint8Array) => () =>
    verifyEmrtd({ cscaStore }, { sod, dataGroups: {} }, at).facts['csca_subject'] !== null;
  const [floors, candidates] = [sods.map(bareVerification), sods.map(judge)];
  const seen = await alternate(
    { floor: async () => msEach(floors), candidate: async () => msEach(candidates) },
    pace,
  );
  const phones: Measure[] = [];
  for (const { name, goalMs: max, floors: bare, candidates: judged } of judgedDevices()) {
    const sides = await alternate(
      { floor: async () => msEach(bare), candidate: async () => msEach(judged) },
      pace,
    );
    phones.push({ name, unit: 'ms', ...sides, goal: { of: 'candidate', max } });
  }
  return {
    id: 'P8',
    title: 'evidence',
    extent: `${seen.floor.length} rounds, ${timesEach} times ${sods.length} real EF.SODs; phones too`,
    measures: [
      {
        name: 'EF.SOD',
        unit: 'ms',
        ...seen,
        goal: { of: 'candidate', max: goalMs },
      },
      ...phones,
    ],
    counts: [{ name: 'CSCAs loaded', value: cscaStore.size }],
  };
}

/** Returns a function that verifies only the signature over the signed attributes. */
function bareVerification(file: Uint8Array): () => boolean {
  const { signed, signer } = readSod(file);
  const { attributes, digestAlgorithm, signatureAlgorithm, signature } = signed.signer;
  const scheme = schemeOf(signatureAlgorithm, hashOf(digestAlgorithm));
  const key = signer?.publicKey() ?? null;
  const covered = Uint8Array.from(attributes?.whole ?? []);
  covered[0] = 0x31;
  return () => scheme !== null && verifyBytes(scheme, key, covered, signature);
}

/** Returns the median time of the functions, each of which must return true. */
function msEach(works: readonly (() => boolean)[]): number {
  const times = works.flatMap((work) =>
    Array.from({ length: timesEach }, () => {
      const begin = performance.now();
      if (!work()) throw new Error('evidence that must hold does not');
      return performance.now() - begin;
    }),
  );
  return median(times);
}
