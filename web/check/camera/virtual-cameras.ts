/**
 * Names of programs that play any pictures as a camera, and endings of the films that Chromium
 * plays as `fake_device`. Programs that make a camera of a phone are not among them, since honest
 * people use those.
 */
const known =
  /virtual|\bobs\b|manycam|xsplit|splitcam|snap cam|vcam|vmix|dummy|loopback|fake_device|\.y4m|\.mjpeg/i;

/** Whether the label of a video track is one of a program that plays pictures as a camera. */
export const isVirtualCamera = (label: string): boolean => known.test(label);
