import {
  leading,
  styles,
  writeHeading,
  writeMinor,
  writeParagraph,
  writeStep,
  writeText,
} from '../../pdf/layout/blocks.ts';
import {
  codeText,
  digestText,
  instantText,
  labelOf,
  namesOf,
  providerText,
  stateText,
} from '../../pdf/layout/labels.ts';
import { marksOf } from '../../pdf/layout/marks.ts';
import { qrPath } from '../../pdf/layout/qr.ts';
import {
  colors,
  columnWidth,
  currentLeaf,
  fillBox,
  paper,
  writeArtifact,
  writeMarked,
  type Sheet,
} from '../../pdf/layout/sheet.ts';
import { figureExtra } from '../../pdf/layout/structure.ts';
import { rowsOf, writeFacts, writeTable } from '../../pdf/layout/table.ts';
import { wrap } from '../../pdf/layout/wrap.ts';
import { listMax, type AffidavitContent } from '../content.ts';
import { drawPhoto } from './photo.ts';
import { writeProofs } from './proof-pages.ts';

type Section = readonly [title: string, write: (sheet: Sheet, content: AffidavitContent) => void];

/** Writes every section; an empty section says that it is empty. */
export function writePages(sheet: Sheet, content: AffidavitContent): void {
  writeTop(sheet, content);
  for (const [index, [title, write]] of sections.entries()) {
    writeHeading(sheet, `${index + 1}  ${title}`);
    write(sheet, content);
  }
}

const qrSide = 82;

/** Writes the title, the names of the document, and the address of its page as a QR code. */
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

/** Writes the outcome and its cause, before all other sections. */
function writeOutcome(sheet: Sheet, content: AffidavitContent): void {
  const { decision } = content;
  const color = decision.outcome === 'passed' ? colors.green : colors.red;
  const place = { x: paper.left + 16, width: columnWidth - 32 };
  const linesOf = (text: string) =>
    wrap(sheet.fonts, text, { style: styles.body, width: place.width, linesMax: 3 }).length;
  const shown = decision.explanation.slice(0, explanationsMax);
  const lines = shown.reduce((sum, text) => sum + linesOf(text), 0);
  const height = 46 + lines * styles.body.size * leading;
  const box = { x: paper.left, y: sheet.y - height, width: columnWidth, height };
  writeArtifact(currentLeaf(sheet), [
    ...fillBox(box, colors.wash),
    ...fillBox({ ...box, width: 4 }, color),
  ]);
  sheet.y -= 5;
  const marks = marksOf(content).map(({ name }) => `${name}: `);
  const outcome = `${marks.join('')}${decision.outcome.toUpperCase()}`;
  writeText(sheet, outcome, {
    ...place,
    linesMax: 1,
    role: 'P',
    style: { size: 15, weight: 'bold', color },
  });
  for (const text of shown) {
    writeText(sheet, text, { ...place, linesMax: 3, role: 'P', style: styles.body });
  }
  const reason =
    decision.reason_code === null ? '' : ` Reason code: ${decision.reason_code.slice(0, 60)}.`;
  const words = `Decided ${instantText(decision.decided_at)}.${reason}`;
  writeText(sheet, words, { ...place, linesMax: 1, role: 'P', style: styles.small });
  sheet.y = box.y - 2;
}

/** Two for the cause, one for each proof type and one for a preset; page 1 has space for them. */
const explanationsMax = 8;

const sections: readonly Section[] = [
  ['Statement', (sheet, { statement }) => writeParagraphs(sheet, statement)],
  ['Subject', writeSubject],
  ['Requester and operator', writeRequester],
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

const tokenNote = 'verified_claims_token in affidavit.json: a signed token for other programs';

function writeSubject(sheet: Sheet, content: AffidavitContent): void {
  const { subject, matching, device, verified_claims_token: token } = content;
  const { full_name: fullName, ...claims } = subject.claims;
  const { full_name: noName = 'not_requested', ...absent } = subject.absent_claims;
  if (subject.photo) drawPhoto(sheet, subject.photo);
  writeFacts(sheet, [
    ['Person', subject.poly_user_id ?? 'not enrolled: the person used no enrolled device'],
    ['Name', fullName ?? codeText(noName)],
    ...rowsOf(claims),
    ...rowsOf(absent),
    ['Device', device?.device_id ?? null],
    ['Verified claims', token === null ? null : tokenNote],
  ]);
  if (Object.keys(matching).length === 0) return;
  writeMinor(sheet, 'Comparison with the claims that the requester expected');
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

const ownWords =
  'The names, the purpose and the reference are the requester’s own words. The service did not ' +
  'check them.';
const unnamed = 'This document names no operator, because the service runs for development.';

function writeRequester(sheet: Sheet, content: AffidavitContent): void {
  const { requester, consent, session, operator } = content;
  writeParagraph(sheet, ownWords);
  writeFacts(sheet, [
    ['Account', requester.account_name],
    ['Account number', String(requester.account_id)],
    ['App', requester.app_name],
    ['App id', requester.app_id],
    ['Purpose', requester.purpose ?? 'not given'],
    ['Reference', requester.reference_id ?? 'not given'],
    ['Link', requester.link_uuid],
    ['Link type', codeText(requester.link_type)],
    ['Session', session.link_session_id],
    ['Client type', session.client],
    ['Consent', consent ? `given ${instantText(consent.at)}` : 'none on record'],
    ['Version of the terms', consent ? consent.tos_version : null],
    ['Consented claims', consent ? namesOf(consent.claims) : null],
  ]);
  writeMinor(sheet, 'Operator of the service');
  if (!operator) return writeParagraph(sheet, unnamed);
  writeFacts(sheet, [
    ['Legal name', operator.legal_name],
    ['Address', operator.address],
    ['Contact', operator.contact],
  ]);
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
  const events = `the first ${listMax.timeline} events of the check, up to the decision`;
  writeParagraph(sheet, `The table lists ${events}. The workflow is ${session.workflow_id}.`);
  const rows = timeline.map(({ at, event, state }) => [instantText(at), event, stateText(state)]);
  const columns = [
    { head: 'Time', width: 126 },
    { head: 'Event', width: 190 },
    { head: 'State after the event', width: 167 },
  ];
  writeTable(sheet, columns, rows);
}

function writeDecision(sheet: Sheet, { decision, policy }: AffidavitContent): void {
  for (const text of decision.explanation) writeParagraph(sheet, text);
  writeFacts(sheet, [
    ['Outcome', codeText(decision.outcome)],
    ['Reason code', decision.reason_code],
    ['Decided', instantText(decision.decided_at)],
    ['Decided by', decidedBy(decision)],
    ['Assurance level', decision.level === null ? null : codeText(decision.level)],
    ['Rule', decision.rule === null ? null : codeText(decision.rule)],
    ['Policy', `${policy.framework}, version ${policy.version}`],
    ...rowsOf(policy.rules),
  ]);
}

function decidedBy({ reviewed, reviewer, outcome, rule }: AffidavitContent['decision']): string {
  if (!reviewed) {
    const isByRules = outcome === 'passed' || (outcome === 'failed' && rule !== null);
    return isByRules ? 'the rules, without a reviewer' : 'neither the rules nor a reviewer';
  }
  if (reviewer === sandboxReviewer) return 'a preset result of the sandbox, without a reviewer';
  const who = reviewer === null ? 'a reviewer' : `the reviewer ${reviewer}`;
  return `${who}, because the rules could not decide`;
}

/** The recorded reviewer of a test check with a preset review. */
const sandboxReviewer = 'sandbox';

const keyNote =
  'This section names each certificate by its SHA-256 fingerprint. It names the key of the ' +
  'subject by its thumbprint (RFC 7638). The public log gets one entry for this file.';

function writeKeys(sheet: Sheet, { keys, log }: AffidavitContent): void {
  writeParagraph(sheet, keyNote);
  writeFacts(sheet, [
    ['Seal certificate', digestText(keys.seal_sha256), true],
    ['Time-stamp certificate', digestText(keys.tsa_sha256), true],
    ['Root certificate', digestText(keys.root_sha256), true],
    ['Key of the subject', keys.subject_kid, true],
    ['Public log', log.origin, true],
    ['Key of the public log', log.key, true],
  ]);
}

function writeSteps(sheet: Sheet, { how_to_verify: steps }: AffidavitContent): void {
  for (const { text, command } of steps) writeStep(sheet, text, command);
}
