import { isDeepStrictEqual } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import {
  filesOf,
  openClaims,
  openFiles,
} from '../../../../activities/proofs/evidence/evidence-repository.ts';
import { imageReaders } from '../../../../activities/proofs/image-readers.ts';
import type { Db } from '../../../../db/client.ts';
import { createSealer } from '../../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../../db/sealing/wrapper.ts';
import { evidenceHashOf } from '../../../../domain/evidence/binding.ts';
import type { File } from '../../../../domain/evidence/images.ts';
import { parseEvidence } from '../../../../domain/judging/files.ts';
import { judgeAnyEvidence } from '../../../../domain/judging/judge.ts';
import { verdictHashOf, type Verdict } from '../../../../domain/proofs/verdict.ts';
import { openTestDb } from '../harness.ts';

interface JudgedRow {
  readonly submission_id: string;
  readonly account_id: number;
  readonly outcome: string;
  readonly reason_code: string | null;
  readonly evidence_hash: string;
  readonly checks: Verdict['checks'];
  /** Position in the order of judging, which PostgreSQL returns as text. */
  readonly place: string;
}

/** The input of one of several threads. Each judges its share. */
export interface Share {
  readonly databaseUrl: string;
  readonly secrets: { readonly dataKeys: Uint8Array; readonly blindIndex: Uint8Array };
  readonly number: number;
  readonly of: number;
}

/** A small page, because the evidence of a passport is large. */
const pageRows = 50;

/**
 * Judges the share's evidence again, from the files that an auditor receives. Returns the
 * differences.
 */
async function faultsOfShare(share: Share): Promise<string[]> {
  const db = openTestDb(share.databaseUrl);
  try {
    const [dataKeys, blindIndex] = [share.secrets.dataKeys, share.secrets.blindIndex];
    const sealer = createSealer(db, masterWrapper(Buffer.from(dataKeys)), Buffer.from(blindIndex));
    const faults: string[] = [];
    let last = 0;
    for (;;) {
      const rows = await readPage(db, last, share);
      for (const row of rows) {
        const { account_id: accountId, submission_id: submissionId } = row;
        const stored = await openFiles({ db, sealer }, { accountId, submissionId });
        if (imageForm.test(JSON.stringify(stored))) {
          faults.push(`${submissionId} has its images with the rest`);
        }
        const files: File[] = [];
        for await (const file of filesOf({ db, sealer }, { accountId, submissionId })) {
          if (file) files.push(file);
        }
        const kept = await openClaims({ db, sealer }, { accountId, submissionId });
        faults.push(...(await faultsOf(row, files, kept?.verdicts)));
      }
      last = Number(rows.at(-1)?.place ?? last);
      if (rows.length < pageRows) break;
    }
    return faults;
  } finally {
    await db.end();
  }
}

/**
 * Orders by proof and distributes rows in turn. Photographs and faces take longest, so each thread
 * gets as many of them.
 */
async function readPage(db: Db, last: number, { number, of }: Share): Promise<JudgedRow[]> {
  const { rows } = await db.query<JudgedRow>(
    `SELECT * FROM (
       SELECT submission_id, account_id, outcome, p.reason_code, evidence_hash,
         p.verdict->'checks' AS checks, row_number() OVER (ORDER BY proof, submission_id) AS place
       FROM proof_submissions p JOIN trust_checks USING (link_session_id)
       WHERE evidence_hash IS NOT NULL AND evidence_sealed IS NOT NULL
     ) AS kept
     WHERE place > $1 AND place % $3 = $4 ORDER BY place LIMIT $2`,
    [last, pageRows, of, number],
  );
  return rows;
}

/** Start of a JPEG, PNG or WebP in base64. */
const imageForm = /"(?:\/9j\/|iVBORw0KGgo|UklGR)/;
const notRepeatable = 'not_repeatable';
const outcomes = { passed: 'passed', failed: 'rejected', inconclusive: 'unsure' } as const;

async function faultsOf(
  row: JudgedRow,
  files: readonly File[],
  before: readonly string[] = [],
): Promise<string[]> {
  const isBound = evidenceHashOf(files) === row.evidence_hash;
  if (files.some(({ removed }) => removed)) {
    // The remaining files cannot lead to the same verdict. They are still bound by the hash.
    const isHeld = files.every((file) => parseEvidence(file).fault === null);
    return isBound && isHeld ? [] : [`${row.submission_id} is not the rest of what was hashed`];
  }
  const verdicts = await Promise.all(files.map((file) => judgeAnyEvidence(file, imageReaders)));
  const failed = verdicts.find(({ verdict }) => verdict === 'failed');
  const bad = failed ?? verdicts.find(({ verdict }) => verdict !== 'passed') ?? verdicts[0];
  const again = bad && [outcomes[bad.verdict], bad.reason_code];
  // The evidence records that a code was entered. It contains nothing to judge again.
  const expected = bad?.kind === 'sms-code' ? ['unsure', notRepeatable] : judgedBefore(row, files);
  const isSame = isDeepStrictEqual(again, expected);
  const checks = verdicts.map((verdict) => verdict.checks);
  const isExplained =
    bad?.kind === 'sms-code' || checks.some((each) => isDeepStrictEqual(each, row.checks));
  // The record of a code has no verdict to compare.
  const judged = bad?.kind === 'sms-code' ? [] : verdicts;
  const differing = judged.filter((each, index) => verdictHashOf(each) !== before[index]);
  const faults = [
    isBound ? null : 'is not what was hashed',
    isSame ? null : `was ${row.outcome} (${row.reason_code}), is ${String(again)}`,
    isExplained ? null : 'has other checks',
    before.length === judged.length ? null : `had ${before.length} verdicts of its files`,
    ...differing.map((each) => `has another verdict of its file: ${JSON.stringify(each)}`),
  ];
  return faults.flatMap((fault) => (fault ? [`${row.submission_id} ${fault}`] : []));
}

/**
 * Returns the expected result. Pictures of a suspect camera pass when judged again, because the
 * signals are not judged.
 */
function judgedBefore({ outcome, reason_code }: JudgedRow, files: readonly File[]) {
  const isDoubted = files.some(({ capture_signals: signals }) => signals !== undefined);
  const hasPassed = isDoubted && reason_code === 'camera_suspect';
  return hasPassed ? ['passed', null] : [outcome, reason_code];
}

parentPort?.postMessage(await faultsOfShare(workerData as Share), []);
