import { expect, it } from 'vitest';
import { judgeEvidence } from '../../../../../domain/judging/judge.ts';

const judged = (platform: unknown, answer: unknown) => {
  const { verdict, reason_code, facts } = judgeEvidence({
    format: 'trustcheck-evidence/1',
    kind: 'device-recall',
    at: '2026-11-22T00:00:00.000Z',
    input: { platform, answer },
  });
  return [verdict, reason_code, facts];
};
const facts = (reinstall_detected: boolean, device_flagged: boolean, written_in?: string) => ({
  reinstall_detected,
  device_flagged,
  ...(written_in === undefined ? {} : { written_in }),
});
const apple = (bit0: unknown, bit1: unknown, last_update_time: unknown = '2026-10') =>
  JSON.stringify({ bit0, bit1, last_update_time });

it.each<[string, string, unknown[]]>([
  ['ios', 'Failed to find bit state', ['passed', null, facts(false, false)]],
  ['ios', 'Bit State Not Found\n', ['passed', null, facts(false, false)]],
  ['ios', apple(false, false), ['passed', null, facts(false, false, '2026-10')]],
  ['ios', apple(true, false), ['passed', null, facts(true, false, '2026-10')]],
  ['ios', apple(true, true), ['failed', 'device_flagged', facts(true, true, '2026-10')]],
  ['ios', apple(false, true), ['failed', 'device_flagged', facts(false, true, '2026-10')]],
  ['ios', '{"bit0":true,"bit1":false}', ['passed', null, facts(true, false)]],
  ['android', '{"values":{}}', ['passed', null, facts(false, false)]],
  [
    'android',
    '{"values":{"bitFirst":true},"writeDates":{"yyyymmFirst":202610}}',
    ['passed', null, facts(true, false, '2026-10')],
  ],
  [
    'android',
    '{"values":{"bitSecond":true},"writeDates":{"yyyymmFirst":202601,"yyyymmSecond":202611}}',
    ['failed', 'device_flagged', facts(false, true, '2026-11')],
  ],
  ['android', '{"values":{"bitThird":true}}', ['passed', null, facts(false, false)]],
])('the recall on %s is read from %s', (platform, answer, expected) => {
  expect(judged(platform, answer)).toEqual(expected);
});

it.each<[string, unknown]>([
  ['ios', ''],
  ['ios', 'Internal error'],
  ['ios', 'Failed to find bit state of another'],
  ['ios', apple(1, 0)],
  ['ios', apple('true', 'false')],
  ['ios', apple(true, false, '2026-13')],
  ['ios', '{"bit0":true}'],
  ['ios', '[true,false]'],
  ['ios', 'null'],
  ['ios', '{"values":{"bitFirst":true}}'],
  ['ios', apple(true, false) + ' '.repeat(2_000)],
  ['android', 'Failed to find bit state'],
  ['android', apple(false, false)],
  ['android', '{}'],
  ['android', '{"values":null}'],
  ['android', '{"values":{"bitSecond":"true"}}'],
  ['android', '{"values":{},"writeDates":{"yyyymmFirst":"202610"}}'],
  ['desktop', apple(false, false)],
  ['ios', 7],
  ['ios', undefined],
])('the recall on %s fails as malformed with %j', (platform, answer) => {
  const [verdict, reason, known] = judged(platform, answer);
  expect([verdict, reason, known]).toEqual(['failed', 'malformed', {}]);
});
