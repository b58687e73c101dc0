import type { ModelRequest, Provider } from '../provider.ts'
import { estimateUsage } from '../usage.ts'
import {
  asksForFile,
  asksForPerson,
  asksForSheet,
  composeAnswer,
  composeFile,
  type Finding,
  type FoundPassage,
  fileNameFor,
  nearestOfFile,
  searchWords,
  sheetArguments,
} from './answer.ts'
import {
  currentTurn,
  type Results,
  type Searched,
  searchedTexts,
  type ToolResult,
  type Turn,
} from './conversation.ts'
import {
  choosePassages,
  fewest,
  findingOfPerson,
  forStudy,
  hitsIn,
  passagesIn,
  textsToFetch,
} from './passages.ts'
import { sendReply, stopped } from './reply.ts'
import { asksForBrevity } from './requests/brevity.ts'
import { dangerIn, questionBesides } from './requests/danger.ts'
import { asksInHebrew, languageOfAnswer } from './requests/language.ts'
import { asksForRuling } from './rulings.ts'
import { answerToSmallTalk, type SmallTalk, smallTalk } from './small-talk.ts'
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
  const words = (asksInHebrew(asked.question) ? wording.he : wording.en).danger[danger]
  return { kind: 'answer', text: [words, move.text].filter((text) => text !== '').join('\n\n') }
}

function moveFor(request: ModelRequest, turn: Turn): Move {
  const may: MayCall = (name) =>
    request.toolChoice !== 'none' &&
    request.tools.some((tool) => tool.name === name) &&
    !turn.results.has(name)
  const talk = turn.attached === 0 ? smallTalk(turn.question) : undefined
  if (talk) return moveInSmallTalk(talk, turn, may)
  const searched = searchedTexts(turn)
  if (may('search_sources')) return { kind: 'call', calls: searched.texts.map(searchCall) }
  return moveWithFindings(turn, foundBy(turn, searched), may)
}

type MayCall = (tool: string) => boolean

function moveInSmallTalk(talk: SmallTalk, { question, results }: Turn, may: MayCall): Move {
  if (talk === 'works' && may('list_works')) return callOf('list_works', {})
  return { kind: 'answer', text: answerToSmallTalk(talk, question, results.get('list_works')?.[0]) }
}

/** What the search found, and what is to be said about it. */
type Findings = {
  readonly places: readonly FoundPassage[]
  readonly finding: Finding
  readonly missing: string | undefined
  readonly ruling: boolean
  readonly isBrief: boolean
  readonly withEarlier: boolean
}

function foundBy({ question, results }: Turn, { texts, withEarlier }: Searched): Findings {
  const { search, isOwn } = searchToUse(results.get('search_sources') ?? [], texts.length)
  const nowhere = textIn(search, 'does_not_exist')
  const chosen = choosePassages(hitsIn(search), nowhere !== undefined)
  const ruling = asksForRuling(question) && !asksForFile(question)
  const places = ruling ? forStudy(chosen) : chosen.places
  const isBrief = asksForBrevity(question)
  return {
    places: isBrief ? fewest(places) : places,
    isBrief,
    finding: asksForPerson(question) ? findingOfPerson(chosen) : chosen.finding,
    missing: nowhere ?? textIn(search, 'not_in_library') ?? textIn(search, 'unavailable'),
    ruling,
    withEarlier: withEarlier && !isOwn,
  }
}

function moveWithFindings({ question, attached, results }: Turn, findings: Findings, may: MayCall): Move {
  const { places, finding } = findings
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
    return callOf('write_file', { name: fileNameFor(question), content: composeFile(question, quoted) })
  }
  return {
    kind: 'answer',
    text: composeAnswer(question, quoted, {
      ...findings,
      fileName: fileWritten(question, results),
      attached: fromFile.length > 0,
      unread: aboutUnreadFiles(attached, files, asksInHebrew(question)),
      texts,
    }),
  }
}

function searchCall(text: string): Call {
  return { name: 'search_sources', args: { query: searchWords(text).slice(0, 500), limit: 8 } }
}

/** Of two searches, that for the question alone if its best hit is an article that the question names. */
function searchToUse(searches: readonly ToolResult[], searched: number) {
  const [own, both] = searches
  const isOwn = searched === 2 && choosePassages(hitsIn(own), false).places[0]?.titled === true
  return { search: searched === 2 && !isOwn ? both : own, isOwn }
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
