import { z } from 'zod'
import { count, listOf } from '../http/openapi-docs.ts'
import { quoteCheck } from './turn-schema.ts'

export const workSchema = z
  .object({
    id: z.string().describe('The title'),
    object: z.literal('source.work'),
    title: z.string(),
    he_title: z.string(),
    author: z.string(),
    categories: z.array(z.string()),
    languages: z.array(z.string()),
    passages: count,
  })
  .meta({ id: 'Work' })

export const workList = listOf(workSchema).meta({ id: 'WorkList' })

export const passageSchema = z
  .object({
    ref: z.string(),
    he_ref: z.string(),
    title: z.string(),
    work: z.string(),
    author: z.string(),
    language: z.string(),
    version: z.string(),
    license: z.string(),
    url: z.string(),
    text: z.string(),
  })
  .meta({ id: 'Passage', description: 'A passage in one version.' })

export const hitSchema = z
  .object({
    id: z.string().describe('Place in this ranking, which `after` takes'),
    object: z.literal('source.hit'),
    ...passageSchema.shape,
    snippet: z.string(),
    coverage: z
      .object({ share: z.number(), words: z.number(), titled: z.boolean() })
      .describe('How much of what the query asks for the passage has'),
    score: z.number().describe('Comparable within one search only'),
  })
  .meta({ id: 'SearchHit' })

export const hitList = listOf(hitSchema)
  .extend({
    unknown_ref: z
      .object({ ref: z.string(), nearest: z.string() })
      .optional()
      .describe(
        'The query is a ref that does not exist, under a title that does; the hits were found by words',
      ),
  })
  .meta({ id: 'SearchHitList' })

export const sourceSchema = z
  .object({
    object: z.literal('source'),
    ref: z.string(),
    passages: z.array(passageSchema),
    links: z.array(z.object({ from: z.string(), to: z.array(z.string()) })),
  })
  .meta({ id: 'Source' })

export const verificationSchema = z
  .object({
    object: z.literal('source.verification'),
    quotes: z.array(
      z.object({
        ...quoteCheck.shape,
        ref: z.string().optional().describe('What it was compared with; absent if the text names nothing'),
      }),
    ),
    refs: z.array(z.object({ ref: z.string(), exists: z.boolean(), nearest: z.string().nullable() })),
    unchecked: count.describe(
      'Quotations that were left out: those beyond the first 500, and those not reached within 20 s',
    ),
  })
  .meta({ id: 'Verification' })
