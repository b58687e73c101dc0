import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../../errors.ts'
import type { ItemProblem } from '../../../workspace/sheets/gather.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { type Texts, textsIn } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { type RefNames, refLinks } from '../ref-names.ts'

/** The library cannot give the passage that somebody wants to add. */
export class RefusedPassage extends ServiceError {
  readonly problem: ItemProblem

  constructor(problem: ItemProblem) {
    super('invalid_value', sentenceOf(textsIn('en'), problem), { param: 'ref' })
    this.problem = problem
  }
}

/** Why a passage cannot be added, with links to refs that are near. */
export function refusalOf(t: Texts, problem: ItemProblem, names: RefNames): Html {
  const near = problem.nearest ?? []
  const links = html` ${t.sheets.nearest} ${refLinks(near, names)}`
  return html`${sentenceOf(t, problem)}${near.length > 0 ? links : nothing}`
}

function sentenceOf(t: Texts, { kind, ref }: ItemProblem): string {
  if (kind === 'unknown') return t.sheets.unknownRef(ref)
  return kind === 'large' ? t.sheets.tooLarge(ref) : t.sheets.noLanguage(ref)
}

/** Why a passage cannot be added, in the language of the reader; undefined for other errors. */
export function inWords(request: FastifyRequest, error: unknown): string | undefined {
  return error instanceof RefusedPassage ? sentenceOf(textsOf(request), error.problem) : undefined
}
