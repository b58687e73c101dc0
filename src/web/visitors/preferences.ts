import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Language, languages, type Texts, textsIn } from '../texts/catalogue.ts'

/** Colours of the pages: those of the system, or the reader's choice. */
export const themes = ['system', 'light', 'dark'] as const

export type Theme = (typeof themes)[number]

const yearSeconds = 365 * 86_400

/** The texts of the pages in the language of this reader. */
export function textsOf(request: FastifyRequest): Texts {
  return textsIn(languageOf(request))
}

/** The reader's choice; otherwise the browser's first language that the pages have; otherwise English. */
function languageOf({ cookies, headers }: FastifyRequest): Language {
  const chosen = asLanguage(cookies?.['language'])
  return chosen ?? acceptedLanguage(headers['accept-language']) ?? 'en'
}

/** @param header `Accept-Language` (RFC 9110, 12.5.4): tags with weights, `he-IL,he;q=0.9,en;q=0.8`. */
export function acceptedLanguage(header: string | undefined): Language | undefined {
  const ranges = (header ?? '').slice(0, 500).split(',')
  const wanted = ranges.flatMap((range) => {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';')
    const weight = Number(/^\s*q=(\d(?:\.\d+)?)\s*$/.exec(parameters[0] ?? 'q=1')?.[1] ?? 0)
    // Java and old browsers write the code of Hebrew as it was before 1989.
    const language = asLanguage(tag.split('-')[0]?.replace(/^iw$/, 'he'))
    return language !== undefined && weight > 0 ? [{ language, weight }] : []
  })
  return wanted.toSorted((a, b) => b.weight - a.weight)[0]?.language
}

export function themeOf({ cookies }: FastifyRequest): Theme {
  return themes.find((theme) => theme === cookies?.['theme']) ?? 'system'
}

/** The reader's time zone, such as `Asia/Jerusalem`. `frame.js` keeps it in a cookie; until then UTC. */
export function zoneOf({ cookies }: FastifyRequest): string {
  const zone = cookies?.['zone'] ?? 'UTC'
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}

/** Keeps a choice in a cookie for a year; scripts cannot read it. */
export function keepPreference(
  reply: FastifyReply,
  preference: { readonly language?: Language | undefined; readonly theme?: Theme | undefined },
): void {
  const options = { path: '/', httpOnly: true, sameSite: 'lax', maxAge: yearSeconds } as const
  if (preference.language) reply.setCookie('language', preference.language, options)
  if (preference.theme) reply.setCookie('theme', preference.theme, options)
}

function asLanguage(text: string | undefined): Language | undefined {
  return languages.find((language) => language === text)
}
