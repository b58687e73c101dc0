import { readFileSync } from 'node:fs'

/** `life`: a wish to die, or self-harm. `violence`: violence or abuse. */
export type Danger = 'life' | 'violence'

/**
 * Recognises that the writer of a message, or somebody near, may be in danger. The words are in `danger.tsv`. A question
 * about a teaching, a story or history is none, even if it speaks of death or blows: the forms have words of the speaker.
 */
export function dangerIn(message: string): Danger | undefined {
  const all = sentencesOf(message).map((sentence) => folded(sentence))
  if (all.some((sentence) => forms().not.some((form) => form.test(sentence)))) return undefined
  return (['violence', 'life'] as const).find((kind) =>
    all.some((sentence) => forms()[kind].some((form) => form.test(sentence))),
  )
}

/** What a message asks besides the sentences that tell of danger; empty: nothing. */
export function questionBesides(message: string): string {
  return sentencesOf(message)
    .filter((sentence) => sentence.trim().includes(' ') && dangerIn(sentence) === undefined)
    .map((sentence) => sentence.trim())
    .join(' ')
}

/** Longer messages are rarely of somebody in danger, and their beginning tells. */
const maxLength = 4_000

function sentencesOf(message: string): readonly string[] {
  return message.slice(0, maxLength).split(/[.?!;,:\n]+/u)
}

/** Small letters without points and apostrophes, and a space around each word. */
function folded(sentence: string): string {
  const words = sentence
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7'’‘`´"״׳]/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  return ` ${(words ?? []).join(' ')} `
}

type Forms = Readonly<Record<Danger | 'not', readonly RegExp[]>>

let known: Forms | undefined

function forms(): Forms {
  known ??= readForms(readFileSync(new URL('./danger.tsv', import.meta.url), 'utf8'))
  return known
}

function readForms(table: string): Forms {
  const read: Record<Danger | 'not', RegExp[]> = { life: [], violence: [], not: [] }
  const lists = new Map<string, string>()
  for (const line of table.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [kind = '', form = ''] = line.split('\t')
    if (kind.startsWith('@')) lists.set(kind, form)
    else read[kind as Danger | 'not'].push(compiled(withLists(form, lists)))
  }
  return read
}

const withLists = (form: string, lists: ReadonlyMap<string, string>): string =>
  form.replaceAll(/@\p{L}+/gu, (name) => `(${lists.get(name) ?? name})`)

/** The signs of a form as those of a pattern. */
const signs: Readonly<Record<string, string>> = { '^': '^ ', '(': '(?:', '[': '(?:', ']': ')?', ' ': '' }

/** Each word of the pattern ends with the space behind it, so that an absent one leaves no space. */
function compiled(form: string): RegExp {
  const pattern = form.replaceAll(/~(\d)|([\p{L}\p{N}]+)|./gu, (sign, gap?: string, word?: string) => {
    if (gap !== undefined) return `(?:\\S+ ){0,${gap}}`
    if (word === undefined) return signs[sign] ?? sign
    return `${/[\u05d0-\u05ea]/.test(word) ? prefixes : ''}${word} `
  })
  return new RegExp(form.startsWith('^') ? pattern : `(?<= )${pattern}`, 'u')
}

/** And, that, when. */
const prefixes = '(?:ו?(?:כש|ש)?)'
