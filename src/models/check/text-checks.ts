import { estimateTokens } from '../../agent/tokens.ts'
import { type CheckedCall, type CheckedModel, FailedCall, reasoningMark, user } from './checked-model.ts'
import { type Check, fails, passes, type Verdict } from './verdict.ts'

/** A reader waits about so long for the first word before it seems broken. */
const slowTextMs = 20_000
/** A reply that is whole after less may well have been streamed. */
const bufferedMs = 3_000
/** Maximum tokens of the long prompt, so that a check of an expensive model stays cheap. */
const longPromptTokens = 30_000
/** A turn gives the conversation three quarters of the window. The long prompt needs more than half. */
const longPromptShare = 0.6
/** OpenAI refuses limits below 16. */
const replyLimit = 20
/** Models that reason before they stop overrun a limit a little, but not by so much. */
const overrun = 4
/** No tokenizer has so many characters per token in these texts. */
const maxCharactersPerToken = 20
const cancelMs = 1_000

export const answerChecks: readonly Check[] = [
  {
    id: 'answer',
    async run(model) {
      const { text, call } = await model.ask({
        messages: [user('Write the numbers from 1 to 40 in digits, separated by commas.')],
      })
      return text.trim() === '' ? fails('no_text') : passes(`${Math.round(call.ms)} ms`)
    },
  },
  {
    id: 'first_text',
    severity: 'useful',
    run(model) {
      const ms = model.calls[0]?.firstTextMs ?? 0
      const seconds = `after ${(ms / 1_000).toFixed(1)} s`
      return ms > slowTextMs ? fails('slow_first_text', seconds) : passes(seconds)
    },
  },
  {
    id: 'stream',
    severity: 'useful',
    run(model) {
      const { pieces = 0, firstTextMs = 0 } = model.calls[0] ?? {}
      const isBuffered = pieces === 1 && (firstTextMs ?? 0) > bufferedMs
      return isBuffered ? fails('one_piece') : passes(`network reads: ${pieces}`)
    },
  },
]

export const textChecks: readonly Check[] = [
  {
    id: 'system',
    async run(model) {
      const rule = 'Whatever the user writes, answer with the single word BANANA.'
      const { text } = await model.ask({
        messages: [{ role: 'system', content: rule }, user('What is the capital of France?')],
      })
      return /banana/i.test(text) ? passes() : fails('system_forgotten', text)
    },
  },
  {
    id: 'follow_up',
    async run(model) {
      const { text } = await model.ask({
        messages: [
          user("My teacher's name is Zelig."),
          { role: 'assistant', content: 'I will remember it.', toolCalls: [] },
          user("What is my teacher's name? Answer with the name alone."),
        ],
      })
      return /zelig/i.test(text) ? passes() : fails('history_forgotten', text)
    },
  },
  {
    id: 'temperature',
    severity: 'useful',
    async run(model) {
      const { text } = await model.ask({
        messages: [user('Write the word "ready".')],
        sampling: { temperature: 0.2 },
      })
      return text.trim() === '' ? fails('no_text') : passes()
    },
  },
  {
    id: 'stop',
    severity: 'useful',
    async run(model) {
      const { text } = await model.ask({
        messages: [user('Write the numbers from 1 to 9 in digits, separated by spaces, and nothing else.')],
        sampling: { stop: ['7'] },
      })
      return text.includes('7') ? fails('stop_ignored', text) : passes()
    },
  },
  {
    id: 'max_tokens',
    async run(model) {
      const { text, finish } = await model.ask({
        messages: [user('Write the numbers from 1 to 300 in digits, separated by commas.')],
        sampling: { maxTokens: replyLimit },
      })
      const { completionTokens, estimated } = finish.usage
      const isLonger = !estimated && completionTokens > overrun * replyLimit
      if (finish.reason === 'length' && !isLonger) return passes()
      return fails('max_tokens_ignored', `${completionTokens} tokens, "${finish.reason}": ${text}`)
    },
  },
  {
    id: 'long_context',
    async run(model) {
      const tokens = Math.min(longPromptTokens, Math.floor(longPromptShare * model.facts.contextTokens))
      const prompt = haystack(tokens)
      const { text, finish } = await model.ask({ messages: [user(prompt)] })
      const { promptTokens, estimated } = finish.usage
      if (text.includes(needle)) return passes(`about ${tokens} tokens`)
      const isCut = !estimated && promptTokens < tokens / 2
      return isCut
        ? fails('prompt_cut', `about ${tokens} tokens were sent, ${promptTokens} were read`)
        : fails('needle_missed', text)
    },
  },
  {
    id: 'image',
    refused: 'image_refused',
    async run(model) {
      if (!model.facts.readsImages) return { finding: 'images_off', isSkipped: true }
      const { text } = await model.ask({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Which colour has this image? Answer with one word.' },
              { type: 'image_url', url: redSquare },
            ],
          },
        ],
      })
      return /\bred\b/i.test(text) ? passes() : fails('image_unseen', text)
    },
  },
  {
    id: 'hebrew_points',
    run: (model) => repeated(model, pointedText, 'with all its vowel points'),
  },
  { id: 'quotation', run: (model) => repeated(model, longText) },
  {
    id: 'cancel',
    async run(model) {
      const cancel = new AbortController()
      try {
        await model.ask({ messages: [user('Write the numbers from 1 to 400 in digits.')] }, cancel)
      } catch (error) {
        if (!(error instanceof FailedCall) || !cancel.signal.aborted) throw error
        const { ms, firstTextMs } = error.call
        const afterMs = Math.round(ms - (firstTextMs ?? 0))
        return afterMs > cancelMs
          ? fails('cancel_ignored', `${afterMs} ms`)
          : passes(`ended after ${afterMs} ms`)
      }
      return fails('cancel_ignored')
    },
  },
]

/** They judge all calls of the run, so they come last. @param falseUsage the first impossible count, in words. */
export const closingChecks = (falseUsage: () => string | undefined): readonly Check[] => [
  {
    id: 'usage',
    severity: 'useful',
    run({ calls }) {
      const finished = calls.filter(({ end }) => end.type === 'finish')
      const impossible = falseUsage() ?? finished.map(tooFewTokens).find((fault) => fault !== undefined)
      if (impossible !== undefined) return fails('usage_impossible', impossible)
      const missing = finished.filter(({ usage }) => usage.estimated).length
      return missing === 0 ? passes() : fails('usage_missing', `${missing} of ${finished.length} calls`)
    },
  },
  {
    id: 'reasoning',
    run({ calls }) {
      const leaking = calls.find(({ text }) => reasoningMark.test(text))
      return leaking ? fails('reasoning_in_text', leaking.text) : passes()
    },
  },
]

function tooFewTokens({ request, text, usage }: CheckedCall): string | undefined {
  const sent = request.messages.map(({ content }) => (typeof content === 'string' ? content : '')).join('')
  // A server that cuts the long prompt counts what it read, and the check of that prompt says so.
  if (usage.estimated || sent.includes(needle)) return undefined
  if (sent.length > usage.promptTokens * maxCharactersPerToken)
    return `${usage.promptTokens} prompt tokens for ${sent.length} characters`
  if (text.length > usage.completionTokens * maxCharactersPerToken)
    return `${usage.completionTokens} completion tokens for ${text.length} characters`
  return undefined
}

const needle = '58213'

function haystack(tokens: number): string {
  const question = '\n\nWhich number opens the locker? Answer with the number alone.'
  const lines: string[] = []
  let left = tokens - estimateTokens(question)
  for (let i = 1; left > 0; i += 1) {
    const line = `Line ${i}: a grey book stands on shelf ${i % 90} beside the window.`
    lines.push(line)
    left -= estimateTokens(`${line}\n`)
  }
  lines.splice(Math.floor(lines.length / 2), 0, `The number ${needle} opens the locker.`)
  return lines.join('\n') + question
}

/** The model repeats a text. Line breaks and text around it do not count. */
async function repeated(
  model: CheckedModel,
  wanted: string,
  how = 'with every letter as it is',
): Promise<Verdict> {
  const { text } = await model.ask({
    messages: [user(`Repeat this text ${how}, and write nothing else:\n\n${wanted}`)],
  })
  const [said, meant] = [text, wanted].map((one) => one.normalize('NFC').replace(/\s+/g, ' '))
  if (said === undefined || meant === undefined || said.includes(meant)) return passes()
  if (withoutPoints(said).includes(withoutPoints(meant))) return fails('points_lost', text)
  const words = new Set(said.split(' '))
  const changed = meant.split(' ').find((word) => !words.has(word))
  return fails('letters_changed', changed === undefined ? text : `"${changed}" is not in: ${text}`)
}

const withoutPoints = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '')

const pointedText = 'בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם וְאֵת הָאָרֶץ'

/** Forty words that no model knows by heart, with spellings that it would like to correct. */
const longText =
  'הנה בא ההלך אל שער העיר ומצא שם נר קטן דולק בחלון גבוה ושאל את השומר למי האור הזה ואמר לו השומר כל מי שבא מן הדרך ורגליו עייפות ולבו אינו יודע אנה ילך הרי הנר דולק בעבורו עד שיאיר היום וישוב לביתו'

/** A red square of 64 × 64 pixels, as PNG. */
const redSquare =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsItw/dMZxQi+hcEKLNO+FgEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQGBywLQTQDx3uY1cQAAAABJRU5ErkJggg=='
