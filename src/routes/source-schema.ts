import { z } from 'zod'
import { count, listOf } from '../http/openapi/docs.ts'
import { rankingRules } from '../sources/search/ranking-rules.ts'
import { quoteCheck } from './turn-reply/turn-schema.ts'

export const workSchema = z
  .object({
    id: z.string().describe('The title'),
    object: z.literal('source.work'),
    title: z.string(),
    he_title: z.string(),
    author: z.string(),
    categories: z.array(z.string()),
    composed: z
      .object({ from: z.int(), to: z.int() })
      .nullable()
      .describe(
        'First and last year in which it was written, negative before the common era; null if unknown',
      ),
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
    url: z.string().describe('Where the text comes from, else where this service shows it'),
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
      .object({ share: z.number(), words: z.number(), titled: z.boolean(), evidence: z.number() })
      .describe(
        'How much of what the query asks for the passage has. Above 0, `evidence` says that it is about the question',
      ),
    matched: z
      .array(
        z.object({
          word: z.string().describe('As the query has it'),
          by: z.string().describe('As the passage or its heading has it'),
          through: z.enum(['vocabulary', 'lexicon', 'synonyms', 'spelling']),
        }),
      )
      .describe(
        'Words of the query that the passage has in the other language or under another name: by the names that the service knows, its lexicon, the parallel texts of the library, or another spelling',
      ),
    score: z.number().describe('Comparable within one search only'),
    explanation: z
      .object({
        terms: z
          .array(
            z.object({
              word: z.string(),
              script: z.enum(['he', 'en']).describe('The texts in which it was searched'),
              found: z.array(z.string()).describe('Its index terms that the passage has'),
              terms: count.describe('Number of its index terms that the library has'),
              documents: count.describe('Its frequency in the texts of the library'),
              weight: z.number().describe('Its weight in the ranking'),
            }),
          )
          .describe('The words and phrases of the query as they were searched'),
        signals: z
          .object({
            bm25: z.number(),
            order: z.number(),
            title: z.number(),
            section: z.number(),
            languages: z.number(),
            titled: z.literal(true).optional(),
            meaning: count.optional().describe('Rank by meaning'),
            source: z.literal(true).optional(),
            reference: z.literal(true).optional(),
            phrase: count.optional(),
            entry: z.literal(true).optional(),
            named: z.literal(true).optional(),
          })
          .describe('What the rules read. The first five numbers add up to the fit of the words'),
        rules: z
          .array(
            z.object({
              rule: z.enum(rankingRules.map(({ name }) => name)),
              rank: count,
              score: z.number(),
            }),
          )
          .describe('The rules that changed its rank or score, in their order'),
        floor: z
          .object({
            words: z.number(),
            names: z.number(),
            share: z.number(),
            title: z.number(),
            field: z.number(),
            everyday: z.number(),
            unknown: z.number(),
            needed: z.number(),
          })
          .describe('The parts of `coverage.evidence`'),
      })
      .optional()
      .describe('Only with `explain=true`: why the hit has its rank, and what the relevance floor weighed'),
  })
  .meta({ id: 'SearchHit' })

export const hitList = listOf(hitSchema)
  .extend({
    unknown_ref: z
      .object({
        ref: z.string().describe('As the query writes it: a ref, or a book that nobody knows'),
        nearest: z.string().nullable().describe('A ref that exists; null when the library lacks the work'),
        cited_by: z
          .array(z.string())
          .optional()
          .describe(
            'Only for a place of the Bible or the Talmud: up to five refs of passages that cite it; empty when none does',
          ),
      })
      .optional()
      .describe(
        'The query names a ref or a book that does not exist here; the hits cite it, or were found by words where nothing does',
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

const comparedPlace = z.object({
  ref: z.string(),
  version: z.string().optional(),
  result: z.enum(['verbatim', 'edited', 'fuzzy', 'none']).describe('`none`: nothing there is similar enough'),
  similarity: z.number().min(0).max(1).optional(),
})

const explanation = z
  .object({
    rule: z.enum([
      'at_its_place',
      'in_another_version',
      'cited_by_a_passage',
      'elsewhere',
      'place_without_the_words',
      'named_place_differs',
      'other_script',
      'beside_its_original',
      'nothing_similar',
    ]),
    comparisons: z
      .array(
        z.object({
          searched: z.enum([
            'marks',
            'other_versions',
            'named_refs',
            'paragraph',
            'other_marks',
            'named_work',
            'library',
          ]),
          compared: z.array(comparedPlace),
        }),
      )
      .describe('In the order in which they were made'),
  })
  .meta({ id: 'VerdictExplanation', description: 'Why a quotation has its verdict. Only with `explain`.' })

const notCompared = z.object({
  text: z.string(),
  start: count.describe('Offset in the text, in UTF-16 units'),
  end: count,
  reason: z.enum([
    'too_short',
    'emphasis',
    'ref',
    'name_of_source',
    'title',
    'said_missing',
    'of_the_reader',
    'limit',
  ]),
})

const refReading = z
  .object({
    normalised: z.string().describe('Without a web address, with digits for numbers in words'),
    tokens: z.array(
      z.object({
        start: count.describe('Offset in the normalised ref, in UTF-16 units'),
        end: count,
        text: z.string(),
        kind: z.enum(['name', 'unit', 'number', 'side', 'year']),
        unit: z.string().optional(),
        value: z.string().optional(),
      }),
    ),
    looked_up: z
      .array(z.object({ title: z.string(), address: z.string(), ref: z.string() }))
      .describe('Titles and numbers that the library was asked for, in this order'),
    is_page: z.boolean().describe('Whether it names a page or leaf'),
  })
  .meta({ id: 'RefReading', description: 'How a ref was read. Only with `explain`.' })

export const verificationSchema = z
  .object({
    object: z.literal('source.verification'),
    quotes: z.array(
      z.object({
        ...quoteCheck.shape,
        ref: z.string().optional().describe('What it was compared with; absent if the text names nothing'),
        explanation: explanation.optional(),
      }),
    ),
    refs: z.array(
      z.object({
        ref: z.string().describe('In full, as the library was asked'),
        exists: z.boolean(),
        nearest: z.string().nullable(),
        text: z.string().optional().describe('As it stands in the text'),
        found_ref: z.string().optional().describe('As the library writes it'),
        reading: refReading.optional(),
      }),
    ),
    not_compared: z
      .array(notCompared)
      .optional()
      .describe(
        'Only with `explain`: words that look like a quotation and were not compared, each with the reason',
      ),
    unchecked: count.describe(
      'Quotations that were left out: those beyond the first 500, and those not reached within 20 s',
    ),
  })
  .meta({ id: 'Verification' })
