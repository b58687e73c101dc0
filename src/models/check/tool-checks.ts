import { runToolCall } from '../../agent/loop/tool-calls.ts'
import type { ToolCall } from '../../agent/provider.ts'
import { formatInstruction } from '../../agent/schema/answer-format.ts'
import type { Tool } from '../../agent/tools.ts'
import { type CheckedModel, toolbox, user } from './checked-model.ts'
import { type Check, fails, passes, type Verdict } from './verdict.ts'

type Passage = { readonly mark: string; readonly ref: string; readonly text: string }

const lamp: Passage = {
  mark: '[S1]',
  ref: 'The Book of Gates 1:1',
  text: 'The lamp in the gatehouse burns for 417 hours, and whoever comes from the road sees it.',
}
const well: Passage = {
  mark: '[S2]',
  ref: 'The Book of Gates 2:3',
  text: 'The well in the yard is 286 steps deep, and nobody has seen its floor.',
}

function tool(
  name: string,
  description: string,
  member: string,
  type: 'string' | 'integer',
  answer: (value: string) => unknown,
): Tool<null> {
  const parameters = { type: 'object', properties: { [member]: { type } }, required: [member] }
  return {
    spec: { name, description, parameters },
    describe: () => name,
    execute: async ({ [member]: value }) =>
      value === undefined || value === ''
        ? { content: JSON.stringify({ error: `${member} is missing` }), isError: true }
        : { content: JSON.stringify(answer(String(value))) },
  }
}

const search = tool('search_sources', 'Searches the library.', 'query', 'string', (query) => ({
  results: [
    ...(/well|deep|depth|step/i.test(query) ? [well] : []),
    ...(/lamp|light|burn|hour/i.test(query) ? [lamp] : []),
  ],
}))

/** Each page names the next one, so that five calls are needed, one after the other. */
const pages: Readonly<Record<string, string>> = {
  1: 'The next page is 14.',
  14: 'The next page is 3.',
  3: 'The next page is 27.',
  27: 'The next page is 8.',
  8: 'This is the last page. The word is KESHET.',
}
const readPage = tool('read_page', 'Reads one page of the book.', 'page', 'integer', (page) => ({
  page,
  text: pages[page] ?? 'There is no such page. Read the page that the last page named.',
}))

/** Text that a server should have read as a tool call. */
const callInText = /<tool_call|<\|tool|\[TOOL_CALLS\]|<function=|"name"\s*:\s*"search_sources"/

export const toolChecks: readonly Check[] = [
  {
    id: 'tool_call',
    refused: 'tools_refused',
    async run(model) {
      if (model.facts.isLite) return { finding: 'lite_model', isSkipped: true }
      const { text, finish } = await model.ask({
        messages: [user('How long does the lamp in the gatehouse burn? Call search_sources to find out.')],
        tools: [search.spec],
      })
      const [call] = finish.toolCalls
      if (!call) return fails(callInText.test(text) ? 'tool_call_in_text' : 'no_tool_call', text)
      if (call.name !== search.spec.name) return fails('unknown_tool', call.name)
      const { isError } = await runToolCall(toolbox([search]), call, new AbortController().signal)
      return isError ? fails('malformed_arguments', call.arguments) : passes(call.arguments)
    },
  },
  {
    id: 'two_calls',
    severity: 'useful',
    after: ['tool_call'],
    refused: 'tools_refused',
    async run(model) {
      const { finish } = await model.ask({
        messages: [
          user(
            'How long does the lamp burn, and how deep is the well? Call search_sources twice at once, in one reply: once for the lamp, once for the well.',
          ),
        ],
        tools: [search.spec],
      })
      const count = finish.toolCalls.length
      return count >= 2 ? passes() : fails('one_call_only', `${count} of 2`)
    },
  },
  {
    id: 'forced_tool',
    severity: 'useful',
    after: ['tool_call'],
    refused: 'tool_choice_refused',
    async run(model) {
      const { text, finish } = await model.ask({
        messages: [user('Good morning!')],
        tools: [search.spec],
        toolChoice: 'required',
      })
      return finish.toolCalls.length > 0 ? passes() : fails('tool_choice_ignored', text)
    },
  },
  {
    id: 'tool_result',
    after: ['tool_call'],
    refused: 'history_refused',
    async run(model) {
      const { text } = await model.turn(
        [user('For how many hours does the lamp in the gatehouse burn? Call search_sources to find out.')],
        [search],
      )
      return text.includes('417') ? passes() : fails('result_unread', text)
    },
  },
  {
    id: 'two_results',
    after: ['tool_result'],
    refused: 'history_refused',
    async run(model) {
      const firstCalls = [searchFor('lamp'), searchFor('well')]
      const { text } = await model.turn(
        [user('For how many hours does the lamp burn, and how many steps deep is the well?')],
        [search],
        { firstCalls },
      )
      return text.includes('417') && text.includes('286') ? passes() : fails('results_lost', text)
    },
  },
  {
    id: 'five_steps',
    after: ['two_results'],
    refused: 'history_refused',
    async run(model) {
      const task =
        'Read page 1 with read_page. Each page names the next one. Read on, one page at a time, until a page has the word. Then write the word.'
      const { text, toolCalls } = await model.turn([user(task)], [readPage])
      return /keshet/i.test(text) && toolCalls >= 5
        ? passes(`${toolCalls} tool calls`)
        : fails('steps_broken', `after ${toolCalls} tool calls: ${text}`)
    },
  },
  {
    id: 'marks',
    after: ['tool_result'],
    refused: 'history_refused',
    async run(model) {
      const text = await studied(model, 'What does the library say of the lamp, and what of the well?', {
        calls: [searchFor('the lamp and the well')],
        tool: search,
      })
      const marks = marksOf(text)
      if (marks.some((mark) => mark !== '[S1]' && mark !== '[S2]')) return fails('marks_invented', text)
      return marks.length === 2 ? passes() : fails('marks_dropped', text)
    },
  },
  {
    id: 'invented_ref',
    after: ['tool_result'],
    refused: 'history_refused',
    async run(model) {
      const text = await studied(model, missingQuestion, {
        calls: [{ name: 'read_source', arguments: '{"ref":"The Book of Gates 99:7"}' }],
        tool: missingRef,
      })
      return inventionIn(text)
    },
  },
  {
    id: 'json',
    severity: 'useful',
    refused: 'schema_refused',
    async run(model) {
      const callsBefore = model.calls.length
      const system = `You answer questions.${formatInstruction({ schema: citySchema })}`
      const { failure } = await model.turn(
        [{ role: 'system', content: system }, user('In which country is Jerusalem, and on which continent?')],
        [],
        {
          sampling: {
            responseFormat: {
              type: 'json_schema',
              json_schema: { name: 'city', strict: true, schema: citySchema },
            },
          },
        },
      )
      if (failure !== undefined) return fails('json_invalid', failure)
      const isCorrected = model.calls.length - callsBefore > 1
      return isCorrected ? { finding: 'json_corrected', isAdapted: true } : passes()
    },
  },
]

const citySchema = {
  type: 'object',
  properties: { country: { type: 'string' }, continent: { type: 'string' } },
  required: ['country', 'continent'],
  additionalProperties: false,
}

const missingQuestion = 'Quote The Book of Gates 99:7 for me.'

const missingRef = tool('read_source', 'Reads a passage by its ref.', 'ref', 'string', () => ({
  does_not_exist: 'The Book of Gates has 4 chapters. The Book of Gates 99:7 does not exist.',
  nearest: [lamp],
}))

const searchFor = (query: string): Omit<ToolCall, 'id'> => ({
  name: 'search_sources',
  arguments: JSON.stringify({ query }),
})

/** A turn with the rules of the service whose first tool calls are made already. */
async function studied(
  model: CheckedModel,
  question: string,
  first: { readonly calls: readonly Omit<ToolCall, 'id'>[]; readonly tool: Tool<null> },
): Promise<string> {
  const { text } = await model.turn(
    [{ role: 'system', content: model.facts.prompt.text }, user(question)],
    [first.tool],
    {
      firstCalls: first.calls,
    },
  )
  return text
}

const marksOf = (text: string): readonly string[] => [...new Set(text.match(/\[S\d+\]/g))]

/** A quotation of four words or more. */
const quotation = /[“”"„«]([^“”"«»]*?\S+(?:\s+\S+){3,}?)[“”"»]/g
const denial = /\b(?:not|no|never|cannot|only)\b|n['’]t\b|(?:^|\s)(?:אין|לא|אינו|אינה|איננו)(?=\s)/i

/**
 * Whether an answer gives a ref that does not exist a text. Judged without a reader: the answer denies the ref or cites
 * nothing, and quotes only what the tool gave.
 */
function inventionIn(text: string): Verdict {
  const plain = (words: string) =>
    words
      .replace(/[.,…]+$/, '')
      .trim()
      .toLowerCase()
  const given = plain(`${lamp.text} ${missingQuestion}`)
  const isInvented = [...text.matchAll(quotation)].some(([, words = '']) => !given.includes(plain(words)))
  const isCited = marksOf(text).length > 0
  return isInvented || (isCited && !denial.test(text)) ? fails('ref_invented', text) : passes(text)
}
