import { html } from 'hono/html'

/** `/docs`: the API reference. */
export const reference = {
  title: 'API reference',
  about: html`Every request to the API is an agent turn over the library. Clients for OpenAI work with it unchanged: give
them the address <code>/v1</code> and a key.`,
  getKey: 'Get a key',
  getKeyAbout: 'You need a key to send requests. A plan with API access answers them.',
  yourKey: 'Your key, to try the requests below',
  keyHint: 'The key stays in the memory of this page. It is not stored; leaving the page forgets it.',
  noScript: html`Sending requests from this page needs JavaScript. The same description, for programs:
<a href="/openapi.json">openapi.json</a>.`,
  find: 'Find an operation',
  none: 'No operation matches.',
  contents: 'Groups of operations',
  /** The words of the description itself, unless a group is listed here. */
  groups: {} as Readonly<Record<string, { readonly name: string; readonly about: string } | undefined>>,
  objects: 'Objects',
  scope: (scope: unknown): unknown => html`Scope of the key: ${scope}`,
  parameters: 'Parameters',
  optional: 'Optional parameters',
  body: 'Body',
  replies: 'Replies',
  failures: 'Errors',
  example: 'Example',
  required: 'required',
  membersOf: (kind: string | undefined) => (kind === undefined ? 'Members' : `Members of “${kind}”`),
  limits: {
    length: (range: string) => `length ${range}`,
    range: (range: string) => range,
    items: (range: string) => `${range} items`,
    default: (value: string) => `default: ${value}`,
  },
  try: 'Try it',
  send: 'Send request',
  stop: 'Stop',
  stream: 'Stream the reply',
  notSet: 'not set',
  keyless: html`The request had no key. <a href="#key">Type your key</a> and send it again.`,
  answerText: 'Text of the answer',
  reply: 'Reply',
  save: 'Save file',
  sending: 'Sending…',
  receiving: 'Receiving…',
  failed: 'The service cannot be reached. Check the connection and send the request again.',
  stopped: 'Stopped.',
  cut: 'The page shows the first 200,000 characters.',
}
