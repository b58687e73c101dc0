import type { TestService } from './service.ts'

/** Sends a request with a key; a body is sent as JSON. */
export function call(
  service: Pick<TestService, 'url'>,
  key: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(service.url + path, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

export const question = (text: string) => ({ model: 'service', messages: [{ role: 'user', content: text }] })

export const ask = (text: string, more: object = {}) => ({
  model: 'service',
  messages: [{ role: 'user', content: text }],
  ...more,
})

/** The JSON body of a reply, for tests that compare it with what they expect. */
export async function bodyOf(reply: Response | Promise<Response>) {
  return JSON.parse(await (await reply).text())
}
