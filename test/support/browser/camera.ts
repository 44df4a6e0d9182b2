import type { Page } from 'playwright-core';
import { faceActions, type FaceAction } from '../../../domain/proofs/face/challenge.ts';
import { photographFace } from '../../../simulator/face/face-frames.ts';
import { holder } from '../../../simulator/face/face.ts';
import type { HeadPose } from '../../../simulator/face/head.ts';
import type { View } from './view.ts';

/**
 * A camera with pictures that the test chooses: a real video stream, drawn on a canvas. It plays
 * the movements of a person when the page requests them.
 */
export const cameraScript = `{
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: 1280, height: 720 });
  let shown = null;
  /** Movement between two frames in pixels. A head is never still. */
  let unrest = 0;
  let films = {};
  const draw = () => {
    const context = canvas.getContext('2d');
    if (!shown) return context.fillRect(0, 0, canvas.width, canvas.height);
    const [x, y] = [Math.random() * unrest, Math.random() * unrest];
    context.drawImage(shown, x - unrest, y - unrest, canvas.width + unrest, canvas.height + unrest);
    // Simulates sensor noise: no camera delivers the same bytes twice.
    for (let speck = 0; speck < 60; speck += 1) {
      const [x, y] = [Math.random() * canvas.width, Math.random() * canvas.height];
      context.fillStyle = Math.random() < 0.5 ? '#0001' : '#fff1';
      context.fillRect(x, y, 2, 2);
    }
  };
  const show = (picture) => {
    if (canvas.width !== picture.width) canvas.width = picture.width;
    if (canvas.height !== picture.height) canvas.height = picture.height;
    shown = picture;
    draw();
  };
  setInterval(draw, 33);
  const load = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    return createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
  };
  let gapMs = 330;
  const next = () => new Promise((resolve) => setTimeout(resolve, gapMs));
  let playing = 0;
  const play = async (action) => {
    playing += 1;
    for (const picture of films[action] ?? []) {
      show(picture);
      await next();
    }
    playing -= 1;
  };
  // A living head is never as still as a photograph.
  const sit = async () => {
    for (let turn = 0; ; turn += 1) {
      if (playing === 0) show(films.straight[turn % films.straight.length]);
      await next();
    }
  };
  window.testCamera = {
    show: async (base64) => show(await load(base64)),
    async learn(given) {
      gapMs = given.gapMs;
      for (const [action, pictures] of Object.entries(given.pictures)) {
        films[action] = await Promise.all(pictures.map(load));
      }
      unrest = 6;
      void sit();
    },
  };
  let last = '';
  new MutationObserver(() => {
    const action = document.querySelector('[data-action]')?.dataset.action ?? '';
    if (action !== last && films[action] && action !== 'straight') void play(action);
    last = action;
  }).observe(document, { subtree: true, childList: true, attributes: true });
  // WebKit drops properties set on the object itself at the next garbage collection.
  MediaDevices.prototype.getUserMedia = async () => canvas.captureStream(30);
}`;

export async function giveCamera(page: Page): Promise<void> {
  await page.addInitScript(cameraScript);
}

/** Holds a picture before the camera. */
export async function holdBefore(page: View, jpeg: Uint8Array): Promise<void> {
  const text = Buffer.from(jpeg).toString('base64');
  await page.evaluate(`testCamera.show('${text}')`);
}

/** Enough that none repeats before an answer is submitted. */
const restPictures = 24;

/** Extent of a movement over time, from start to end: a head turns, eyes stay shut. */
const turning = [0.1, 0.45, 0.8, 1, 1, 0.6, 0.25, 0.05];
const shutting = [0, 0.4, 1, 1, 1, 1, 0.4, 0];

const endOf: Readonly<Record<FaceAction, Partial<Omit<HeadPose, 'shift'>>>> = {
  turn_left: { yaw: 30 },
  turn_right: { yaw: -30 },
  look_up: { pitch: 21 },
  look_down: { pitch: -22 },
  blink: { shut: 1 },
  open_mouth: { gape: 1 },
};

/** The pictures that a camera delivers of a person. */
export interface FaceFilms {
  /** JPEG in base64, at rest (`straight`) and per movement. */
  readonly pictures: Readonly<Record<string, readonly string[]>>;
  /** Milliseconds between two pictures, which set the speed of the movement. */
  readonly gapMs: number;
}

const usualGapMs = 330;

/** Simulates a person before the camera who does what the page requests. */
export async function sitBefore(page: View, films?: FaceFilms): Promise<void> {
  await page.evaluate(`testCamera.learn(${JSON.stringify(films ?? (await filmFace()))})`);
}

/**
 * Films the face of the simulated person. Takes seconds.
 * @param brightness brightness of the light; 1 is that of the portrait
 */
export async function filmFace(brightness = 1): Promise<FaceFilms> {
  const head = await holder();
  const camera = { random: Math.random, brightness };
  const pictureOf = async (pose: Partial<HeadPose>): Promise<string> =>
    Buffer.from(await photographFace(head, pose, camera)).toString('base64');
  const pictures: Record<string, string[]> = {
    straight: await Promise.all(Array.from({ length: restPictures }, () => pictureOf({}))),
  };
  for (const action of faceActions) {
    const poses = (action === 'blink' ? shutting : turning).map((share) =>
      Object.fromEntries(Object.entries(endOf[action]).map(([part, most]) => [part, most * share])),
    );
    pictures[action] = await Promise.all(poses.map(pictureOf));
  }
  return { pictures, gapMs: usualGapMs };
}
