import { html } from 'hono/html'
import { counter } from '../../grammar/plural.ts'

const count = counter('en')
const citations = count({ one: '1 citation was', other: (n) => `${n} citations were` })

/** Answers: while they are written, their checks, their sources, and what a reader can do with them. */
export const answers = {
  questionNumber: (turn: number) => `Question ${turn}`,
  earlierQuestion: (number: number) => `Question ${number}, before this branch`,
  earlierSources: (number: number) => `Sources of answer ${number}, before this branch`,
  answerNumber: (turn: number) => `Answer ${turn}`,
  byProgram: 'A program continued with the results of its own tools.',
  // A running turn
  waiting: 'Waiting for your previous question …',
  working: 'Working …',
  thinking: 'Thinking …',
  writing: 'Writing …',
  doing: (title: string) => `${title} …`,
  newestText: 'Newest text ↓',
  passagesRead: count({ one: '1 passage read', other: (n) => `${n} passages read` }),
  passagesReadTitle: 'Passages read',
  passagesReadFor: (turn: number) => `Passages read for answer ${turn}`,
  script: {
    lost: 'Connection lost. Reconnecting …',
    gone: 'Connection lost. Reload the page to continue.',
    ended: 'The turn has ended. Reload the page to see the answer.',
    stopping: 'Stopping …',
    refused: 'Not stopped: the service refused the request. Try again in a few seconds.',
    signedOut: 'Not stopped: you are signed out. Reload the page to sign in.',
    unsent: 'Not stopped: the request did not reach the service. Try again.',
  },
  // The end of a turn
  ends: {
    'run.completed': 'The answer is complete.',
    'run.failed': 'The answer failed.',
    'run.cancelled': 'The answer was stopped.',
  },
  free: 'It cost nothing.',
  stopped: 'You stopped this answer.',
  stoppedHere: 'You stopped this answer.',
  stoppedByOwner: 'The answer was stopped here.',
  incomplete: 'This answer is incomplete: it reached a limit of its length, its steps or your credits.',
  waitsForTools: 'This question came from a program. The turn waits for the results of its tools.',
  tryAgain: 'Try again',
  failures: {
    upstream_failed: 'The language model could not be reached, or it broke off. Try again in a moment.',
    context_length_exceeded:
      'The conversation is too long for this model. Start a new conversation, or ask with less text.',
  },
  marksRemoved: (marks: number) =>
    `${citations(marks)} removed, because the turn never read ${marks === 1 ? 'its source' : 'their sources'}.`,
  notHeld: (ref: string) => html`The library does not have <bdi>${ref}</bdi>`,
  nearest: (link: unknown) => html`Did you mean ${link}?`,
  publisherHasIt: 'Its publisher has it',
  underLicence: (licence: string) => `under the licence ${licence}`,
  // Checks
  checks: {
    byService: 'Check by the service',
    quotations: 'Quotations:',
    inQuestion: 'Quotations in the question:',
    quotationOfQuestion: 'In the question,',
    none: 'No quotations to check',
    dialog: 'Check of the quotation',
    results: {
      verbatim: { label: 'word for word', meaning: 'The passage has the quotation word for word.' },
      edited: {
        label: 'edited',
        meaning:
          'The passage has these words. An ellipsis, brackets or a dropped prefix make the quotation differ from it.',
      },
      fuzzy: { label: 'nearly exact', meaning: 'A few words differ from the passage.' },
      translation: {
        label: 'translation',
        meaning: 'The library has the passage only in the other language, so the words were not compared.',
      },
      misattributed: { label: 'in another passage', meaning: 'Another passage has the quotation.' },
      from_tool: {
        label: 'from a tool',
        meaning: 'The words repeat the result of a tool. They were not compared with the library.',
      },
      not_found: {
        label: 'not found',
        meaning: 'The library does not have these words where they were looked for.',
      },
    },
    foundIn: (ref: string) => `in ${ref}`,
    lookedIn: (ref: string) => `looked for in ${ref}`,
    lookedFor: (place: unknown) => html`looked for in ${place}`,
    lookedEverywhere: 'looked for in the whole library',
    nearest: (place: unknown) => html`Nearest: ${place}`,
    leftOut: (words: unknown) => html`Left out: ${words}`,
    added: (words: unknown) => html`Added: ${words}`,
    inPlaceOf: (quoted: unknown, text: unknown) => html`${quoted} in place of ${text}`,
    unchecked: 'not checked',
    noQuotation: 'no quotation',
    noQuotationMeaning: 'The answer cites the passage, and no quotation of it was compared.',
  },
  /** Names the text of an answer where it leaves its page. */
  byModel: 'Answer of a model',
  /** At the beginning of a file: a claim in an answer must not pass for a check. */
  fileIsChecked:
    'The answers are the text of a model. “Check by the service” before each answer says how its quotations were checked.',
  // Sources
  citation: (n: number) => `Source ${n}`,
  sources: 'Sources',
  sourcesOf: (turn: number) => `Sources of answer ${turn}`,
  passage: 'The passage',
  language: 'Language of the passage',
  allLanguages: 'All',
  licence: (licence: string) => `licence: ${licence}`,
  askAbout: 'Ask about this',
  askAboutRef: (ref: string) => `Ask about this: ${ref}`,
  aboutQuestion: (ref: string) => `What does ${ref} mean?`,
  file: 'file',
  openFile: 'Open the file',
  openFileOf: (name: string) => `Open the file: ${name}`,
  sourceOfText: 'Source of the text',
  sourceOfTextOf: (ref: string) => `Source of the text: ${ref}`,
  /** Beside `copy`, each with its name for screen readers. */
  copyText: 'text',
  copyTextOf: (ref: string) => `Copy the text of ${ref}`,
  copyRef: 'ref',
  copyRefOf: (ref: string) => `Copy the ref ${ref}`,
  copyLink: 'link',
  copyLinkOf: (ref: string) => `Copy a link to ${ref}`,
  preview: (ref: string) => `Preview: ${ref}`,
  open: 'Open',
  // Actions
  copyAnswer: 'Copy answer',
  copyAnswerNumber: (turn: number) => `Copy answer ${turn}`,
  regenerate: 'Regenerate',
  editNumber: (turn: number) => `Edit question ${turn}`,
  changedQuestion: 'Changed question',
  editHint: 'This answer stays: the new question begins another branch of the conversation.',
  versionsOf: (turn: number) => `Versions of question ${turn}`,
  versionOf: (place: number, all: number) => `${place} of ${all}`,
  earlierVersion: 'Earlier version',
  laterVersion: 'Later version',
  good: 'Good answer',
  bad: 'Bad answer',
  addNote: 'Add a note',
  noteQuestion: 'What was good or bad about it?',
  noteHint: 'The operator of this service sees the note with your question and the answer’s sources.',
  sendNote: 'Send note',
  noteSent: 'Note sent. Thank you.',
  feedbackFailed: 'Your feedback could not be sent. Reload the page and try again.',
  steps: 'How this was found',
  noResult: 'no result',
  details: 'Details',
  allDetails: 'All details of this run',
  fileActions: { created: 'created', updated: 'updated' },
}
