import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Tab } from './driven.ts';

/** Names the engines to run; the suite does not set it and runs none. */
export const enginesSetting = 'BROWSERS_ENGINES';

interface Engine {
  /** The required programs, by the apt package that contains each. */
  readonly programs: Readonly<Record<string, string>>;
  /**
   * Starts a browser. The library that drives it is loaded then, so that the suite loads none.
   * @param hasCamera whether the engine plays a camera that shows a test picture
   */
  open(hasCamera: boolean): Promise<Tab>;
}

export const engines = {
  firefox: {
    programs: { 'firefox-esr': 'firefox-esr' },
    async open(hasCamera) {
      const { openFirefox } = await import('./firefox.ts');
      return openFirefox(pathOf('firefox-esr'), hasCamera);
    },
  },
  webkit: {
    programs: { 'webkit2gtk-driver': 'WebKitWebDriver', xvfb: 'Xvfb' },
    async open(hasCamera) {
      const { openWebKit } = await import('./webkit.ts');
      const programs = { driver: pathOf('WebKitWebDriver'), display: pathOf('Xvfb') };
      return openWebKit(programs, hasCamera);
    },
  },
} as const satisfies Record<string, Engine>;

export type EngineName = keyof typeof engines;
export const engineNames = Object.keys(engines) as EngineName[];

/** The apt packages of an engine that are not installed. */
export const missingPackages = (name: EngineName): string[] =>
  Object.entries(engines[name].programs)
    .filter(([, program]) => findProgram(program) === null)
    .map(([apt]) => apt);

function findProgram(name: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = folders.map((folder) => join(folder, name));
  return paths.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function pathOf(program: string): string {
  const path = findProgram(program);
  if (path === null) throw new Error(`no ${program} in PATH`);
  return path;
}
