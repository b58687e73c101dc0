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
  noScript: html`This page needs JavaScript. The same description, for programs:
<a href="/openapi.json">openapi.json</a>.`,
}
