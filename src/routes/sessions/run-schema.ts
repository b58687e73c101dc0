import { z } from 'zod'
import { count, instant } from '../../http/openapi/docs.ts'
import {
  citedSource,
  fileChange,
  finishReason,
  freeQuotation,
  runStatus,
  turnUsage,
  unknownRef,
} from '../turn-reply/turn-schema.ts'

const outputItem = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('message'),
      id: z.string(),
      role: z.literal('assistant'),
      content: z.string(),
    }),
    z.object({ type: z.literal('tool_call'), id: z.string(), name: z.string(), arguments: z.string() }),
    z.object({ type: z.literal('source'), ...citedSource.shape }),
    z.object({ type: z.literal('quotation'), ...freeQuotation.shape }),
    z.object({ type: z.literal('question_quotation'), ...freeQuotation.shape }),
    z.object({ type: z.literal('file'), ...fileChange.shape }),
  ])
  .meta({ id: 'RunOutputItem' })

export const runSchema = z
  .object({
    id: z.string(),
    object: z.literal('agent.run'),
    status: runStatus,
    sessionId: z.string(),
    messageId: z.string().describe('Id of the message that the run writes'),
    model: z.string(),
    instructions: z
      .object({
        prompt: z.string().describe('The prompt of the service'),
        host: z.string().nullable().describe('The instructions of the host; null: none'),
        project: z.string().nullable().describe('The instructions of the project; null: none'),
      })
      .nullable()
      .describe(
        'What the model was told, as SHA-256 of each text; null for runs of version 0.2.0. `GET /v1/projects/{id}/instructions/{hash}` has the texts of the project',
      ),
    output: z.array(outputItem).describe('Empty until the run has ended'),
    error: z.string().describe('What went wrong; empty when nothing did'),
    credits: z.string().describe('What the ledger was charged, as decimal text'),
    usage: turnUsage,
    created_at: instant,
    started_at: instant.nullable(),
    finished_at: instant.nullable(),
    explanation: z
      .array(z.string())
      .optional()
      .describe(
        'With `explain=true`: why it was admitted, what it held and paid, which attempts and models took part',
      ),
  })
  .meta({ id: 'Run' })

const runEnd = z
  .object({
    text: z.string().describe('The answer without its list of sources'),
    refusal: z
      .string()
      .optional()
      .describe('The words with which the model refused to answer. Absent if it did not'),
    source_list: z.string().describe('The list that closes the shown text; may be empty'),
    sources: z.array(citedSource),
    citations: z.array(z.object({ n: z.int().min(1), start: count, end: count })),
    unknown_marks: count.describe('Citations of sources that the model was never given; they were left out'),
    unknown_refs: z.array(unknownRef),
    quotations: z.array(freeQuotation).optional().describe('Absent in ends that an earlier version logged'),
    question_quotations: z
      .array(freeQuotation)
      .optional()
      .describe(
        'Quotations of the question: those that it attributes to a work or a place, and those that the library has. Absent if there are none',
      ),
    files: z.array(fileChange),
    tool_calls: z
      .array(z.object({ id: z.string(), name: z.string(), arguments: z.string() }))
      .describe('Calls of the client’s own tools'),
    usage: turnUsage,
  })
  .meta({ id: 'RunEnd', description: 'What every end of a run tells.' })

const seq = z.int().min(1).describe('Position in the log; also the id of the SSE event')
const step = z.int().min(0)

export const runEvent = z
  .discriminatedUnion('type', [
    z.object({ seq, type: z.literal('run.queued') }),
    z.object({ seq, type: z.literal('run.started') }),
    z.object({ seq, type: z.literal('step.started'), step }),
    z.object({ seq, type: z.literal('step.restarted'), step, void_from_seq: z.int().min(1) }),
    z.object({
      seq,
      type: z.literal('text.delta'),
      step,
      text: z.string(),
      cited: z
        .array(z.object({ n: z.int().min(1), ref: z.string() }))
        .optional()
        .describe('Sources that the answer cites here for the first time, with their numbers'),
    }),
    z.object({ seq, type: z.literal('tool.started'), step, name: z.string(), title: z.string() }),
    z.object({ seq, type: z.literal('tool.finished'), step, name: z.string(), ok: z.boolean() }),
    z.object({ seq, type: z.literal('file'), step, file: fileChange }),
    z.object({ seq, type: z.literal('run.completed'), reason: finishReason, end: runEnd }),
    z.object({
      seq,
      type: z.literal('run.failed'),
      code: z.enum(['run_failed', 'upstream_failed', 'context_length_exceeded', 'invalid_value']),
      message: z.string(),
      param: z.string().optional().describe('The parameter that the model’s server refused'),
      end: runEnd,
    }),
    z.object({ seq, type: z.literal('run.cancelled'), end: runEnd }),
  ])
  .meta({ id: 'RunEvent', description: 'The JSON of one `data:` line of a run’s events.' })
