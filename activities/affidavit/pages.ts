import {
  styles,
  writeHeading,
  writeMinor,
  writeParagraph,
  writeStep,
  writeText,
} from './blocks.ts';
import type { AffidavitContent } from './content.ts';
import {
  codeText,
  digestText,
  instantText,
  labelOf,
  namesOf,
  providerText,
  resultText,
  stateText,
} from './labels.ts';
import { marksOf } from './marks.ts';
import { qrPath } from './qr.ts';
import {
  colors,
  columnWidth,
  currentLeaf,
  fillBox,
  paper,
  writeArtifact,
  writeMarked,
  type Sheet,
} from './sheet.ts';
import { figureExtra } from './structure.ts';
import { writeFacts, writeTable, type Fact } from './table.ts';

type Section = readonly [title: string, write: (sheet: Sheet, content: AffidavitContent) => void];

/** Writes every section; those that have nothing to say, say so. */
export function writePages(sheet: Sheet, content: AffidavitContent): void {
  writeTop(sheet, content);
  for (const [index, [title, write]] of sections.entries()) {
    writeHeading(sheet, `${index + 1}  ${title}`);
    write(sheet, content);
  }
}

const qrSide = 82;

/** Title, names of the document, and the address of the verifier to point a camera at. */
function writeTop(sheet: Sheet, content: AffidavitContent): void {
  const width = columnWidth - qrSide - 24;
  const top = sheet.y;
  drawQr(sheet, content.verify_url);
  writeText(sheet, content.title, { role: 'H1', style: styles.title, width, linesMax: 2 });
  sheet.y -= 4;
  const names = [
    `Affidavit ${content.affidavit_id}`,
    `Issued ${instantText(content.issued_at)}`,
    content.verify_url,
  ];
  for (const name of names) {
    writeText(sheet, name, { role: 'P', style: styles.label, width, linesMax: 2 });
  }
  sheet.y = Math.min(sheet.y, top - qrSide) - 12;
  writeOutcome(sheet, content);
}

function drawQr(sheet: Sheet, url: string): void {
  const box = { x: paper.width - paper.right - qrSide, y: sheet.y - qrSide, side: qrSide };
  const { context } = sheet.document;
  const bounds = [box.x, box.y, box.x + qrSide, box.y + qrSide];
  const extra = figureExtra(context, `QR code of ${url}`, bounds);
  const figure = sheet.structure.add(sheet.structure.root, 'Figure', extra);
  writeMarked(sheet, figure, qrPath(url, box));
}

/** What it comes to, before anything else is read. */
function writeOutcome(sheet: Sheet, content: AffidavitContent): void {
  const { decision } = content;
  const height = 46;
  const color = decision.outcome === 'passed' ? colors.green : colors.red;
  const box = { x: paper.left, y: sheet.y - height, width: columnWidth, height };
  writeArtifact(currentLeaf(sheet), [
    ...fillBox(box, colors.wash),
    ...fillBox({ ...box, width: 4 }, color),
  ]);
  const bottom = box.y;
  const place = { x: paper.left + 16, width: columnWidth - 32, linesMax: 1 };
  sheet.y -= 5;
  const marks = marksOf(content).map(({ name }) => `${name}: `);
  const outcome = `${marks.join('')}${decision.outcome.toUpperCase()}`;
  writeText(sheet, outcome, {
    ...place,
    role: 'P',
    style: { size: 15, weight: 'bold', color },
  });
  const reason = decision.reason_code === null ? '' : ` Reason: ${codeText(decision.reason_code)}.`;
  const words = `Decided ${instantText(decision.decided_at)}.${reason}`;
  writeText(sheet, words, { ...place, role: 'P', style: styles.small });
  sheet.y = bottom - 2;
}

const sections: readonly Section[] = [
  ['Statement', (sheet, { statement }) => writeParagraphs(sheet, statement)],
  ['Subject', writeSubject],
  ['Requester', writeRequester],
  ['Proofs', writeProofs],
  ['Device', writeDevice],
  ['Timeline', writeTimeline],
  ['Policy and decision', writeDecision],
  ['Keys', writeKeys],
  ['How to verify this document', writeSteps],
  ['Limitations', (sheet, { limitations }) => writeParagraphs(sheet, limitations)],
];

function writeParagraphs(sheet: Sheet, paragraphs: readonly string[]): void {
  for (const paragraph of paragraphs) writeParagraph(sheet, paragraph);
}

const tokenNote = 'signed for other programs in affidavit.json, as verified_claims_token';

function writeSubject(sheet: Sheet, content: AffidavitContent): void {
  const { subject, matching, device, verified_claims_token: token } = content;
  const { full_name: fullName, ...claims } = subject.claims;
  const isNamed = fullName !== undefined;
  writeFacts(sheet, [
    ['Person', subject.poly_user_id ?? 'not enrolled: took part without a device of their own'],
    ['Name', isNamed ? fullName : 'not asked for, not consented to, or not established'],
    ...rowsOf(claims),
    ['Device', device?.device_id ?? null],
    ['Verified claims', token === null ? null : tokenNote],
  ]);
  if (Object.keys(matching).length === 0) return;
  writeMinor(sheet, 'Held against what the requester expected');
  const rows = Object.entries(matching).map(([name, result]) => [labelOf(name), codeText(result)]);
  writeTable(
    sheet,
    [
      { head: 'Claim', width: 200 },
      { head: 'Result', width: 283 },
    ],
    rows,
  );
}

function writeRequester(sheet: Sheet, { requester, consent, session }: AffidavitContent): void {
  writeFacts(sheet, [
    ['Account', requester.account_name],
    ['Account number', String(requester.account_id)],
    ['App', requester.app_name],
    ['App id', requester.app_id],
    ['Purpose', requester.purpose ?? 'none was given'],
    ['Reference', requester.reference_id ?? 'none was given'],
    ['Link', requester.link_uuid],
    ['Link type', codeText(requester.link_type)],
    ['Session', session.link_session_id],
    ['Client', session.client],
    [
      'Consent',
      consent
        ? `given ${instantText(consent.at)} to the terms, version ${consent.tos_version}`
        : 'none is on record',
    ],
    ['Consented claims', consent ? namesOf(consent.claims) : null],
  ]);
}

const proofColumns = [
  { head: 'Proof', width: 84 },
  { head: 'Method', width: 142 },
  { head: 'Result', width: 78 },
  { head: 'Attempts', width: 52 },
  { head: 'Judged', width: 127 },
];

function writeProofs(sheet: Sheet, { proofs }: AffidavitContent): void {
  const summary = proofs.map((proof) => [
    labelOf(proof.type),
    codeText(proof.method),
    codeText(proof.status),
    String(proof.attempts),
    proof.judged_at === null ? 'not judged' : instantText(proof.judged_at),
  ]);
  writeTable(sheet, proofColumns, summary);
  for (const proof of proofs) {
    writeMinor(sheet, `${labelOf(proof.type)}: ${codeText(proof.status)}`);
    writeFacts(sheet, [
      ['Reason', proof.reason_code === null ? null : codeText(proof.reason_code)],
      ['Provider', proof.provider === null ? null : providerText(proof.provider)],
      ['Evidence SHA-256', digestText(proof.evidence_sha256), true],
      ['Evidence form', proof.evidence_form],
      ...checkRows(proof.checks),
      ...rowsOf(proof.facts),
    ]);
  }
}

/** Checks by their result, in the order they were made. */
function checkRows(checks: AffidavitContent['proofs'][0]['checks']): Fact[] {
  const results = [...new Set(checks.map(({ result }) => result))];
  return results.map((result) => {
    const names = checks.filter((check) => check.result === result).map(({ name }) => name);
    return [`Checks ${resultText(result)}`, `${names.join(', ')} (${names.length})`];
  });
}

function writeDevice(sheet: Sheet, { device }: AffidavitContent): void {
  if (!device) return writeParagraph(sheet, 'No enrolled device took part in this check.');
  writeFacts(sheet, [
    ['Device', device.device_id],
    ['Platform', codeText(device.platform)],
    ['Attestation', `${providerText(device.attestation)}: ${codeText(device.verdict)}`],
    ['Enrolled', instantText(device.enrolled_at)],
    ['Revoked', device.revoked_at === null ? null : instantText(device.revoked_at)],
    ['Attested key SHA-256', digestText(device.attested_key_sha256), true],
    ...rowsOf(device.facts),
  ]);
}

function writeTimeline(sheet: Sheet, { timeline, session }: AffidavitContent): void {
  writeParagraph(sheet, `From the event log of workflow ${session.workflow_id}.`);
  const rows = timeline.map(({ at, event, state }) => [instantText(at), event, stateText(state)]);
  const columns = [
    { head: 'Time', width: 126 },
    { head: 'Event', width: 190 },
    { head: 'State after it', width: 167 },
  ];
  writeTable(sheet, columns, rows);
}

function writeDecision(sheet: Sheet, { decision, policy }: AffidavitContent): void {
  writeFacts(sheet, [
    ['Outcome', codeText(decision.outcome)],
    ['Reason', decision.reason_code === null ? null : codeText(decision.reason_code)],
    ['Decided', instantText(decision.decided_at)],
    ['Decided by', decidedBy(decision)],
    ['Level', decision.level === null ? null : codeText(decision.level)],
    ['Rule', decision.rule === null ? null : codeText(decision.rule)],
    ['Policy', `${policy.framework}, version ${policy.version}`],
    ...rowsOf(policy.rules),
  ]);
}

function decidedBy({ reviewed, reviewer }: AffidavitContent['decision']): string {
  if (!reviewed) return 'the rules alone';
  const who = reviewer === null ? 'a reviewer' : `the reviewer ${reviewer}`;
  return `${who}, after the rules had not`;
}

const keyNote =
  'SHA-256 fingerprints of certificates; of a key of the subject, its thumbprint (RFC 7638).';

function writeKeys(sheet: Sheet, { keys }: AffidavitContent): void {
  writeParagraph(sheet, keyNote);
  writeFacts(sheet, [
    ['Seal certificate', digestText(keys.seal_sha256), true],
    ['Time-stamp certificate', digestText(keys.tsa_sha256), true],
    ['Root certificate', digestText(keys.root_sha256), true],
    ['Key of the subject', keys.subject_kid, true],
  ]);
}

function writeSteps(sheet: Sheet, { how_to_verify: steps }: AffidavitContent): void {
  for (const { text, command } of steps) writeStep(sheet, text, command);
}

function rowsOf(table: Readonly<Record<string, string>>): Fact[] {
  return Object.entries(table).map(([name, value]) => [labelOf(name), codeText(value)]);
}
