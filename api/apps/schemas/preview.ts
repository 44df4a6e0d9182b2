import { z } from 'zod';
import { languages } from '../../../domain/languages/languages.ts';
import { specimenNames } from '../../links/visitor/pages/specimens.ts';
import { updateAppRequest } from './schemas.ts';

const color = updateAppRequest.shape.brand_color.unwrap().unwrap();

export const previewQuery = z.object({
  screen: z.enum(specimenNames).default('welcome').describe('State of the previewed check'),
  locale: z.enum(languages).default('en').describe('Language of the page'),
  brand_color: color.optional().describe('Replaces the color of the app in this preview'),
});
