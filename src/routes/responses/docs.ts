import { z } from 'zod'
import { boundedList, boundedText, bounds } from '../../http/limits/bounds.ts'
import { count, deletedOf, type RouteDocs } from '../../http/openapi/docs.ts'
import { turnDocs } from '../turn-request/docs.ts'
import { serviceOptions } from '../turn-request/options.ts'
import { namesOf } from '../turn-request/parameters.ts'
import { inputItem } from './input/items.ts'
import { responsesParameters } from './input/parameters.ts'
import { responsesBody } from './input/schema.ts'
import { documentedTool } from './input/tools.ts'
import { itemList } from './output/items.ts'
import { responseSchema } from './output/reply-schema.ts'
import { streamEvent } from './output/stream-schema.ts'

/** The body, with the members that code reads outside its schema. */
const request = responsesBody
  .extend({
    input: z.union([boundedText(bounds.text), boundedList(inputItem, bounds.messages)]),
    tools: boundedList(documentedTool, bounds.tools).nullish().describe('Tools of other types are ignored.'),
    x_service: serviceOptions.nullish(),
    metadata: z
      .looseObject({})
      .meta({ maxProperties: bounds.metadata.max })
      .nullish()
      .describe('Texts are shown again; `service.session_id` and so on stand for members of `x_service`.'),
  })
  .meta({ id: 'ResponseRequest' })

const stream = `Server-sent events, each with \`event:\` (its \`type\`) and one \`data:\` line whose JSON the schema \
describes: \`response.created\`, \`response.in_progress\`; for the message \`response.output_item.added\`, \
\`response.content_part.added\`, \`response.output_text.delta\`, \`response.output_text.annotation.added\`, \
\`response.output_text.done\`, \`response.content_part.done\`, \`response.output_item.done\`; for each call of the client’s \
own tools \`response.output_item.added\`, \`response.function_call_arguments.delta\` and \`.done\`, \
\`response.output_item.done\`; at the end one of \`response.completed\`, \`response.incomplete\`, \`response.failed\` with the \
whole response. After ten seconds of silence comes the comment \`: keep-alive\`. \`error\` means that the stream ends \
although the turn goes on.`

const replyHeaders = {
  'x-service-run-id': 'The run behind the response.',
  'x-service-message-id': 'The message that the run writes; also the id of its output item.',
}

export const createDocs: RouteDocs = {
  summary: 'Ask, in the form of the Responses API',
  description: `The same turns as those of \`POST /v1/chat/completions\`, in another form.

**Where it runs.** As there; or \`previous_response_id\`, which asks for the scope \`sessions:write\` too, goes on from that \
response: in its session while nothing else was said there, else in a new session with a copy of the conversation. Outputs \
of function calls lead to the response that made the calls, named or not.

**Parameters.** Those that the schema lists are honoured. ${namesOf(responsesParameters, 'refused')} are refused as \
\`unsupported_parameter\`, but for values that change nothing. ${namesOf(responsesParameters, 'ignored')} are accepted and \
ignored, as is every other one.

**Background.** With \`background\` the reply comes at once; \`GET /v1/responses/{id}\` tells the rest. It can be streamed.

**Stream** (\`stream: true\`). ${stream}`,
  tag: 'Chat',
  body: request,
  example: { model: 'service', input: 'What is bittul?' },
  response: responseSchema,
  content: [{ type: 'text/event-stream', schema: streamEvent }],
  ...turnDocs,
  replyHeaders: {
    ...turnDocs.replyHeaders,
    ...replyHeaders,
    location: 'The response of a background request.',
  },
}

export const getDocs: RouteDocs = {
  summary: 'Get a response, or follow its events',
  description: `With \`stream=true\` its events, from the first or from the one after \`starting_after\`, while the turn \
goes on and for a day after its end; numbers and bytes are the same on every replica. Later the events are made from what \
the run has kept, and with \`starting_after\` only the last one comes.

${stream}`,
  tag: 'Chat',
  response: responseSchema,
  content: [{ type: 'text/event-stream', schema: streamEvent }],
}

export const responseDeleted = deletedOf('response').meta({ id: 'ResponseDeleted' })

export const deleteDocs: RouteDocs = {
  summary: 'Delete a response',
  description: `Deletes the run with its input, answer and events. What it cost stays in the usage, and its files stay in \
the project. Refused until it has ended.`,
  tag: 'Chat',
  response: responseDeleted,
  errors: ['session_busy', 'account_held'],
}

export const inputItemsDocs: RouteDocs = {
  summary: 'List the input items of a response',
  description: `The items that the request added to its conversation, with files by their ids.`,
  tag: 'Chat',
  response: itemList,
}

export const inputTokens = z
  .object({ object: z.literal('response.input_tokens'), input_tokens: count })
  .meta({ id: 'InputTokens' })

export const inputTokensDocs: RouteDocs = {
  summary: 'Count the input tokens of a request',
  description: `An estimate of the first prompt: the conversation, the input, the client's tools, and 2,000 tokens for the \
service's own instructions and tools. It starts no turn and costs nothing.`,
  tag: 'Chat',
  body: request.extend({ input: request.shape.input.nullish() }),
  example: { model: 'service', input: 'What is bittul?' },
  response: inputTokens,
  errors: ['not_found', 'model_not_found'],
}

export const cancelDocs: RouteDocs = {
  summary: 'Cancel a response',
  description: `Stops its turn and waits up to five seconds for its end. One that has ended stays as it is.`,
  tag: 'Chat',
  response: responseSchema,
}
