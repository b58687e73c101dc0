import type { ModelMessage, ModelRequest, Provider } from '../provider.ts'
import { estimateUsage } from '../usage.ts'
import {
  asksForFile,
  asksForPerson,
  asksForSheet,
  asksInHebrew,
  composeAnswer,
  composeFile,
  type FoundPassage,
  fileNameFor,
  nearestOfFile,
  searchWords,
  sheetArguments,
} from './answer.ts'
import { choosePassages, findingOfPerson, forStudy, hitsIn, passagesIn, textsToFetch } from './passages.ts'
import { sendReply, stopped } from './reply.ts'
import { asksForRuling } from './rulings.ts'
import { aboutUnreadFiles, filesIn } from './unread-files.ts'

/**
 * The model of an installation without a language model. It uses the same loop and tools, and answers only with
 * quoted passages. It searches, reads the best passages in all versions, writes a file if the question asks for
 * one, and answers.
 */
export function createExtractiveProvider(): Provider {
  return {
    async ask(request, signal, onText) {
      const move = nextMove(request)
      if (move.kind === 'answer') return sendReply(request, move.text, signal, onText)
      if (signal.aborted) return stopped
      return {
        type: 'finish',
        reason: 'tool_calls',
        toolCalls: move.calls.map(toolCall),
        usage: estimateUsage(request, ''),
      }
    },
  }
}

type Move =
  | { readonly kind: 'call'; readonly calls: readonly Call[] }
  | { readonly kind: 'answer'; readonly text: string }

type Call = { readonly name: string; readonly args: Readonly<Record<string, unknown>> }

function callOf(name: string, args: Call['args']): Move {
  return { kind: 'call', calls: [{ name, args }] }
}

const toolCall = ({ name, args }: Call, i: number) => ({
  id: `call_${i + 1}`,
  name,
  arguments: JSON.stringify(args),
})

const maxQuoted = 3
/** Longer questions are cut: search and answer only use the beginning. */
const maxQuestion = 10_000

function nextMove(request: ModelRequest): Move {
  const { question, attached, results } = currentTurn(request.messages)
  const may = (name: string) =>
    request.toolChoice !== 'none' && request.tools.some((tool) => tool.name === name) && !results.has(name)
  if (may('search_sources')) {
    return callOf('search_sources', { query: searchWords(question).slice(0, 500), limit: 8 })
  }
  const search = results.get('search_sources')?.[0]
  const nowhere = textIn(search, 'does_not_exist')
  const missing = nowhere ?? textIn(search, 'not_in_library') ?? textIn(search, 'unavailable')
  const chosen = choosePassages(hitsIn(search), nowhere !== undefined)
  const finding = asksForPerson(question) ? findingOfPerson(chosen) : chosen.finding
  const ruling = asksForRuling(question) && !asksForFile(question)
  const places = ruling ? forStudy(chosen) : chosen.places
  const inHebrew = asksInHebrew(question)
  const asked = inHebrew ? 'he' : 'en'
  const toRead = places.filter(({ language }, i) => i === 0 || language !== asked)
  const toFetch = finding === 'some' ? [] : textsToFetch(places)
  const refs = [...toRead.map(({ ref }) => ref), ...toFetch]
  if (refs.length > 0 && may('read_source')) {
    return { kind: 'call', calls: refs.map((ref) => ({ name: 'read_source', args: { ref } })) }
  }
  const read = results.get('read_source') ?? []
  const fromLibrary = inLanguage(asked, places, read.slice(0, toRead.length))
  const texts = read.slice(toRead.length).flatMap((text) => bestOf(asked, question, passagesIn(text)))
  const files = results.get('read_file') ?? []
  const fromFile = nearestOfFile(question, files.flatMap(passagesIn))
  const quoted = [...fromFile, ...fromLibrary].slice(0, maxQuoted)
  if (fromLibrary.length > 0 && asksForSheet(question) && may('make_source_sheet')) {
    return callOf('make_source_sheet', sheetArguments(question, fromLibrary))
  }
  if (quoted.length > 0 && asksForFile(question) && !results.has('make_source_sheet') && may('write_file')) {
    return callOf('write_file', { name: fileNameFor(question), content: composeFile(question, quoted) })
  }
  const fileName = fileWritten(question, results)
  return {
    kind: 'answer',
    text: composeAnswer(question, quoted, {
      finding,
      fileName,
      attached: fromFile.length > 0,
      unread: aboutUnreadFiles(attached, files, inHebrew),
      missing,
      texts,
      ruling,
    }),
  }
}

function textIn(result: ToolResult | undefined, member: string): string | undefined {
  const value = result?.[member]
  return typeof value === 'string' ? value : undefined
}

function fileWritten(question: string, results: Results): string | undefined {
  const sheet = results.get('make_source_sheet')?.[0]?.['written']
  if (Array.isArray(sheet)) return sheet.join(', ')
  const written = results.get('write_file')?.[0]
  return written && !('error' in written) ? fileNameFor(question) : undefined
}

/**
 * The version of each place in the language of the question. A place without one is quoted in the other
 * language, unless the best place and another one are available in the language of the question.
 */
function inLanguage(
  asked: string,
  places: readonly FoundPassage[],
  read: readonly ToolResult[],
): readonly FoundPassage[] {
  const versions = read.flatMap(passagesIn)
  const [best, ...others] = places.map((place) =>
    place.language === asked
      ? place
      : (versions.find(({ ref, language }) => ref === place.ref && language === asked) ?? place),
  )
  if (best === undefined) return []
  const readable = others.filter(({ language }) => language === asked || best.language !== asked)
  return [best, ...(readable.length > 0 ? readable : others.slice(0, 1))]
}

/** The passage of a section that shares the most words with the question, in its language if there is one. */
function bestOf(asked: string, question: string, passages: readonly FoundPassage[]): readonly FoundPassage[] {
  const inAsked = passages.filter(({ language }) => language === asked)
  return nearestOfFile(question, inAsked.length > 0 ? inAsked : passages).slice(0, 1)
}

type ToolResult = Readonly<Record<string, unknown>>
type Results = ReadonlyMap<string, readonly ToolResult[]>

/** The newest question, and the results of later tool calls, by tool name. */
function currentTurn(messages: readonly ModelMessage[]): {
  question: string
  attached: number
  results: Results
} {
  const asked = messages.findLastIndex((message) => message.role === 'user')
  const user = messages[asked]
  const question = user?.role === 'user' ? textOf(user.content).slice(0, maxQuestion) : ''
  const results = new Map<string, ToolResult[]>()
  const names = new Map<string, string>()
  for (const message of messages.slice(asked + 1)) {
    if (message.role === 'assistant') for (const call of message.toolCalls) names.set(call.id, call.name)
    if (message.role !== 'tool') continue
    const name = names.get(message.callId) ?? ''
    results.set(name, [...(results.get(name) ?? []), parsed(message.content)])
  }
  return { question, attached: filesIn(user), results }
}

function textOf(content: Extract<ModelMessage, { role: 'user' }>['content']): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

function parsed(content: string): ToolResult {
  try {
    const value: unknown = JSON.parse(content)
    return typeof value === 'object' && value !== null ? (value as ToolResult) : {}
  } catch {
    return {}
  }
}
