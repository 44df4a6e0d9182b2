import { catalogs } from '../../../../domain/languages/say.ts';
import { brandStyle } from '../../../http/html/brand.ts';
import { builtModule } from '../../../http/html/built.ts';
import { html, type Markup } from '../../../http/html/markup.ts';
import { pageOf, type Page } from '../../../http/html/page.ts';
import type { CheckRenderer, SpecimenFacts } from './check-facts.ts';
import { phrasesOf } from './check.ts';
import type { SpecimenName } from './specimens.ts';

/** Renders the page of a check in a specimen state. It looks the same but is inert. */
export async function specimenPage(
  name: SpecimenName,
  given: Omit<SpecimenFacts, 'phrases'>,
): Promise<Page> {
  const { language, app, brandColor } = given;
  const built = await builtModule<CheckRenderer>('check');
  const facts = { ...given, phrases: phrasesOf(language) };
  const rendered: Markup = { markup: built.renderSpecimen(name, facts) };
  const title = catalogs[language]['check.welcome.title'];
  const brand = brandColor ? brandStyle(brandColor) : '';
  return pageOf({
    title: `${title} · ${app}`,
    language,
    body: html`<main aria-label="${title}">${rendered}</main>`,
    style: built.checkStyle + built.specimenStyle + brand,
    hasImage: given.logo !== null,
    isInert: true,
    framedBy: ["'self'"],
  });
}
