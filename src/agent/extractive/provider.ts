import type { ModelRequest, Provider } from '../provider.ts'
import { estimateUsage } from '../usage.ts'
import {
  asksForFile,
  asksForSheet,
  composeAnswer,
  composeFile,
  type FoundPassage,
  fileNameFor,
  nearestOfFile,
  sheetArguments,
} from './answer.ts'
import { currentTurn, type Results, type ToolResult, type Turn } from './conversation.ts'
import { dangerIn, questionBesides } from './danger.ts'
import { languageOfAnswer } from './language.ts'
import { passagesIn, textsToFetch } from './passages.ts'
import { type Reading, readingFound, readingsOf } from './readings.ts'
import { sendReply, stopped } from './reply.ts'
import { aboutUnreadFiles } from './unread-files.ts'
import { wording } from './wording.ts'

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
function nextMove(request: ModelRequest): Move {
  const asked = currentTurn(request.messages)
  const danger = dangerIn(asked.question)
  if (danger === undefined) return moveFor(request, asked)
  // Passages for the words of the danger, such as "die", would not help.
  const question = questionBesides(asked.question)
  const move: Move = question === '' ? { kind: 'answer', text: '' } : moveFor(request, { ...asked, question })
  if (move.kind === 'call') return move
  const words = wording[languageOfAnswer(asked.question)].danger[danger]
  return { kind: 'answer', text: [words, move.text].filter((text) => text !== '').join('\n\n') }
}

function moveFor(request: ModelRequest, turn: Turn): Move {
  const may: MayCall = (name) =>
    request.toolChoice !== 'none' &&
    request.tools.some((tool) => tool.name === name) &&
    !turn.results.has(name)
  if (may('search_sources')) {
    const search = (query: string) => ({ name: 'search_sources', args: { query, limit: 8 } })
    return { kind: 'call', calls: readingsOf(turn).map(search) }
  }
  return moveWithFindings(turn, readingFound(turn.results.get('search_sources') ?? []), may)
}

type MayCall = (tool: string) => boolean

function moveWithFindings({ question, attached, results }: Turn, reading: Reading, may: MayCall): Move {
  const { places, finding, search, withEarlier } = reading
  const asked = languageOfAnswer(question)
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
    return callOf('write_file', { name: fileNameFor(quoted), content: composeFile(question, quoted) })
  }
  return {
    kind: 'answer',
    text: composeAnswer(question, quoted, {
      finding,
      withEarlier,
      missing:
        textIn(search, 'does_not_exist') ?? textIn(search, 'not_in_library') ?? textIn(search, 'unavailable'),
      fileName: fileWritten(quoted, results),
      attached: fromFile.length > 0,
      unread: aboutUnreadFiles(attached, files, asked),
      texts,
    }),
  }
}

function textIn(result: ToolResult | undefined, member: string): string | undefined {
  const value = result?.[member]
  return typeof value === 'string' ? value : undefined
}

function fileWritten(quoted: readonly FoundPassage[], results: Results): string | undefined {
  const sheet = results.get('make_source_sheet')?.[0]?.['written']
  if (Array.isArray(sheet)) return sheet.join(', ')
  const written = results.get('write_file')?.[0]
  return written && !('error' in written) ? fileNameFor(quoted) : undefined
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
