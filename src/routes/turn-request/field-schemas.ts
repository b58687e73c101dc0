import { createHash } from 'node:crypto'
import { z } from 'zod'
import { isPublicHost } from '../../addresses/public-hosts.ts'
import { whyImpossible } from '../../agent/schema/impossible-schema.ts'
import { largestExpansion } from '../../agent/schema/schema-expansion.ts'
import { invalidValue } from '../../errors.ts'
import { atMost, type Bound, boundedText, bounds } from '../../http/limits/bounds.ts'
import { mayBeData, sizeWithin } from '../../http/limits/value-size.ts'
import { idText } from '../../http/openapi/zod.ts'
import { updateInSlices } from './hash-slices.ts'

/** Schemas of the fields that chat requests and requests for responses share. */

function beyond(bound: Bound) {
  return {
    code: 'too_big' as const,
    origin: 'object' as const,
    maximum: bound.max,
    message: atMost(bound),
  }
}

/**
 * URL of an image, or a data URL that contains it. The model's server may fetch the URL as it is, so one into that server's
 * own network is refused.
 */
export const imageUrl = boundedText(bounds.data)
  .regex(/^(https?:\/\/|data:image\/)/, 'must be an http(s) or a data:image URL')
  .refine((url) => url.startsWith('data:') || url.length <= bounds.url.max, atMost(bounds.url))
  .refine(
    (url) => url.startsWith('data:') || isPublicHost(URL.parse(url)?.hostname ?? ''),
    'must be an address of the public internet. Send the image as a data URL',
  )

/** A limit of tokens; some clients send -1 for "no limit". */
export const tokenLimit = z
  .preprocess((sent) => (sent === -1 ? null : sent), z.number().int().min(1).nullish())
  .optional()

/** The members of a part with a file. */
export const sentFile = {
  file_id: idText.nullish(),
  filename: boundedText(bounds.id).nullish(),
  file_data: boundedText(bounds.data).nullish(),
}

/** A file is named by its id, or sent with a name. */
export const namesOneFile = [
  (file: z.output<z.ZodObject<typeof sentFile>>) =>
    file.file_id ? !file.file_data : Boolean(file.file_data && file.filename),
  { error: 'must have a `file_id`, or `file_data` and a `filename`' },
] as const

/** The JSON Schema of a tool's parameters. */
export const toolParameters = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  const most = { values: bounds.schemaValues.max, characters: bounds.schemaText.max }
  const { values, characters } = sizeWithin(schema, most)
  const exceeded =
    values > most.values ? bounds.schemaValues : characters > most.characters ? bounds.schemaText : undefined
  if (exceeded) context.addIssue({ ...beyond(exceeded), continue: false })
})

/**
 * The JSON Schema of an answer; the service validates each answer with it. A schema that no answer can fit is refused,
 * because its turn would be charged and fail.
 */
export const answerSchema = toolParameters.superRefine((schema, context) => {
  if (largestExpansion(schema) > bounds.schemaSteps.max) {
    const message = `${atMost(bounds.schemaSteps)} for one value, with its references followed, and no reference to itself`
    context.addIssue({ code: 'custom', message, input: schema })
    return
  }
  const reason = whyImpossible(schema)
  if (reason === null) return
  const message = `must allow a value, but ${reason}. Correct the schema`
  context.addIssue({ code: 'custom', message, input: schema })
})

/** Any form is accepted, because clients put the service's options into `metadata` in several ways. */
export const metadata = z.unknown().superRefine((value, context) => {
  if (typeof value === 'string') {
    if (value.length > bounds.metadataText.max) {
      context.addIssue(beyond(bounds.metadataText))
    }
    return
  }
  if (typeof value !== 'object' || value === null) return
  const entries = Object.entries(value)
  if (entries.length > bounds.metadata.max) {
    context.addIssue(beyond(bounds.metadata))
    return
  }
  const long = entries.find(([, text]) => typeof text === 'string' && text.length > bounds.metadataText.max)
  if (long) context.addIssue({ ...beyond(bounds.metadataText), path: [long[0]] })
})

/**
 * Limits the sum of all texts of a body, without the data of images and files: that text is counted, hashed
 * and stored in one piece.
 * @throws ServiceError `invalid_value`
 */
export function requireTextWithin(body: unknown, param: 'messages' | 'input' | 'items'): void {
  const most = { values: Infinity, characters: bounds.requestText.max }
  const { characters } = sizeWithin(body, most, (name, text) => !mayBeData(name, text))
  if (characters <= most.characters) return
  throw invalidValue(
    `The texts of the request may have ${atMost(bounds.requestText)} together. Send less, or continue a session.`,
    param,
  )
}

/** Hash of the parsed body and the options; equal requests have the same hash. */
export async function requestHash(
  api: 'chat' | 'responses' | 'mcp',
  options: object,
  body: object,
): Promise<Buffer> {
  const hash = createHash('sha256')
  await updateInSlices(hash, JSON.stringify([api, options, body]))
  return hash.digest()
}
