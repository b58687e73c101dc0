import { z } from 'zod'
import type { FileChange } from '../../agent/tools.ts'
import { type BodyOf, count } from '../../http/openapi/docs.ts'
import { checkedKindOf, type SourceKind, sourceKindOf } from '../../turns/read/source-kind.ts'
import type { Run } from '../../turns/run/run.ts'
import {
  type CitedSource,
  type RunEnd,
  type RunUsage,
  statusOf,
  type TerminalEvent,
} from '../../turns/run/run-events.ts'
import { citedSource, fileChange, freeQuotation, runStatus, turnUsage, unknownRef } from './turn-schema.ts'
import { usageBody } from './wire.ts'

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

export type ServiceBlock = BodyOf<typeof serviceBlock>

/** The `x_service` block before a run has ended. */
export function openBlock(run: Run, status: Run['status']): ServiceBlock {
  return {
    project_id: run.projectId,
    session_id: run.sessionId,
    run_id: run.id,
    message_id: run.messageId,
    status,
    files: [],
    sources: [],
  }
}

/** The complete `x_service` block of a run that has ended. */
export function endBlock(run: Run, event: TerminalEvent): ServiceBlock {
  const { end } = event
  return {
    ...openBlock(run, statusOf(event)),
    files: end.files.map(fileBody),
    sources: sourcesOf(end),
    unknown_marks: end.unknown_marks,
    unknown_refs: end.unknown_refs,
    quotations: quotationsOf(end),
    question_quotations: end.question_quotations ?? [],
    usage: turnUsageBody(end.usage),
  }
}

/** The cited sources, each with its kind and that of its checks. */
export function sourcesOf(end: RunEnd): ServiceBlock['sources'] {
  return end.sources.map((source) => ({
    ...source,
    kind: sourceKindOf(source),
    verification: source.verification.map((check) => withKind(check, source, end)),
  }))
}

/** The quotations without a citation, each with the kind of source that has it. */
export function quotationsOf(end: RunEnd): NonNullable<ServiceBlock['quotations']> {
  return (end.quotations ?? []).map((check) => withKind(check, undefined, end))
}

function withKind<C extends { readonly result: string; readonly found_ref?: string }>(
  check: C,
  source: CitedSource | undefined,
  end: RunEnd,
): C & { readonly source_kind?: SourceKind } {
  const kind = checkedKindOf(check, source, end)
  return kind === undefined ? check : { ...check, source_kind: kind }
}

/** Tokens, calls and cost of a turn, in full. */
export function turnUsageBody(usage: RunUsage): BodyOf<typeof turnUsage> {
  return {
    ...usageBody(usage),
    model_calls: usage.model_calls,
    tool_calls: usage.tool_calls,
    estimated: usage.estimated,
    ...(usage.left_out && { left_out: usage.left_out }),
    ...(usage.upstreams && { upstreams: usage.upstreams }),
  }
}

export function fileBody(file: FileChange): BodyOf<typeof fileChange> {
  return {
    id: file.id,
    filename: file.filename,
    bytes: file.bytes,
    content_type: file.contentType,
    action: file.action,
  }
}
