import type { TestService } from './world/service.ts'

/** A minimal browser that supports forms and cookies. */
export type TestVisitor = {
  readonly cookies: Map<string, string>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** Sends a form like a page of the service; `headers` override its headers. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>
}

export const goodPassword = 'four unrelated words here'

export function openVisitor(service: Pick<TestService, 'url'>): TestVisitor {
  const cookies = new Map<string, string>()
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(service.url + path, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), ...(cookie && { cookie }) },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return {
    cookies,
    get: (path, headers = {}) => send(path, { headers: { accept: 'text/html', ...headers } }),
    post: (path, fields, headers = { 'sec-fetch-site': 'same-origin' }) =>
      send(path, { method: 'POST', body: new URLSearchParams(fields), headers }),
  }
}

/** A visitor with a new account, created through the form. */
export async function signedUp(service: TestService, email: string): Promise<TestVisitor> {
  const visitor = openVisitor(service)
  const response = await visitor.post('/signup', { email, password: goodPassword })
  if (response.status !== 303)
    throw new Error(`sign-up answered ${response.status}: ${await response.text()}`)
  return visitor
}
