/**
 * Names of programs that play arbitrary pictures as a camera, and file endings of films that
 * Chromium plays as `fake_device`. Programs that turn a phone into a camera are not listed, because
 * honest people use them.
 */
const known =
  /virtual|\bobs\b|manycam|xsplit|splitcam|snap cam|vcam|vmix|dummy|loopback|fake_device|\.y4m|\.mjpeg/i;

/** Whether the label of a video track belongs to a program that plays pictures as a camera. */
export const isVirtualCamera = (label: string): boolean => known.test(label);
