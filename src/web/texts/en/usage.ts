import { html } from 'hono/html'
import { counter } from '../grammar/plural.ts'

const count = counter('en')

/** `/usage`: credits, charges, and the limits of the plan. */
export const usage = {
  periods: { '7': '7 days', '30': '30 days', '90': '90 days', month: 'This month' },
  headings: {
    '7': 'The last 7 days',
    '30': 'The last 30 days',
    '90': 'The last 90 days',
    month: 'This month',
  },
  period: 'Period',
  charged: 'Credits spent',
  turns: 'Questions',
  tokensInOut: 'Tokens in / out',
  tokens: 'Tokens',
  inputTokens: 'Input tokens',
  outputTokens: 'Output tokens',
  credits: 'Credits',
  noCharges: 'No charges in this period',
  noChargesHint: html`<a href="/ask">Ask a question</a> here, or <a href="/settings/keys">create a key</a> for your
programs.`,
  limitsOf: (plan: string) => html`All limits of the plan “<bdi>${plan}</bdi>”`,
  nearLimits: 'Near a limit',
  exactly: (credits: string) => `exactly ${credits} credits`,
  creditsLeft: 'Credits left',
  held: (credits: string) => `${credits} more are held for running turns.`,
  planGives: (plan: string, credits: string) => `The plan “${plan}” gives ${credits} credits per month.`,
  nextAllowance: (date: unknown) => html`The next allowance comes on ${date}.`,
  creditsByKind: 'Credits by kind',
  kind: 'Kind',
  left: 'Left',
  until: 'Until',
  allowanceFirst: 'The allowance is spent first.',
  allowance: 'Monthly allowance',
  granted: 'Granted credits',
  noExpiry: 'does not expire',
  creditsPerDay: 'Credits per day',
  tokensPerDay: 'Tokens per day',
  creditsOn: (day: string, credits: string) => `${day}: ${credits} credits`,
  tokensOn: (day: string, tokens: string) => `${day}: ${tokens} tokens`,
  mostOn: (most: string) => `Most on ${most}. The table below has every day.`,
  asTable: 'Show as a table',
  days: 'Days',
  day: 'Day (UTC)',
  groups: {
    model: { title: 'By model', column: 'Model' },
    key: { title: 'By key', column: 'Key' },
    project: { title: 'By project', column: 'Project' },
    member: { title: 'By member', column: 'Member' },
  },
  noMember: 'Nobody known',
  thesePages: 'These pages',
  moreInCsv: count({ one: '1 more in the CSV file.', other: (n) => `${n} more in the CSV file.` }),
  csv: 'Download as CSV',
  noTurns: 'No turns in this period',
  noTurnsHint: 'Every turn that was charged appears here, newest first.',
  noMoreTurns: 'No more turns',
  backToNewest: 'Back to the newest',
  turn: 'Turn',
  turnId: (id: string) => `turn ${id}`,
  key: 'Key',
  limits: {
    requests: 'Requests per minute',
    requestsMeaning:
      'Requests with all your keys together. One above the limit gets status 429 and costs nothing.',
    requestsNone:
      'The plan does not include the API: requests with keys are refused. Questions on these pages work.',
    inThisMinute: (used: string, max: string) => `${used} of ${max} in the current minute`,
    turns: 'Turns per minute',
    turnsMeaning:
      'Questions that start a turn, from keys and from these pages. Within a minute all of them are free again, one after another.',
    concurrent: 'Concurrent turns',
    concurrentMeaning: count({
      one: 'Conversations with an unfinished answer. Each can queue 1 more question.',
      other: (n) => `Conversations with an unfinished answer. Each can queue ${n} more questions.`,
    }),
    now: (used: string, max: string) => `${used} of ${max} now`,
    storage: 'Storage',
    storageMeaning: (file: string) =>
      `Files of all projects with their older versions. One file can have up to ${file}.`,
    of: (used: string, max: string) => `${used} of ${max}`,
  },
}
