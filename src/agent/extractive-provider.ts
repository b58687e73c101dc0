import { answerFormatOf } from './answer-format.ts'
import {
  asksForFile,
  asksForSheet,
  asksInHebrew,
  composeAnswer,
  composeFile,
  type FoundPassage,
  fileNameFor,
  nearestOfFile,
  searchWords,
  sheetArguments,
} from './extractive-answer.ts'
import { schemaFault } from './json-schema.ts'
import type { CallEnd, ModelMessage, ModelRequest, Provider } from './provider.ts'
import { fillSchema } from './schema-filling.ts'
import { estimateUsage } from './usage.ts'

/**
 * The model of a server without a model: it drives the same loop and the same tools, and answers with quoted
 * passages only. It searches, reads the best passage in all its versions, writes a file when one is asked for,
 * and then answers.
 */
export function createExtractiveProvider(): Provider {
  return {
    async ask(request, signal, hear) {
      const move = nextMove(request)
      if (signal.aborted) return stopped
      const text = move.kind === 'answer' ? shaped(request, move.text) : ''
      if (text === undefined) return unfit
      if (!pieces(text).every((piece) => !signal.aborted && hear(piece)))
        return signal.aborted ? stopped : { type: 'enough' }
      const calls =
        move.kind === 'call' ? [{ id: 'call', name: move.name, arguments: JSON.stringify(move.args) }] : []
      return {
        type: 'finish',
        reason: calls.length > 0 ? 'tool_calls' : 'stop',
        toolCalls: calls,
        usage: estimateUsage(request, text),
      }
    },
  }
}

const unfit: CallEnd = {
  type: 'error',
  kind: 'format',
  message:
    'The built-in model has no answer that fits the JSON Schema of the answer. Ask for a simpler one, or set up a language model.',
}

const stopped: CallEnd = { type: 'error', kind: 'aborted', message: 'The turn was stopped.' }

type Move =
  | { readonly kind: 'call'; readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: 'answer'; readonly text: string }

const maxQuoted = 3
/** What it searches for and how it answers show in fewer characters. */
const maxQuestion = 10_000

function nextMove(request: ModelRequest): Move {
  const { question, results } = currentTurn(request.messages)
  const may = (name: string) =>
    request.toolChoice !== 'none' && request.tools.some((tool) => tool.name === name) && !results.has(name)
  if (may('search_sources')) {
    return {
      kind: 'call',
      name: 'search_sources',
      args: { query: searchWords(question).slice(0, 500), limit: 8 },
    }
  }
  const found = passagesIn(results.get('search_sources'))
  const best = found[0]
  if (best && may('read_source')) return { kind: 'call', name: 'read_source', args: { ref: best.ref } }
  const fromLibrary = choose(question, found, passagesIn(results.get('read_source')))
  const fromFile = nearestOfFile(question, passagesIn(results.get('read_file')))
  const quoted = [...fromFile, ...fromLibrary].slice(0, maxQuoted)
  if (fromLibrary.length > 0 && asksForSheet(question) && may('make_source_sheet')) {
    return { kind: 'call', name: 'make_source_sheet', args: sheetArguments(question, fromLibrary) }
  }
  if (quoted.length > 0 && asksForFile(question) && !results.has('make_source_sheet') && may('write_file')) {
    const args = { name: fileNameFor(question), content: composeFile(question, quoted) }
    return { kind: 'call', name: 'write_file', args }
  }
  const fileName = fileWritten(question, results)
  return {
    kind: 'answer',
    text: composeAnswer(question, quoted, { fileName, attached: fromFile.length > 0 }),
  }
}

function fileWritten(question: string, results: Results): string | undefined {
  const sheet = results.get('make_source_sheet')?.['written']
  if (Array.isArray(sheet)) return sheet.join(', ')
  const written = results.get('write_file')
  return written && !('error' in written) ? fileNameFor(question) : undefined
}

/** The best passage in the asker's language first and in the other one, then the next best places. */
function choose(
  question: string,
  found: readonly FoundPassage[],
  read: readonly FoundPassage[],
): readonly FoundPassage[] {
  const asked = asksInHebrew(question) ? 'he' : 'en'
  const bothVersions = read
    .filter((passage) => passage.ref === found[0]?.ref)
    .toSorted((a, b) => Number(b.language === asked) - Number(a.language === asked))
  const first = bothVersions.length > 0 ? bothVersions.slice(0, 2) : found.slice(0, 1)
  const refs = new Set(first.map((passage) => passage.ref))
  const inAsked = found.filter((passage) => passage.language === asked)
  const others = inAsked.filter((passage) => !refs.has(passage.ref) && refs.add(passage.ref))
  return [...first, ...others].slice(0, maxQuoted)
}

type Results = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/** The newest question, and the results of the tools that were called since, by the tool's name. */
function currentTurn(messages: readonly ModelMessage[]): { question: string; results: Results } {
  const asked = messages.findLastIndex((message) => message.role === 'user')
  const user = messages[asked]
  const question = user?.role === 'user' ? textOf(user.content).slice(0, maxQuestion) : ''
  const results = new Map<string, Readonly<Record<string, unknown>>>()
  const names = new Map<string, string>()
  for (const message of messages.slice(asked + 1)) {
    if (message.role === 'assistant') for (const call of message.toolCalls) names.set(call.id, call.name)
    if (message.role === 'tool') results.set(names.get(message.callId) ?? '', parsed(message.content))
  }
  return { question, results }
}

function textOf(content: Extract<ModelMessage, { role: 'user' }>['content']): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

function parsed(content: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(content)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function passagesIn(result: Readonly<Record<string, unknown>> | undefined): readonly FoundPassage[] {
  const list = result?.['passages']
  if (!Array.isArray(list)) return []
  return list.flatMap((item: Record<string, unknown>) =>
    typeof item['mark'] === 'string' && typeof item['text'] === 'string' && item['weak_match'] !== true
      ? [
          {
            mark: item['mark'],
            ref: String(item['ref'] ?? ''),
            heRef: String(item['he_ref'] ?? ''),
            language: String(item['language'] ?? ''),
            text: item['text'],
            pointsTo: Array.isArray(item['points_to']) ? item['points_to'].map(String) : [],
          },
        ]
      : [],
  )
}

/**
 * A client that asked for JSON gets JSON: without a schema of its own, an object with the member `answer`; undefined when
 * what it makes does not fit the schema.
 */
function shaped({ sampling }: ModelRequest, text: string): string | undefined {
  const format = answerFormatOf(sampling)
  if (!format) return text
  const free = sampling.responseFormat?.['type'] === 'json_object'
  const value = free ? { answer: text } : fillSchema(format.schema, text)
  return schemaFault(format.schema, value) === null ? JSON.stringify(value) : undefined
}

/** Some 60 characters a piece, cut at blanks, so that a stream looks and behaves like one. */
function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,60}(?:\s|$)|[\s\S]{1,60}/gu) ?? []
}
