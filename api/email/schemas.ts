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
  .meta({
    type: 'string',
    format: 'idn-email',
    maxLength: 320,
    description: 'Email address without a display name',
  });

export const emailLoginRequest = z
  .object({
    email: address,
    return_to: anyUrl.optional().meta({
      description:
        'Page in the login mail, at our origin or one of the app, with the token as `#t=`. A ' +
        'mail that attaches an address always leads to our page',
    }),
    locale: locale.optional().meta({
      description:
        'Language of the mail (BCP 47); by default from `Accept-Language`. English if it is ' +
        'not supported',
    }),
    app_id: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .meta({
        description:
          'App that requests the mail: its origins are allowed, and the session is limited to ' +
          'its account',
      }),
  })
  .meta({ id: 'EmailLoginRequest', example: { email: 'person@example.test' } });

export const emailAccepted = z
  .object({ status: z.literal('accepted') })
  .meta({ id: 'EmailAccepted' });

const token = z.string().min(1).max(256).meta({ description: 'Token after `#t=`' });
const code = z
  .string()
  .regex(/^\d{6}$/)
  .optional()
  .meta({ description: '`Email-Code` of the response to the request; needed in another browser' });

export const emailLoginVerifyRequest = z
  .object({
    token,
    code,
    device_label: z.string().trim().min(1).max(100).optional().meta({
      description: 'Name of the device, for the list of login emails',
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
      description: 'Email-only person that had the address and was merged into the caller',
    }),
  })
  .meta({ id: 'EmailLinked' });

export const loginEmail = z
  .object({
    identity_id: z.int(),
    email: z.string(),
    status: z.enum(statuses),
    poly_user_id: z.string(),
    is_primary: z.boolean().meta({ description: 'Whether this is the oldest active address' }),
    verified_at: timestamp.nullable(),
    last_login_at: timestamp.nullable(),
    last_device_label: z.string().nullable().meta({
      description: '`device_label` of its last sign-in, while that session is stored',
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
