import { html } from 'hono/html'

/** Public links to conversations. */
export const sharing = {
  share: 'Share',
  shared: 'Shared',
  about:
    'Anybody with the link can read the questions, answers and sources so far, also passages of your files that answers quote. The link does not show your name or account, and you can revoke it.',
  create: 'Create link',
  link: 'Public link',
  upTo: (turn: number) => `It shows the conversation up to question ${turn}.`,
  notShown:
    'There is a public link. Its address can no longer be shown, but it works until you revoke it. Revoke it to create a new one.',
  copyLink: 'Copy link',
  include: 'Include newer questions',
  revoke: 'Revoke link',
  note: (library: unknown) =>
    html`A shared conversation. The answers are the text of a model. Each quotation shows how it was checked against the library. ${library}`,
  openLibrary: 'Open the library',
  none: 'No answers yet',
  noneHint: 'The conversation has no finished answer.',
}
