import { z } from 'zod'
import { ServiceError } from '../../errors.ts'
import { languageOf } from '../../sources/citations/source-list.ts'
import { idOfText, type Question } from './question.ts'

const maxQuestions = 10_000
/** Problems that one error lists. */
const maxListed = 20

const ref = z.string().trim().min(1).max(300)
const refs = z.array(ref).max(100)

const line = z.strictObject({
  id: z
    .string()
    .regex(/^[\p{L}\p{N}._:-]{1,100}$/u)
    .optional(),
  question: z
    .string()
    .max(10_000)
    .refine((text) => text.trim() !== '' && !text.includes('\0') && text.isWellFormed()),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/)
    .optional(),
  expected: z.union([refs, z.strictObject({ any: refs.optional(), all: refs.optional() })]).optional(),
  forbidden: refs.optional(),
  must_refuse: z.boolean().optional(),
  needs: z.array(z.string().trim().min(1).max(300)).max(20).optional(),
  note: z.string().max(2_000).optional(),
})

type Line = z.infer<typeof line>

/** What each field takes. */
const remedies: Readonly<Record<keyof Line, string>> = {
  id: 'Write up to 100 letters, digits and . _ : - without spaces.',
  question: 'Write the question as text of 1 to 10,000 characters.',
  language: 'Write the code of a language, such as "he" or "en".',
  expected: 'Write a list of refs of which one suffices, or {"any": […], "all": […]}.',
  forbidden: 'Write a list of refs, such as ["Tanya, Part I; Likkutei Amarim 12"].',
  must_refuse: 'Write true or false, without quotation marks.',
  needs: 'Write a list of titles of works, such as ["Tanya"].',
  note: 'Write text of at most 2,000 characters.',
}

type Problem = { readonly line: number; readonly text: string }

/**
 * Reads a file of questions: one JSON object per line, with the fields of `Line`. Empty lines are skipped.
 * @throws ServiceError `invalid_value` that names each wrong line with its field and the remedy.
 */
export function readQuestions(text: string): readonly Question[] {
  const questions: Question[] = []
  const problems: Problem[] = []
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  const seen = new Map<string, number>()
  for (const [at, content] of lines.entries()) {
    if (content.trim() === '') continue
    const number = at + 1
    const read = readLine(content, number)
    if ('text' in read) problems.push(read)
    else {
      const before = seen.get(read.id)
      if (before === undefined) questions.push(read)
      else problems.push(repeated(read, before))
      seen.set(read.id, before ?? number)
    }
  }
  if (problems.length > 0) throw refusal(problems)
  if (questions.length === 0)
    throw new ServiceError('invalid_value', 'The file has no question. Write one JSON object per line.')
  if (questions.length > maxQuestions) {
    throw new ServiceError(
      'invalid_value',
      `The file has ${questions.length} questions, and ${maxQuestions} are allowed. Split it.`,
    )
  }
  return questions
}

function readLine(content: string, number: number): Question | Problem {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch (error) {
    return { line: number, text: `not JSON: ${(error as Error).message}. Write one JSON object on the line.` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line: number, text: 'not a JSON object. Write {"question": "…", "expected": ["…"]}.' }
  }
  const parsed = line.safeParse(value)
  if (!parsed.success) return { line: number, text: problemOf(value, parsed.error) }
  return questionOf(parsed.data, number)
}

function problemOf(value: object, { issues: [issue] }: z.ZodError): string {
  if (issue?.code === 'unrecognized_keys' && issue.path.length === 0) {
    return `unknown field \`${issue.keys[0]}\`. Use ${Object.keys(line.shape).join(', ')}.`
  }
  const field = String(issue?.path[0] ?? 'question') as keyof Line
  const missing = !(field in value)
  return `\`${field}\` ${missing ? 'is missing' : 'has a wrong value'}. ${remedies[field]}`
}

function questionOf(data: Line, number: number): Question | Problem {
  const { expected = [], must_refuse: mustRefuse = false } = data
  const lists =
    'length' in expected ? { any: expected, all: [] } : { any: expected.any ?? [], all: expected.all ?? [] }
  if (mustRefuse && lists.any.length + lists.all.length > 0) {
    return {
      line: number,
      text: '`must_refuse` is true, so no source is expected. Remove `expected` or `must_refuse`.',
    }
  }
  return {
    id: data.id ?? idOfText(data.question),
    line: number,
    question: data.question.trim(),
    language: data.language ?? languageOf(data.question),
    expected: lists,
    forbidden: data.forbidden ?? [],
    mustRefuse,
    needs: data.needs ?? [],
    note: data.note ?? '',
  }
}

function repeated({ id, line: number }: Question, before: number): Problem {
  return {
    line: number,
    text: `\`id\` ${id} is that of line ${before}. Remove the line or give it another \`id\`.`,
  }
}

function refusal(problems: readonly Problem[]): ServiceError {
  const listed = problems.slice(0, maxListed).map((problem) => `line ${problem.line}: ${problem.text}`)
  const more = problems.length > maxListed ? [`… and ${problems.length - maxListed} more lines.`] : []
  const lead = problems.length === 1 ? 'One line is wrong' : `${problems.length} lines are wrong`
  return new ServiceError('invalid_value', [`${lead}, so nothing was asked:`, ...listed, ...more].join('\n'))
}
