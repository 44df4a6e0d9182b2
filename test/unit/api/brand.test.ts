import { describe, expect, it } from 'vitest';
import { luminanceOf, textOn } from '../../../api/http/html/brand.ts';

const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};
const hex = (value: number): string => value.toString(16).padStart(2, '0');

describe('the text color on a brand color', () => {
  it('is measured with the contrast of WCAG 2.2', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
    // The lightest grey that white text may have as its background.
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
  });

  it('has a contrast above 4.5 on every color', () => {
    const steps = Array.from({ length: 18 }, (_, step) => step * 15);
    const colors = steps.flatMap((red) =>
      steps.flatMap((green) => steps.map((blue) => `#${hex(red)}${hex(green)}${hex(blue)}`)),
    );
    expect(Math.min(...colors.map((color) => contrast(color, textOn(color))))).toBeGreaterThan(4.5);
    expect([textOn('#1b57b8'), textOn('#ffe000')]).toEqual(['#ffffff', '#000000']);
  });
});
