import { callTools, type Script, type UpstreamBody } from '../../support/upstream-scripts.ts'

/**
 * Text with points, gershayim, a maqaf, directional marks, a letter beyond the BMP, and an emoji of two code
 * points.
 */
export const hebrew = 'בִּטּוּל הוּא „אֵין עוֹד מִלְּבַדּוֹ” – רמב״ם, ב־\u2066Tanya\u2069 א׳, 𐤀, 🕯️.'

/** The answer that contains everything a client can show besides the text. */
const cited = 'The Gate says “does not argue with the darkness” [S2], and I noted it.'

export const book = {
  work: 'The Gate',
  ref: 'The Gate 1:1',
  he_ref: 'השער א׳:א׳',
  en: 'A small lamp that is carried into a dark room does not argue with the darkness; it only shines.',
  he: 'נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל אֵינוֹ מִתְוַכֵּחַ עִם הַחֹשֶׁךְ, אֶלָּא מֵאִיר.',
  license: 'CC0',
  source_url: 'https://example.org/gate/1',
}

/**
 * The known questions. The scripted model recognises them by their first word, and gives the cited answer to
 * all others.
 */
export const questions = {
  plain: 'שאלה: מַהוּ „בִּטּוּל” אצל רש״י?',
  weather: 'Weather: is it sunny in חיפה?',
  json: 'JSON: what is the answer?',
  refused: 'Refused: the model fails before anything is charged',
  broken: 'Broken: the model fails after a step that was charged',
  cited: 'What does the Gate teach?',
} as const

export const weatherOf = (city: string) => `בְּ${city} שֶׁמֶשׁ ☀️`

/** Tool results after the last question. */
function resultsOf(body: UpstreamBody): readonly string[] {
  const asked = body.messages.findLastIndex(({ role }) => role === 'user')
  return body.messages
    .slice(asked + 1)
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => textOf(content))
}

export function lastQuestion(body: UpstreamBody): string {
  return textOf(body.messages.findLast(({ role }) => role === 'user')?.content)
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part) => part?.text ?? '').join('\n') : ''
}

const failure: Script = [{ status: 400, json: { error: { message: 'scripted failure', type: 'scripted' } } }]
const say = (text: string): Script => [{ text, chunks: 12 }]

/**
 * The model's answer to each question, the same for all files and clients, so that they can run at once.
 * @param opened resolves when the second half of a `Held:` answer may be sent.
 */
export function answerTo(
  body: UpstreamBody,
  opened: (question: string) => Promise<void> | undefined,
): Script {
  const results = resultsOf(body)
  switch (lastQuestion(body).split(':')[0]) {
    case 'שאלה':
      return say(hebrew)
    case 'Weather':
      return results.length === 0
        ? callTools([{ name: 'weather', arguments: { city: 'חיפה' } }])
        : say(`${results.at(-1)}!`)
    case 'JSON':
      return say(JSON.stringify({ answer: hebrew }))
    case 'Held':
      return [...say(hebrew), { waitFor: opened(lastQuestion(body)) ?? Promise.resolve() }, ...say(hebrew)]
    case 'Refused':
      return failure
    case 'Broken':
      return results.length === 0
        ? callTools([{ name: 'list_files', arguments: {} }], { text: 'Wait.' })
        : failure
    default:
      return results.length === 0
        ? callTools([
            { name: 'read_source', arguments: { ref: book.ref } },
            { name: 'write_file', arguments: { name: 'note.md', content: '# The Gate' } },
          ])
        : say(cited)
  }
}

/** The content of the answer to `questions.cited`, however a client shows it. */
export const citedAnswer = {
  text: 'The Gate says “does not argue with the darkness” [1], and I noted it.',
  sources: [book.ref],
  files: ['note.md'],
  links: [book.source_url],
}
