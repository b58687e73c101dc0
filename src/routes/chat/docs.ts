import { z } from 'zod'
import { boundedList, bounds } from '../../http/limits/bounds.ts'
import type { RouteDocs } from '../../http/openapi/docs.ts'
import { chatBody, clientTool } from '../turn-request/chat-body.ts'
import { turnDocs } from '../turn-request/docs.ts'
import { serviceOptions } from '../turn-request/options.ts'
import { namesOf } from '../turn-request/parameters.ts'
import { chatParameters } from './parameters.ts'
import { completionSchema, streamData } from './reply-schema.ts'

/** The body, with the members that code reads outside its schema. */
const request = chatBody
  .extend({
    tools: boundedList(clientTool, bounds.tools).nullish().describe('Tools of other types are ignored.'),
    x_service: serviceOptions.nullish(),
    metadata: z
      .looseObject({})
      .meta({ maxProperties: bounds.metadata.max })
      .nullish()
      .describe(
        'Another place for the members of `x_service`: as `service.session_id` and so on, or as the object `service`.',
      ),
  })
  .meta({ id: 'ChatRequest' })

const description = `Each request runs an agent turn: the agent searches the library, reads and writes the files of \
the project, and answers with citations that were compared with the texts. A turn can take minutes; streaming is \
recommended.

**Where it runs.** \`x_service\`, else the headers \`x-service-session-id\` and \`x-service-project-id\`, else \`metadata\` \
name a session or project; the other members of \`x_service\` can be sent in the same ways. What is not named is made. Resuming a session asks for the scope \`sessions:write\` too. With \
a session only the messages after the last assistant message are new.

**Parameters.** Those that the schema lists are honoured. ${namesOf(chatParameters, 'refused')} are refused as \
\`unsupported_parameter\`, but for values that change nothing. ${namesOf(chatParameters, 'ignored')} are accepted and \
ignored, as is every other one.

**Answers as JSON.** With a \`response_format\` the answer is checked before it is sent. One that does not fit is asked for \
once more; a second one that does not fit fails the turn as \`upstream_error\`. The built-in model fails as \`invalid_value\`
when it has no answer that fits.

**Whole reply.** One that takes more than 15 seconds begins with newlines; after that a failure is a completion that says \
so in its text and in \`x_service.error\`. With \`x_service.background\` the reply comes at once, empty, and the run is \
followed under \`/v1/agent/runs/{id}\`.

**Stream** (\`stream: true\`). Server-sent events without names or ids, each one \`data:\` line whose JSON the schema \
describes: first a chunk with the role and the ids in \`x_service\`; then text in \`choices[0].delta.content\`, and progress \
as an empty delta beside \`x_service.event\`; all citations in one \`delta.annotations\`; calls of the client’s own tools in \
one \`delta.tool_calls\`; one chunk with \`finish_reason\` and the complete \`x_service\`; with \
\`stream_options.include_usage\` one chunk without choices that has \`usage\`; then \`data: [DONE]\`. After ten seconds of \
silence come a comment and an empty delta. A failure after the headers is one frame with \`error\`, then \`[DONE]\`.

**Retries.** A request with the \`Idempotency-Key\` of an earlier one reads that one’s run, from its start. So does one that \
repeats another with \`X-Stainless-Retry-Count\` above 0, or after the connection of the first was lost or its reply was \
cut short by the service.`

export const chatDocs: RouteDocs = {
  summary: 'Ask',
  description,
  tag: 'Chat',
  body: request,
  example: { model: 'service', messages: [{ role: 'user', content: 'What is bittul?' }] },
  response: completionSchema,
  content: [{ type: 'text/event-stream', schema: streamData }],
  ...turnDocs,
  replyHeaders: { ...turnDocs.replyHeaders, location: 'The run of a background request.' },
}
