import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { isSignedReport, readReport } from '../../../activities/delivery/sms/reports.ts';
import { normalizeImage } from '../../../activities/proofs/images/normalize-image.ts';
import { mediaTypeOf } from '../../../domain/images/media-type.ts';
import { readEvidenceFile } from '../../../domain/judging/files.ts';
import type { Parser } from './parser.ts';

/** Parsers of photographs, stored evidence, and reports of the SMS provider. */
export async function fileParsers(): Promise<Parser[]> {
  const picture = sharp({ create: { width: 40, height: 24, channels: 3, background: '#c84' } });
  const images = await Promise.all([
    picture.clone().jpeg().toBuffer(),
    picture.clone().jpeg({ progressive: true }).withMetadata({ orientation: 6 }).toBuffer(),
    picture.clone().png().toBuffer(),
    picture.clone().png({ palette: true, progressive: true }).toBuffer(),
    picture.clone().webp().toBuffer(),
    picture.clone().webp({ lossless: true }).toBuffer(),
  ]);
  const sample = new URL('../../../docs/protocols/sample-evidence.json', import.meta.url);
  const form = 'MessageSid=SM1&MessageStatus=undelivered&ErrorCode=30005&To=%2B4915112345678';
  const signed = { url: 'https://trust.example.test/v2/sms/events', signature: 'c2lnbmVk' };
  return [
    {
      name: 'photograph',
      seeds: images,
      read: async (image) => [mediaTypeOf(image), await normalizeImage(image)],
      throws: ['ImageRefused'],
      // A header may claim 50 million pixels, which are then decoded.
      bounds: { msMax: 2_000, memoryMbMax: 512 },
    },
    {
      name: 'evidence',
      seeds: [readFileSync(sample)],
      read: readEvidenceFile,
      throws: ['EvidenceFileError'],
    },
    {
      name: 'sms-report',
      seeds: [Buffer.from(form)],
      read: async (body) => [await isSignedReport('token', { ...signed, body }), readReport(body)],
      throws: [],
    },
  ];
}
