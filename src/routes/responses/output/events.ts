import type { BodyOf } from '../../../http/openapi/docs.ts'
import type { Run } from '../../../turns/run/run.ts'
import type { TerminalEvent } from '../../../turns/run/run-events.ts'
import { type CallItem, callsOf, endedResponse, type MessageItem, messageOf } from './response-body.ts'
import type { streamEvent } from './stream-schema.ts'

export type StreamEvent = BodyOf<typeof streamEvent>

/** An event of a stream without its sequence number. */
export type EventBody = StreamEvent extends infer Event
  ? Event extends StreamEvent
    ? Omit<Event, 'sequence_number'>
    : never
  : never

/** Position of the message, after the reasoning, if there is any, and of a part of it. */
function placeOf(run: Run, reasoning: string, content_index = 0) {
  return { item_id: run.messageId, output_index: reasoning === '' ? 0 : 1, content_index }
}

type Place = ReturnType<typeof placeOf>

/** @param reasoning the text of the reasoning so far. Here and below: empty if the response has no reasoning item. */
export function messageOpened(run: Run, reasoning: string): readonly EventBody[] {
  return [itemOpened(run, reasoning), textOpened(placeOf(run, reasoning))]
}

function itemOpened(run: Run, reasoning: string): EventBody {
  const item = {
    id: run.messageId,
    type: 'message' as const,
    role: 'assistant' as const,
    status: 'in_progress' as const,
    content: [],
  }
  return { type: 'response.output_item.added', output_index: placeOf(run, reasoning).output_index, item }
}

function textOpened(place: Place): EventBody {
  const part = { type: 'output_text' as const, text: '', annotations: [], logprobs: [] }
  return { type: 'response.content_part.added', ...place, part }
}

export function textAdded(run: Run, delta: string, reasoning: string): EventBody {
  return { type: 'response.output_text.delta', ...placeOf(run, reasoning), delta, logprobs: [] }
}

/**
 * The events at the end of a run: the end of the message, the calls of client tools, and the whole response.
 */
export function turnEnded(
  run: Run,
  event: TerminalEvent,
  isOpen: boolean,
  reasoning: string,
): readonly EventBody[] {
  const message = messageClosed(run, event, isOpen, reasoning)
  const first = placeOf(run, reasoning).output_index + (message.length > 0 ? 1 : 0)
  const calls = callsOf(run, event.end).flatMap((item, index) => callMade(item, first + index))
  return [...message, ...calls, responseEnded(run, event, reasoning)]
}

function messageClosed(
  run: Run,
  event: TerminalEvent,
  isOpen: boolean,
  reasoning: string,
): readonly EventBody[] {
  const item = messageOf(run, event)
  if (!item) return []
  const parts = item.content.flatMap((part, index) => {
    const place = placeOf(run, reasoning, index)
    if (part.type === 'refusal') return refusalMade(part, place)
    return [...(isOpen ? [] : [textOpened(place)]), ...textClosed(run, event, part, reasoning)]
  })
  return [
    ...(isOpen ? [] : [itemOpened(run, reasoning)]),
    ...parts,
    { type: 'response.output_item.done', output_index: placeOf(run, reasoning).output_index, item },
  ]
}

type Part = MessageItem['content'][number]

function textClosed(
  run: Run,
  event: TerminalEvent,
  part: Extract<Part, { type: 'output_text' }>,
  reasoning: string,
): readonly EventBody[] {
  const place = placeOf(run, reasoning)
  return [
    ...(event.end.source_list === '' ? [] : [textAdded(run, event.end.source_list, reasoning)]),
    ...part.annotations.map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added' as const,
      ...place,
      annotation_index,
      annotation,
    })),
    { type: 'response.output_text.done', ...place, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
  ]
}

function refusalMade(part: Extract<Part, { type: 'refusal' }>, place: Place): readonly EventBody[] {
  const { refusal } = part
  return [
    { type: 'response.content_part.added', ...place, part: { ...part, refusal: '' } },
    { type: 'response.refusal.delta', ...place, delta: refusal },
    { type: 'response.refusal.done', ...place, refusal },
    { type: 'response.content_part.done', ...place, part },
  ]
}

function callMade(item: CallItem, output_index: number): readonly EventBody[] {
  const place = { item_id: item.id, output_index }
  const status = 'in_progress' as const
  if (item.type === 'custom_tool_call') {
    return [
      { type: 'response.output_item.added', output_index, item: { ...item, status, input: '' } },
      { type: 'response.custom_tool_call_input.delta', ...place, delta: item.input },
      { type: 'response.custom_tool_call_input.done', ...place, input: item.input },
      { type: 'response.output_item.done', output_index, item },
    ]
  }
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, status, arguments: '' } },
    { type: 'response.function_call_arguments.delta', ...place, delta: item.arguments },
    {
      type: 'response.function_call_arguments.done',
      ...place,
      name: item.name,
      arguments: item.arguments,
    },
    { type: 'response.output_item.done', output_index, item },
  ]
}

/**
 * The API has no event for a cancelled response. It ends with `response.failed`, and its status is
 * `cancelled`.
 */
function responseEnded(run: Run, event: TerminalEvent, reasoning: string): EventBody {
  const response = endedResponse(run, event, reasoning)
  switch (response.status) {
    case 'completed':
      return { type: 'response.completed', response }
    case 'incomplete':
      return { type: 'response.incomplete', response }
    default:
      return { type: 'response.failed', response }
  }
}
