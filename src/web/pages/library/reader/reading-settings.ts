import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'

/** How somebody reads: which language, how large, and Hebrew with or without points. */
export type ReadingSettings = {
  readonly show: 'both' | 'he' | 'translation'
  /** From the smallest size on; `defaultSize` is that of the other pages. */
  readonly size: number
  readonly points: 'on' | 'off'
}

export const sizes = Object.freeze({ smallest: 0, largest: 5, standard: 1 })

const standard: ReadingSettings = { show: 'both', size: sizes.standard, points: 'on' }

export const settingsForm = z.object({
  show: z.enum(['both', 'he', 'translation']).optional(),
  size: z.coerce.number().int().min(sizes.smallest).max(sizes.largest).optional(),
  points: z.enum(['on', 'off']).optional(),
  back: z.string().max(4_000).optional(),
})

const cookie = 'reading'

/** The settings of a browser, from its cookie. They name nobody. */
export function readSettings(request: FastifyRequest): ReadingSettings {
  const [show, size, points] = (request.cookies[cookie] ?? '').split('.')
  const known = settingsForm.safeParse({ show, size, points })
  return known.success ? merged(standard, known.data) : standard
}

/** Changes the settings that the form names, and keeps the others. */
export function changeSettings(
  request: FastifyRequest,
  reply: FastifyReply,
  change: z.output<typeof settingsForm>,
): void {
  const { show, size, points } = merged(readSettings(request), change)
  const options = { path: '/library', maxAge: 31_536_000, sameSite: 'lax', httpOnly: true } as const
  reply.setCookie(cookie, `${show}.${size}.${points}`, options)
}

function merged(settings: ReadingSettings, change: z.output<typeof settingsForm>): ReadingSettings {
  const { show = settings.show, size = settings.size, points = settings.points } = change
  return { show, size, points }
}

/** Vowel points and cantillation marks. Maqaf, paseq and sof pasuq are punctuation and stay. */
const marks = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g

export function hasPoints(text: string): boolean {
  return text.search(marks) >= 0
}

/** A Hebrew text without points, and where a part of it is then. */
export function withoutPoints(
  text: string,
  spans: readonly { readonly start: number; readonly end: number }[],
): { readonly text: string; readonly spans: readonly { readonly start: number; readonly end: number }[] } {
  const lengthOf = (end: number) => text.slice(0, end).replace(marks, '').length
  return {
    text: text.replace(marks, ''),
    spans: spans.map(({ start, end }) => ({ start: lengthOf(start), end: lengthOf(end) })),
  }
}

/** The path of a page of the library to go back to; the library itself for any other address. */
export function pathBack(back: string | undefined): string {
  return back !== undefined && /^\/library\/[^\\]*$/.test(back) ? back : '/library'
}
