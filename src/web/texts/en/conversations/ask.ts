import { html } from 'hono/html'
import { counter } from '../../grammar/plural.ts'

const count = counter('en')

/** `/ask`: the box for a question, the list of conversations, and the actions of one. */
export const ask = {
  title: 'Ask',
  heading: 'Ask the library',
  inConversation: (link: unknown) => html`In the conversation ${link}:`,
  examples: 'For example',
  /** Questions that the starter library answers without a language model. */
  exampleQuestions: ['What is a beinoni?', 'Who was the Baal Shem Tov?', 'What is hitbodedut?', 'מהו ביטול?'],
  question: 'Your question',
  placeholder: 'Ask in English or Hebrew',
  followUpPlaceholder: 'Ask a follow-up',
  followUp: 'Ask a follow-up',
  send: 'Ask',
  attach: 'Attach',
  attachedFiles: 'Attached files',
  uploading: 'Uploading …',
  uploadFailed: 'The file could not be uploaded.',
  remove: 'Remove',
  attached: 'Attached',
  model: 'Model',
  untitled: 'Untitled conversation',
  conversations: 'Conversations',
  newQuestion: 'New question',
  find: 'Find a conversation',
  none: 'No conversations yet',
  noneNamed: (words: string) => html`No conversation is named “<bdi>${words}</bdi>”.`,
  showAll: 'Show all',
  answering: 'being answered',
  today: 'Today',
  yesterday: 'Yesterday',
  thisWeek: 'Previous 7 days',
  renamed: 'The conversation has been renamed.',
  shared: 'Anybody with the link can now read this conversation. Find the link under Shared.',
  unshared: 'The link has been revoked. Nobody can read the conversation with it any longer.',
  earlier: 'Earlier questions',
  newest: 'Newest questions',
  continues: (link: unknown, turn: number) => html`Continues ${link} from before its question ${turn}.`,
  noQuestions: 'No questions yet',
  noQuestionsHint: 'Write the first question below.',
  export: 'Export',
  formats: { md: 'Markdown', docx: 'Word', pdf: 'PDF' },
  nameField: 'Name of the conversation',
  saveName: 'Save name',
  deleteDots: 'Delete…',
  deleteQuestion:
    'This permanently deletes the questions, answers and steps of this conversation. Files created in it are kept.',
  deleteConfirm: 'Yes, delete it',
  questionsAsked: count({ one: '1 question', other: (n) => `${n} questions` }),
}
