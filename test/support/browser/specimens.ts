import { specimenPage } from '../../../api/links/visitor/pages/specimen.ts';
import type { SpecimenName } from '../../../api/links/visitor/pages/specimens.ts';
import type { Language } from '../../../domain/languages/languages.ts';

/** Renders a specimen of the check page as HTML, with example branding. */
export async function specimenHtml(name: SpecimenName, language: Language): Promise<string> {
  const { content } = await specimenPage(name, {
    language,
    app_id: 'example',
    app: 'Example Bank',
    logo: null,
    account: 'Example Bank plc',
    isVerified: true,
    imageDays: 7,
    brandColor: null,
    support: { email: 'help@example.com', url: 'https://example.com/help' },
    terms: { url: 'https://example.com/terms', version: '1' },
    isDevelopment: false,
    callingCodes: { DE: '49', FR: '33', GB: '44', US: '1' },
  });
  return content;
}
