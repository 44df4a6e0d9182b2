import {
  styles,
  writeHeading,
  writeParagraph,
  writeText,
} from '../../../domain/pdf/layout/blocks.ts';
import { describeDocument, nameDocument } from '../../../domain/pdf/layout/describe.ts';
import { codeText, instantText } from '../../../domain/pdf/layout/labels.ts';
import { marksOf } from '../../../domain/pdf/layout/marks.ts';
import { writeRunning } from '../../../domain/pdf/layout/page-furniture.ts';
import { closeSheet, createSheet, type Sheet } from '../../../domain/pdf/layout/sheet.ts';
import { writeFacts, writeTable } from '../../../domain/pdf/layout/table.ts';
import { embedFonts } from '../../pdf/fonts.ts';

/** Contents of a report. Texts are unchanged, times in ISO 8601. */
export interface ReportContent {
  readonly report_id: string;
  readonly made_at: string;
  readonly livemode: boolean;
  /** Whether simulated phones or passports are accepted where the report is made. */
  readonly development: boolean;
  readonly account_name: string;
  readonly platform: string;
  readonly meeting_id: string;
  readonly link_uuid: string;
  readonly topic: string | null;
  readonly organization: string | null;
  readonly status: string;
  readonly end_reason: string | null;
  readonly scheduled_at: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  /** Whether the platform's events came in time: `ok`, `delayed` or `lost`. */
  readonly tracking: string;
  readonly participants: readonly {
    readonly participant_id: string;
    readonly name: string | null;
    readonly role: string;
    readonly verification: string;
    readonly attestation: string | null;
    readonly link_session_id: string | null;
    readonly joined_at: string | null;
    readonly left_at: string | null;
  }[];
  readonly timeline: readonly {
    readonly at: string;
    readonly event: string;
    readonly participant: string | null;
    /** State of the participant, or of the meeting, after the event. */
    readonly state: string;
  }[];
}

const title = 'Meeting report';

/**
 * Renders a report, with pages like those of an affidavit. The same content gives the same bytes.
 */
export async function renderReport(content: ReportContent): Promise<Uint8Array> {
  const sheet = await createSheet(JSON.stringify(content), embedFonts);
  writeTop(sheet, content);
  for (const [index, [name, write]] of sections.entries()) {
    writeHeading(sheet, `${index + 1}  ${name}`);
    write(sheet, content);
  }
  const marks = marksOf(content);
  const names = `Report ${content.report_id} · made ${instantText(content.made_at)}`;
  writeRunning(sheet, { names, marks });
  closeSheet(sheet);
  const { document } = sheet;
  const [mark] = marks;
  describeDocument(document, {
    title: `${title} ${content.report_id}`,
    subject: mark ? `${mark.name}: proves nothing` : 'What was recorded of a meeting',
    at: new Date(content.made_at),
  });
  nameDocument(document, content.report_id);
  return document.save({ useObjectStreams: true, addDefaultPage: false });
}

function writeTop(sheet: Sheet, content: ReportContent): void {
  writeText(sheet, title, { role: 'H1', style: styles.title, linesMax: 1 });
  sheet.y -= 4;
  const names = [`Report ${content.report_id}`, `Made ${instantText(content.made_at)}`];
  for (const name of names) writeText(sheet, name, { role: 'P', style: styles.label });
}

type Section = readonly [title: string, write: (sheet: Sheet, content: ReportContent) => void];

const sections: readonly Section[] = [
  ['Meeting', writeMeeting],
  ['Participants', writeParticipants],
  ['Timeline', writeTimeline],
  ['Limitations', writeLimitations],
];

function writeMeeting(sheet: Sheet, content: ReportContent): void {
  const at = (instant: string | null): string | null => instant && instantText(instant);
  writeFacts(sheet, [
    ['Topic', content.topic ?? 'none was given'],
    ['Organization', content.organization],
    ['Account', content.account_name],
    ['Platform', content.platform],
    ['Meeting', content.meeting_id, true],
    ['Link', content.link_uuid],
    ['State', codeText(content.status)],
    ['Planned for', at(content.scheduled_at)],
    ['Began', at(content.started_at)],
    ['Ended', at(content.ended_at)],
    ['Why it ended', content.end_reason === null ? null : codeText(content.end_reason)],
    ['Followed', trackingText[content.tracking] ?? codeText(content.tracking)],
  ]);
}

const trackingText: Readonly<Record<string, string>> = {
  ok: 'without a gap that its platform told of',
  delayed: 'with delay: what happened may be dated later than it was',
  lost: 'with gaps: what happened in them is not on record',
};

const participantColumns = [
  { head: 'Name', width: 107 },
  { head: 'Role', width: 60 },
  { head: 'Identity', width: 68 },
  { head: 'Came', width: 124 },
  { head: 'Left', width: 124 },
];

function writeParticipants(sheet: Sheet, { participants }: ReportContent): void {
  if (participants.length === 0) return writeParagraph(sheet, 'Nobody is on record.');
  const rows = participants.map((each) => [
    each.name ?? each.participant_id,
    codeText(each.role),
    each.attestation === null
      ? codeText(each.verification)
      : `${codeText(each.verification)}, ${each.attestation}`,
    each.joined_at === null ? 'did not come' : instantText(each.joined_at),
    each.left_at === null ? '' : instantText(each.left_at),
  ]);
  writeTable(sheet, participantColumns, rows);
  const checks = participants.filter(({ link_session_id: id }) => id !== null);
  writeFacts(
    sheet,
    checks.map((each) => [
      `Trust check of ${each.name ?? each.participant_id}`,
      each.link_session_id,
    ]),
  );
}

function writeTimeline(sheet: Sheet, { timeline }: ReportContent): void {
  const columns = [
    { head: 'Time', width: 126 },
    { head: 'Event', width: 152 },
    { head: 'Participant', width: 100 },
    { head: 'State after it', width: 105 },
  ];
  const rows = timeline.map(({ at, event, participant, state }) => [
    instantText(at),
    event,
    participant ?? '',
    state.split(', ').map(codeText).join(', '),
  ]);
  writeTable(sheet, columns, rows);
}

const limitations = [
  'This report shows what the platform of the meeting told and what trust checks found. It bears ' +
    'no seal; the affidavit of a trust check does.',
  'Names are shown as they were given. Whoever is not verified may be somebody else. C: the ' +
    'person came by the link and passed its check, which does not bind them to what was said.',
  'Times are those of the platform’s clock, in UTC.',
];

function writeLimitations(sheet: Sheet): void {
  for (const paragraph of limitations) writeParagraph(sheet, paragraph);
}
