import { z } from 'zod'
import { count } from '../../http/openapi/docs.ts'

/** Schemas that a turn's chat reply, its row and its events share. */

export const runStatus = z.enum(['queued', 'in_progress', 'completed', 'failed', 'cancelled'])

export const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter'])

const sourceKind = z.enum(['library', 'file'])
const checkedKind = z.enum([...sourceKind.options, 'tool'])

const differences = z.array(
  z.object({
    kind: z.enum(['abbreviation', 'changed', 'left_out', 'added']),
    quote: z.string(),
    text: z.string(),
  }),
)

export const quoteCheck = z
  .object({
    quote: z.string().optional().describe('The quotation as the text has it'),
    result: z.enum([
      'verbatim',
      'edited',
      'fuzzy',
      'translation',
      'misattributed',
      'from_tool',
      'not_found',
      'paraphrase',
    ]),
    original: z.string().optional().describe('What stands in the passage, letter for letter'),
    start: count.optional().describe('Place of `original` in the passage, in UTF-16 units'),
    end: count.optional(),
    similarity: z.number().min(0).max(1).optional(),
    found_ref: z
      .string()
      .optional()
      .describe('The place that has the quotation; a range if it runs over several passages'),
    found_version: z
      .string()
      .optional()
      .describe('The version of `found_ref` that has the quotation, if the version cited does not'),
    named_ref: z
      .string()
      .optional()
      .describe('The place that the text names in words, if it is not that of the passage cited'),
    differences: differences
      .optional()
      .describe('What differs from the passage, in the words of the quotation and of the text'),
    nearest: z
      .object({ ref: z.string(), original: z.string(), differences })
      .optional()
      .describe('Only for `not_found`: the most similar wording of the place that the text attributes it to'),
    omitted_words: count
      .optional()
      .describe('Number of words of the passage that the ellipses of the quotation leave out'),
    context_warning: z
      .object({
        words: z.string(),
        where: z.enum(['before', 'after', 'ellipsis']),
        kind: z.enum(['negation', 'condition', 'speaker', 'length']).optional(),
      })
      .optional()
      .describe('Only in answers of an earlier version: words that the passage has beside the quoted words'),
    source_kind: checkedKind
      .optional()
      .describe('Only in answers: the kind of source that was compared. Absent when nothing was found'),
    position: z
      .int()
      .min(1)
      .optional()
      .describe(
        'Only in answers: number of the quotation among all of the answer, in their order. Absent in answers of an earlier version',
      ),
  })
  .meta({
    id: 'QuoteCheck',
    description: `What comparing a quotation with the passage it is attributed to came to. \`verbatim\`: it stands \
there in one piece. \`edited\`: its words stand there in order, but an ellipsis, brackets or a dropped prefix change them; \`differences\` has the words. \
\`fuzzy\`: something at least 85 % alike stands there. \`translation\`: the library has the passage only in another script, so the words were not \
compared. \`misattributed\`: it stands in \`found_ref\` instead, exactly, edited or closely. \`from_tool\`: it repeats a result of a tool of the client \
or of an outside server, and was not compared with the library. \`not_found\`: none of these. \`paraphrase\`: the source is cited, and no quotation of it was compared.`,
  })

export const citedSource = z
  .object({
    n: z.int().min(1).describe('The number that stands in the text'),
    kind: sourceKind.describe('`library`: a passage of the library; `file`: a part of a file of the project'),
    ref: z.string().describe('A ref of the library, or the name of a file and the place in it'),
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

export const freeQuotation = z
  .object({
    ...quoteCheck.shape,
    ref: z.string().optional().describe('The place that its sentence names, if it names one'),
  })
  .meta({
    id: 'Quotation',
    description: `A quotation of the answer that carries no citation. It was looked for at the place that its sentence \
names, and in the whole library: \`verbatim\`, \`edited\` and \`fuzzy\` were found (at \`ref\`, else at \`found_ref\`), \
\`misattributed\` stands in \`found_ref\` and not at \`ref\`, \`from_tool\` repeats the result of a tool, \`not_found\` stands nowhere in the library.`,
  })

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
  .object({
    ref: z.string(),
    nearest: z.string().nullable(),
    publisher: z
      .object({ ref: z.string(), url: z.string(), license: z.string() })
      .optional()
      .describe('Where the publisher has it. The service may not store it under this licence'),
  })
  .meta({ id: 'UnknownRef', description: 'A place that the text names and the library does not have.' })

/** OpenAI's usage object, with the credits added. */
export const chatUsage = z
  .object({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: z
      .object({
        cached_tokens: count.describe('Tokens that the model’s server read from its cache'),
        cache_write_tokens: count.optional().describe('Tokens that it wrote to its cache'),
      })
      .optional()
      .describe('Absent if it reports none'),
    completion_tokens_details: z
      .object({ reasoning_tokens: count.describe('Tokens that the model spent on reasoning') })
      .optional()
      .describe('Absent if its server reports none'),
    cost: z.number().min(0).describe('Credits charged for the turn'),
  })
  .meta({ id: 'ChatUsage' })

const upstream = z
  .object({
    step: z.int().min(1),
    name: z.string().describe('The server that answered, as the operator named it'),
    passed: z.array(
      z.object({ name: z.string(), reason: z.enum(['timeout', 'rate_limit', 'server_error', 'paused']) }),
    ),
  })
  .meta({
    id: 'Upstream',
    description: 'Which server of the model answered a step, and why earlier ones did not.',
  })

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
    left_out: z
      .array(z.string())
      .optional()
      .describe('Parameters that the model’s server refused, so that the turn ran without them'),
    upstreams: z.array(upstream).optional().describe('Of models that have several servers'),
  })
  .meta({ id: 'TurnUsage' })

export const functionCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})
export const customCall = z.object({
  id: z.string(),
  type: z.literal('custom'),
  custom: z.object({ name: z.string(), input: z.string() }),
})

export const toolCall = z
  .discriminatedUnion('type', [functionCall, customCall])
  .meta({ id: 'ToolCall', description: 'A call of one of the client’s own tools.' })
