import type { IncomingHttpHeaders } from 'node:http'

/** The key that a request sends and the header that has it, or what is wrong with the headers. */
export type SentKey = { readonly key: string; readonly advice: string } | { readonly fault: string }

const forms = '`Authorization: Bearer <API_KEY>` or `x-api-key: <API_KEY>`'

/**
 * Reads the key of a request: the bearer token, otherwise the header `x-api-key` (as Anthropic's clients send it) or
 * `api-key` (as Azure's do). It says the same for every key in a header, so it helps nobody to guess one.
 */
export function sentKey(headers: IncomingHttpHeaders): SentKey {
  const { authorization } = headers
  const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  const others = ['x-api-key', 'api-key'].filter(
    (name) => typeof headers[name] === 'string' && headers[name] !== '',
  )
  if (bearer !== undefined) {
    const unread = others.map((name) => `\`${name}\``).join(' and ')
    const advice =
      unread === ''
        ? ''
        : ` \`Authorization\` counted and ${unread} did not: remove the one that you do not mean.`
    return { key: bearer, advice }
  }
  const name = others.find((one) => /^\S+$/.test(String(headers[one])))
  const second = others.find((one) => one !== name)
  if (name !== undefined) {
    const advice = second
      ? ` \`${name}\` counted and \`${second}\` did not: remove the one that you do not mean.`
      : ''
    return { key: String(headers[name]), advice }
  }
  if (second !== undefined)
    return { fault: `The header \`${second}\` takes the key alone, without \`Bearer\` and spaces.` }
  if (!authorization) return { fault: `No API key was sent. Send the header ${forms}.` }
  return {
    fault: `The header \`Authorization\` has another form than \`Bearer <API_KEY>\`${/^Bearer +Bearer\b/i.test(authorization) ? ': it has `Bearer` twice' : ''}. Send ${forms}.`,
  }
}
