import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { requireScope } from '../../accounts/principal.ts'
import { ServiceError } from '../../errors.ts'
import { boundedText, bounds } from '../../http/limits/bounds.ts'
import { idText } from '../../http/openapi/zod.ts'
import { idempotencyKey } from '../../http/retry-headers.ts'
import { type Admitted, admitTurn } from '../../turns/admit/admit-turn.ts'
import type { ClientTurn } from '../../turns/admit/client-turn.ts'
import { requireModel } from '../../turns/admit/requested-model.ts'
import { clientDisconnected, replyCutShort } from '../../turns/read/client-disconnect.ts'
import { followRun } from '../../turns/read/follow.ts'
import { isTerminal, type TerminalEvent } from '../../turns/run/run-events.ts'
import type { RunRequest } from '../../turns/run/run-request.ts'
import { closeAfterReply, onReplySent } from '../turn-reply/delivery.ts'
import { endBlock } from '../turn-reply/service-block.ts'
import { contentOf, failureOf } from '../turn-reply/wire.ts'
import { requireContext } from '../turn-request/context.ts'
import { requestHash } from '../turn-request/field-schemas.ts'
import { maxTokensOf } from '../turn-request/key-defaults.ts'
import { optionsOf, type ServiceOptions } from '../turn-request/options.ts'
import { createProgress } from './ask-progress.ts'
import type { Caller } from './caller.ts'
import { toolInput } from './tool-input.ts'
import { dataResult, errorResult, toolResult } from './tool-result.ts'

const askInput = z.object({
  question: boundedText(bounds.text).min(1).describe('A question in any language'),
  session_id: idText.optional().describe('The session of an earlier answer, to continue it'),
  project_id: idText.optional().describe('The project in which a new session starts'),
  model: boundedText(bounds.name)
    .min(1)
    .optional()
    .describe('By default that of the key, otherwise the first model of the service'),
})

type AskInput = z.output<typeof askInput>

/**
 * Registers `ask`, an agent turn. It is charged like a chat request. The same call repeated after a lost connection
 * finds the same run, and is not charged a second time.
 * @param cancels whether a disconnect cancels the turn, unless the key says otherwise: in protocol revision 2026-07-28
 *   it means that the user cancelled, in earlier ones it does not.
 */
export function registerAsk(server: McpServer, caller: Caller, cancels: boolean): void {
  server.registerTool(
    'ask',
    {
      title: 'Ask the library',
      description:
        'Answers a question from the library in a full agent turn, with sources and checked quotations. It can take minutes and costs credits. To look up passages yourself, use `search` and `fetch`, which are free.',
      inputSchema: toolInput(askInput),
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    (input, ctx) =>
      toolResult(caller.services.log, 'ask', async () => {
        requireScope(caller.principal, 'chat:write')
        const admitted = await admit(caller, input, await identityOf(input, ctx), cancels)
        const event = await follow(caller, admitted, ctx)
        return answerResult(admitted, event)
      }),
  )
}

/** Member of a call's `_meta` with the client's idempotency key, named like the HTTP header. */
const keyMember = 'idempotency-key'

/** A request id of this length is random. Shorter ones, such as the numbers of most clients, begin again with each connection. */
const minUniqueId = 16

/**
 * What makes two calls the same call: the key in `_meta`, otherwise the id of the JSON-RPC request together with the body. An
 * id without a key counts for 15 minutes, and only if no other client sends the same by chance: it is long, or the call
 * continues a session.
 */
async function identityOf(input: AskInput, { mcpReq: { id, _meta } }: ServerContext) {
  const key = idempotencyKey(_meta?.[keyMember], `_meta["${keyMember}"]`)
  const isUnique = String(id).length >= minUniqueId || input.session_id !== undefined
  const retried = key === undefined && isUnique
  return { hash: await requestHash('mcp', retried ? { id } : {}, input), key, retried }
}

async function admit(
  caller: Caller,
  input: AskInput,
  identity: ClientTurn['identity'],
  cancels: boolean,
): Promise<Admitted> {
  const { services, principal, left, origin } = caller
  const [sessionId, projectId] = [input.session_id, input.project_id]
  const params = { session: 'session_id', project: 'project_id' }
  await requireContext(services, principal, { sessionId, projectId }, params)
  const model = requireModel(services, input.model ?? principal.defaults?.model ?? defaultModel(caller))
  const messages = [{ role: 'user' as const, content: input.question }]
  // The call has none of these options, so they are those of the key.
  const options = optionsOf({}, principal.defaults)
  const maxTokens = maxTokensOf(undefined, principal)
  return admitTurn(services, principal, {
    model: model.id,
    maxCostMicros: options.maxCostMicros,
    messages,
    sessionId,
    projectId,
    request: { ...requestOf(options, maxTokens), origin },
    identity,
    onDisconnect: principal.defaults?.onDisconnect ?? (cancels ? 'cancel' : 'continue'),
    left,
  })
}

function requestOf({ tools, citationStyle }: ServiceOptions, maxTokens: number | undefined): RunRequest {
  return {
    sampling: maxTokens === undefined ? {} : { maxTokens },
    clientTools: [],
    toolChoice: 'auto',
    sources: 'inline',
    ...(tools && { toolGroups: tools }),
    ...(citationStyle === 'links' && { citationStyle: 'links' }),
  }
}

function defaultModel({ services }: Caller): string {
  const first = services.catalogue.models.find(({ isLite }) => !isLite)
  if (!first) throw new ServiceError('model_not_found', 'The service has no model.')
  return first.id
}

/**
 * Follows the run to its end and reports progress, if the client asked for it.
 * @throws ServiceError `overloaded` when this process loses the run. The same call finds it again.
 */
async function follow(
  { services, left, reply }: Caller,
  { run, client }: Admitted,
  ctx: ServerContext,
): Promise<TerminalEvent> {
  const cancel = run.onDisconnect === 'cancel'
  const whenLeft = () => void clientDisconnected(services, run, client, { cancel })
  if (left.aborted) whenLeft()
  else left.addEventListener('abort', whenLeft)
  const progress = createProgress(ctx)
  let end: TerminalEvent | undefined
  await followRun(services, run, left, (events) => {
    end ??= events.find(isTerminal)
    return progress(events)
  })
  if (end) {
    onReplySent(reply, () => closeAfterReply(services, reply, run, client, left))
    return end
  }
  if (!left.aborted) await replyCutShort(services, run, client)
  throw new ServiceError(
    'overloaded',
    'The service is restarting, and the turn continues. Make the same call again.',
  )
}

function answerResult({ run }: Admitted, event: TerminalEvent) {
  const block = endBlock(run, event)
  if (event.type !== 'run.completed') return errorResult(failureOf(event).message)
  const { sources, quotations, question_quotations, unknown_refs, files, usage } = block
  const answer = contentOf(event.end)
  return {
    ...dataResult({
      answer,
      session_id: run.sessionId,
      run_id: run.id,
      files,
      sources,
      quotations,
      question_quotations,
      unknown_refs,
      usage,
    }),
    // The model reads the answer itself, not its JSON.
    content: [{ type: 'text' as const, text: answer }],
  }
}
