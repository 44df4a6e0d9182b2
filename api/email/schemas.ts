import { z } from 'zod';
import { readAddress } from '../../domain/identity/email-address.ts';
import { anyUrl } from '../http/fields/fields.ts';
import { pageBody } from '../http/fields/paging.ts';
import { locale } from '../http/server/locale.ts';

const timestamp = z.iso.datetime();
const statuses = ['ACTIVE', 'REVOKED'] as const;

/** One address without a display name, in its normalized form. */
export const address = z
  .string()
  .max(320)
  .transform((text, context) => {
    const read = readAddress(text);
    if (read) return read;
    context.issues.push({
      code: 'custom',
      message: 'must be one plain email address',
      input: text,
    });
    return z.NEVER;
  })
  .meta({ type: 'string', format: 'idn-email', maxLength: 320, description: 'One plain address' });

export const emailLoginRequest = z
  .object({
    email: address,
    return_to: anyUrl.optional().meta({
      description:
        'The page a login’s mail leads to, of our origin or one of the app’s, with the token as ' +
        '`#t=`; the mail that attaches an address leads to our page whatever is named',
    }),
    locale: locale.optional().meta({
      description:
        'The language of the mail (BCP 47), else by `Accept-Language`; English where it is not ' +
        'spoken',
    }),
    app_id: z.string().min(1).max(63).optional().meta({
      description:
        'The app that asks: its origins are allowed, the session is for its account alone',
    }),
  })
  .meta({ id: 'EmailLoginRequest', example: { email: 'person@example.test' } });

export const emailAccepted = z
  .object({ status: z.literal('accepted') })
  .meta({ id: 'EmailAccepted' });

const token = z.string().min(1).max(256).meta({ description: 'What stands behind `#t=`' });
const code = z
  .string()
  .regex(/^\d{6}$/)
  .optional()
  .meta({ description: 'The `Email-Code` of the answer to the request, from another browser' });

export const emailLoginVerifyRequest = z
  .object({
    token,
    code,
    device_label: z.string().trim().min(1).max(100).optional().meta({
      description: 'What the holder calls the device; the list of login emails shows it',
    }),
  })
  .meta({
    id: 'EmailLoginVerifyRequest',
    example: { token: 'nJ2yqk8Q9QyqBzv1bq8l1m0xw6Vb0oYw2n4m7d3C9sE' },
  });

export const emailLinkVerifyRequest = z.object({ token, code }).meta({
  id: 'EmailLinkVerifyRequest',
  example: { token: 'nJ2yqk8Q9QyqBzv1bq8l1m0xw6Vb0oYw2n4m7d3C9sE' },
});

export const emailLinked = z
  .object({
    identity_id: z.int(),
    email: z.string(),
    status: z.enum(statuses),
    poly_user_id: z.string(),
    merged_poly_user_id: z.string().optional().meta({
      description: 'The email-only person who had the address, and is a part of the caller now',
    }),
  })
  .meta({ id: 'EmailLinked' });

export const loginEmail = z
  .object({
    identity_id: z.int(),
    email: z.string(),
    status: z.enum(statuses),
    poly_user_id: z.string(),
    is_primary: z.boolean().meta({ description: 'The oldest one that is active' }),
    verified_at: timestamp.nullable(),
    last_login_at: timestamp.nullable(),
    last_device_label: z.string().nullable().meta({
      description: 'The `device_label` it was signed in by last, while that session is kept',
    }),
    revoked_at: timestamp.nullable(),
  })
  .meta({ id: 'LoginEmail' });

export const loginEmails = pageBody(loginEmail).meta({ id: 'LoginEmails' });

export const identityPath = z.object({
  identity_id: z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(2_147_483_647))
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'A login email of the caller',
    }),
});
