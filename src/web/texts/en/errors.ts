/** The page of a failure, by HTTP status. */
export const errors = {
  titles: {
    400: 'Invalid request',
    403: 'Not allowed',
    404: 'Page not found',
    409: 'Not possible now',
    413: 'Too large',
    429: 'Too many requests',
    503: 'The service is busy',
  } as Readonly<Record<number, string>>,
  anyTitle: 'Something went wrong',
  notFound: 'It does not exist, or it belongs to another account.',
  startPage: 'Go to the start page',
  back: 'Go back',
  request: (id: string) => `Request ${id}`,
  kept: 'What you wrote',
  keptHint: 'Nothing is lost. Change what you wrote if you need to, then send it.',
  keptToCopy: 'Nothing is lost: copy what you wrote to another place.',
  send: 'Send',
  backAgain: 'Your form is back',
  backAgainHint:
    'You are signed in again. The form has not been sent yet: read what you wrote, then send it.',
  /** What people call the fields that they write in. */
  fields: {
    instructions: 'Instructions',
    amount: 'Credits',
    email: 'E-mail address',
    heading: 'Heading',
    intro: 'Introduction',
    name: 'Name',
    note: 'Note',
    question: 'Question',
    ref: 'Ref',
    text: 'Note',
    title: 'Title',
  } as Readonly<Record<string, string>>,
}
