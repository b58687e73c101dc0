import { z } from 'zod'
import { count } from '../../http/openapi/docs.ts'
import { citedSource, fileChange, freeQuotation, runStatus, turnUsage, unknownRef } from './turn-schema.ts'

const failure = z.object({ code: z.string(), message: z.string() })

/** `x_service`: the ids are set from the start, the rest when the run has ended. */
export const serviceBlock = z
  .object({
    project_id: z.string(),
    session_id: z.string(),
    run_id: z.string(),
    message_id: z.string(),
    status: runStatus,
    files: z.array(fileChange),
    sources: z.array(citedSource),
    unknown_marks: count
      .optional()
      .describe('Citations of sources that the model was never given; they were left out'),
    unknown_refs: z.array(unknownRef).optional(),
    quotations: z.array(freeQuotation).optional(),
    question_quotations: z
      .array(freeQuotation)
      .optional()
      .describe(
        'Quotations of the question: those that it attributes to a work or a place, and those that the library has',
      ),
    usage: turnUsage.optional(),
    error: failure.optional().describe('How the turn failed, in a reply without an error status'),
  })
  .meta({
    id: 'ServiceBlock',
    description: 'Where the turn ran and what it made; complete once it has ended.',
  })
