import { z } from 'zod'
import { count } from '../http/openapi-docs.ts'

/** What a turn's chat reply, its row and its events tell alike. */

export const runStatus = z.enum(['queued', 'in_progress', 'completed', 'failed', 'cancelled'])

export const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter'])

export const quoteCheck = z
  .object({
    quote: z.string().optional().describe('The quotation as the text has it'),
    result: z.enum(['verbatim', 'fuzzy', 'misattributed', 'not_found', 'paraphrase']),
    original: z.string().optional().describe('What stands in the passage, letter for letter'),
    start: count.optional().describe('Place of `original` in the passage, in UTF-16 units'),
    end: count.optional(),
    similarity: z.number().min(0).max(1).optional(),
    found_ref: z.string().optional().describe('A passage that has the quotation word for word'),
  })
  .meta({
    id: 'QuoteCheck',
    description: `What comparing a quotation with the passage it is attributed to came to. \`verbatim\`: it stands \
there. \`fuzzy\`: something at least 85 % alike stands there. \`misattributed\`: it stands in \`found_ref\` instead. \
\`not_found\`: none of these. \`paraphrase\`: the source is cited without a quotation.`,
  })

export const citedSource = z
  .object({
    n: z.int().min(1).describe('The number that stands in the text'),
    ref: z.string(),
    he_ref: z.string(),
    title: z.string(),
    work: z.string(),
    language: z.string(),
    version: z.string(),
    license: z.string(),
    url: z.string().describe('Empty when there is none'),
    text: z.string().describe('The passage as the model read it'),
    verification: z.array(quoteCheck),
  })
  .meta({ id: 'CitedSource' })

export const fileChange = z
  .object({
    id: z.string(),
    filename: z.string(),
    bytes: count,
    content_type: z.string(),
    action: z.enum(['created', 'updated']),
  })
  .meta({ id: 'FileChange', description: 'A file that the turn wrote.' })

export const unknownRef = z
  .object({ ref: z.string(), nearest: z.string().nullable() })
  .meta({ id: 'UnknownRef', description: 'A place that the text names and the library does not have.' })

/** OpenAI's usage object with the credits beside it. */
export const chatUsage = z
  .object({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    cost: z.number().min(0).describe('Credits charged for the turn'),
  })
  .meta({ id: 'ChatUsage' })

export const turnUsage = z
  .object({
    ...chatUsage.shape,
    model_calls: count,
    tool_calls: count,
    estimated: z
      .boolean()
      .describe(
        'True when a token count is estimated: the model told none or an impossible one, or a call was cut off',
      ),
  })
  .meta({ id: 'TurnUsage' })
