import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';

const require = createRequire(import.meta.url);
const fontFile = (name: string): Uint8Array => readFileSync(require.resolve(name));
/** Fonts of all pages. */
export const fontFiles = {
  regular: fontFile('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'),
  bold: fontFile('@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf'),
  arabic: fontFile('@expo-google-fonts/noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf'),
  hebrew: fontFile('@expo-google-fonts/noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf'),
  thai: fontFile('@expo-google-fonts/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf'),
};

/** Fonts that are read in slices, and only where a document needs them. */
export const drawnFamilies = {
  'noto-sans-sc': '@fontsource-variable/noto-sans-sc',
  'noto-sans-jp': '@fontsource-variable/noto-sans-jp',
  'noto-sans-kr': '@fontsource-variable/noto-sans-kr',
} as const;
export type DrawnFamily = keyof typeof drawnFamilies;

const versionOf = (name: string, base: string = import.meta.url): string => {
  const path = packageOf(name, base);
  const { version } = JSON.parse(readFileSync(path, 'utf8'));
  return `${name}@${String(version)}`;
};

function packageOf(name: string, base: string): string {
  const path = findPackageJSON(name, base);
  if (!path) throw new Error(`${name} is not installed`);
  return path;
}

/** Digest of all that pages depend on besides their content: fonts, typesetting and compression. */
const typesetterDigest = createHash('sha256')
  .update(fontFiles.regular)
  .update(fontFiles.bold)
  .update(fontFiles.arabic)
  .update(fontFiles.hebrew)
  .update(fontFiles.thai)
  .update(
    ['pdf-lib', '@cantoo/fontkit', 'bidi-js', 'uqr', ...Object.values(drawnFamilies)]
      .map((name) => versionOf(name))
      .join(),
  )
  .update(versionOf('fflate', packageOf('pdf-lib', import.meta.url)))
  .update(`unicode@${process.versions.unicode}`)
  .digest('hex');

/**
 * Identifies this layout with its fonts and libraries. An affidavit names the renderer that made
 * it. Only when the names are equal does a difference in bytes prove a change.
 */
export const rendererId = `trustcheck-pages/1 ${typesetterDigest.slice(0, 16)}`;
