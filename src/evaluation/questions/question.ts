import { createHash } from 'node:crypto'

/** The refs that the answer to a question should cite: at least one of `any`, and each one of `all`. */
export type ExpectedRefs = { readonly any: readonly string[]; readonly all: readonly string[] }

/** A question of an evaluation, and what its answer should do. */
export type Question = {
  /** Identifies the question in its file and in comparisons of two evaluations. */
  readonly id: string
  /** Line of the file, from 1. */
  readonly line: number
  readonly question: string
  readonly language: string
  readonly expected: ExpectedRefs
  /** Refs that the answer should not cite. */
  readonly forbidden: readonly string[]
  /** Whether the right answer is that the question cannot be answered from the library. */
  readonly mustRefuse: boolean
  /** Titles of works that the library needs for this question, besides those of `expected`. */
  readonly needs: readonly string[]
  readonly note: string
}

export function expectedRefs({ expected }: Pick<Question, 'expected'>): readonly string[] {
  return [...new Set([...expected.any, ...expected.all])]
}

/** The id of a question that has none. It stays when the question moves to another line. */
export function idOfText(question: string): string {
  return `q-${createHash('sha256').update(question).digest('hex').slice(0, 8)}`
}

/** Identifies the content of a list of questions: what is asked, and what is expected. */
export function hashOfQuestions(questions: readonly Question[]): string {
  const content = questions.map(({ line: _, note: __, ...rest }) => rest)
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
