import type { TextKind } from './embedding-model.ts'

/** What a family of models was trained with; with other settings its vectors lose much of their meaning. */
export type ModelFamily = {
  /** How the vectors of tokens become one: their mean, or that of the first token. */
  readonly pooling: 'mean' | 'cls'
  /** What stands before a text. */
  readonly prefix: Readonly<Record<TextKind, string>>
}

const none = { query: '', passage: '' }

/** By the model's name, from the model cards: intfloat/multilingual-e5-*, BAAI/bge-*. */
const families: readonly (readonly [name: RegExp, family: ModelFamily])[] = [
  [/(^|[-/_])e5([-_]|$)/i, { pooling: 'mean', prefix: { query: 'query: ', passage: 'passage: ' } }],
  [/(^|[-/_])bge([-_]|$)/i, { pooling: 'cls', prefix: none }],
]

/** The family of a model by its id or folder. Most sentence encoders take the mean and no prefix. */
export function familyOf(name: string): ModelFamily {
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? { pooling: 'mean', prefix: none }
}
