// `npm run screens` renders every state of the page of a check into a contact sheet (docs/campaigns.md).
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { specimenNames, type SpecimenName } from '../../../api/links/visitor/pages/specimens.ts';
import { buildPages } from '../../../web/build.ts';
import { openBrowser } from '../../support/browser/browser.ts';
import { specimenHtml } from '../../support/browser/specimens.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const out = join(root, 'screens');
const forReadme = join(root, 'docs/pictures');

interface Look {
  readonly width: 390 | 1280;
  readonly colorScheme: 'light' | 'dark';
  readonly language: 'en' | 'ar';
}

const looks: readonly Look[] = ([390, 1280] as const).flatMap((width) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    (['en', 'ar'] as const).map((language) => ({ width, colorScheme, language })),
  ),
);
const nameOf = ({ width, colorScheme, language }: Look): string =>
  `${width}-${colorScheme}-${language}`;

/** The states shown in the README. */
const pictures: readonly SpecimenName[] = ['consent', 'document_page'];

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const names = specimenNames.filter((name) => name.startsWith(values.only ?? ''));

async function open(browser: Browser, { width, colorScheme }: Look, scale = 1): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    deviceScaleFactor: scale,
    colorScheme,
    reducedMotion: 'reduce',
  });
  return context.newPage();
}

/** Renders each state as a full page picture, and all of one look as one sheet. */
async function render(browser: Browser, look: Look): Promise<void> {
  const page = await open(browser, look);
  const folder = join(out, nameOf(look));
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    await page.setContent(await specimenHtml(name, look.language));
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  }
  await page.context().close();
}

const figures = (look: Look): string =>
  names
    .map((name) => {
      const source = `${nameOf(look)}/${name}.png`;
      return `<figure><a href="${source}"><img src="${source}" alt=""></a>
        <figcaption>${name}</figcaption></figure>`;
    })
    .join('');

const sheet = (): string => `<!doctype html><meta charset="utf-8"><title>Screens</title><style>
  body { font: 14px sans-serif; background: #888; margin: 16px; }
  section { display: flex; flex-wrap: wrap; gap: 12px; align-items: start; }
  figure { margin: 0; width: 240px; }
  section.wide figure { width: 480px; }
  img { width: 100%; display: block; }
  figcaption { background: #fff; padding: 4px 8px; }
  </style>${looks
    .map(
      (look) => `<h2>${nameOf(look)}</h2>
      <section class="${look.width === 1280 ? 'wide' : ''}">${figures(look)}</section>`,
    )
    .join('')}`;

/** Renders the visible part of a phone screen in 128 colors, below 60 kB per picture. */
async function renderForReadme(browser: Browser): Promise<void> {
  await mkdir(forReadme, { recursive: true });
  const page = await open(browser, { width: 390, colorScheme: 'light', language: 'en' }, 2);
  for (const name of pictures) {
    await page.setContent(await specimenHtml(name, 'en'));
    const picture = sharp(await page.screenshot()).png({ colors: 128, dither: 0, effort: 10 });
    await picture.toFile(join(forReadme, `${name}.png`));
  }
  await page.context().close();
}

await buildPages();
await rm(out, { recursive: true, force: true });
const browser = await openBrowser();
try {
  for (const look of looks) await render(browser, look);
  await writeFile(join(out, 'index.html'), sheet());
  if (values.only === undefined) await renderForReadme(browser);
} finally {
  await browser.close();
}
process.stdout.write(`${names.length * looks.length} pictures: screens/index.html\n`);
