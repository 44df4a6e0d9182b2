import { expect, it } from 'vitest';
import { newLink } from '../../../support/http/client.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();

it.each(['H', 'S'])(
  'the title of a link cannot reorder the text around it: format %s',
  async (format) => {
    const uuid = await newLink({ title: '\u202EConfirm\u2066 who you are' });
    const address = `${baseUrl}/v2/${own.app_id}/${uuid}?format_type=${format}`;
    const answer = await (await fetch(address)).text();
    expect(answer).toContain('<title>Confirm who you are');
    expect(answer).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
  },
);
