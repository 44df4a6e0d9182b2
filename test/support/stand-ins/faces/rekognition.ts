import {
  startProvider,
  type Provider,
  type ProviderAnswer,
  type ProviderRequest,
} from '../provider.ts';
import { isSignedFor } from './aws-signature.ts';
import { FaceSessions, type FaceSession } from './face-sessions.ts';

export interface RekognitionStandIn extends Provider {
  readonly sessions: FaceSessions;
}

/** Credentials and region of the caller. */
export const rekognitionAccount = {
  region: 'eu-west-1',
  accessKeyId: `AKIA${'7'.repeat(16)}`,
  secretAccessKey: 'secret-of-the-stand-in',
} as const;

const imageBytesMax = 5 * 1024 * 1024;
const contentType = 'application/x-amz-json-1.1';

const refuse = (type: string, status = 400): ProviderAnswer => answered({ __type: type }, status);
/** AWS JSON has its own media type. */
const answered = (body: object, status = 200): ProviderAnswer => ({
  status,
  headers: { 'Content-Type': contentType },
  text: JSON.stringify(body),
});

type Input = Readonly<Record<string, unknown>>;

/**
 * Amazon Rekognition's three face operations in AWS JSON 1.1: `POST /` with `X-Amz-Target`, signed
 * with Signature Version 4. It rejects unknown members. Each session has its own picture, with
 * which a comparison finds the session.
 */
export async function startRekognition(now: () => Date): Promise<RekognitionStandIn> {
  const sessions = new FaceSessions();
  const operations: Readonly<Record<string, (input: Input) => ProviderAnswer>> = {
    CreateFaceLivenessSession: (input) => create(sessions, input),
    GetFaceLivenessSessionResults: (input) => results(sessions, input),
    CompareFaces: (input) => compare(sessions, input),
  };
  const provider = await startProvider((request) => {
    const controlled = sessions.control(request);
    if (controlled) return controlled;
    if (request.method !== 'POST' || request.path !== '/') return refuse('UnknownOperation', 404);
    if (!isSignedFor('rekognition', rekognitionAccount, request, now()))
      return refuse('InvalidSignatureException');
    const [, name = ''] = /^RekognitionService\.(\w+)$/.exec(targetOf(request)) ?? [];
    const operation = operations[name];
    if (!operation || request.headers['content-type'] !== contentType) {
      return refuse('UnknownOperationException');
    }
    return operation(JSON.parse(request.body.toString()));
  });
  return { ...provider, sessions };
}

const targetOf = ({ headers }: ProviderRequest): string => String(headers['x-amz-target']);
const hasOnly = (input: unknown, names: readonly string[]): boolean =>
  Object.keys(Object(input)).every((name) => names.includes(name));

function create(sessions: FaceSessions, input: Input): ProviderAnswer {
  const { ClientRequestToken: token, Settings: settings } = input;
  const { AuditImagesLimit: limit = 0 } = Object(settings);
  const isWhole = hasOnly(input, ['ClientRequestToken', 'KmsKeyId', 'Settings']);
  const isKnown = hasOnly(settings, ['AuditImagesLimit', 'OutputConfig', 'ChallengePreferences']);
  const isToken = typeof token === 'string' && /^[a-zA-Z0-9-_]{1,64}$/.test(token);
  if (!isWhole || !isKnown || !isToken || !(limit >= 0 && limit <= 4)) {
    return refuse('InvalidParameterException');
  }
  return answered({ SessionId: sessions.begin(token).id });
}

function results(sessions: FaceSessions, input: Input): ProviderAnswer {
  const session = sessions.find(input['SessionId']);
  if (!hasOnly(input, ['SessionId'])) return refuse('InvalidParameterException');
  if (!session) return refuse('SessionNotFoundException');
  const { status, confidence, reference } = session.end;
  return answered({
    SessionId: session.id,
    Status: status === 'pending' ? 'IN_PROGRESS' : status.toUpperCase(),
    ...(status === 'succeeded' && confidence !== undefined ? { Confidence: confidence } : {}),
    ...(status === 'succeeded' && reference
      ? { ReferenceImage: { Bytes: pictureOf(session), BoundingBox: box } }
      : {}),
    AuditImages: [],
    Challenge: { Type: 'FaceMovementAndLightChallenge', Version: '2.0.0' },
  });
}

const box = { Width: 0.4, Height: 0.5, Left: 0.3, Top: 0.2 };
/** Appends the session's name, so that each picture is unique. */
const pictureOf = ({ id, end }: FaceSession): string =>
  Buffer.concat([end.reference ?? new Uint8Array(), Buffer.from(id)]).toString('base64');

function compare(sessions: FaceSessions, input: Input): ProviderAnswer {
  const { SourceImage: source, TargetImage: target, SimilarityThreshold: threshold } = input;
  const names = ['SourceImage', 'TargetImage', 'SimilarityThreshold', 'QualityFilter'];
  if (!hasOnly(input, names) || threshold !== 0) return refuse('InvalidParameterException');
  const [portrait, picture] = [imageOf(source), imageOf(target)];
  if (!portrait || !picture) return refuse('InvalidImageFormatException');
  const session = sessions.find(picture.subarray(-36).toString());
  const { similarity } = session?.end ?? {};
  if (!session || similarity === undefined || similarity === null) {
    return refuse('InvalidParameterException');
  }
  session.portrait = portrait;
  return answered({
    SourceImageFace: { BoundingBox: box, Confidence: 99.9 },
    FaceMatches: [{ Similarity: similarity, Face: { BoundingBox: box, Confidence: 99.8 } }],
    UnmatchedFaces: [],
  });
}

/** Decodes a JPEG or PNG; null for other data. */
function imageOf(image: unknown): Buffer | null {
  const { Bytes: text } = Object(image);
  if (typeof text !== 'string' || !hasOnly(image, ['Bytes'])) return null;
  const bytes = Buffer.from(text, 'base64');
  const head = bytes.subarray(0, 3).toString('hex');
  return bytes.length <= imageBytesMax && ['ffd8ff', '89504e'].includes(head) ? bytes : null;
}

/** The settings that configure this stand-in. */
export const rekognitionSettings = ({ url }: Pick<Provider, 'url'>) => ({
  FACE_REKOGNITION_REGION: rekognitionAccount.region,
  FACE_REKOGNITION_ACCESS_KEY_ID: rekognitionAccount.accessKeyId,
  FACE_REKOGNITION_SECRET_ACCESS_KEY: rekognitionAccount.secretAccessKey,
  FACE_REKOGNITION_URL: url,
});
