import type { Question } from '../../src/evaluation/questions/question.ts'
import { scoreAnswer } from '../../src/evaluation/scores/score.ts'
import type { ScoredQuestion } from '../../src/evaluation/scores/scored-question.ts'
import type { AnswerEnd, KeptAnswer } from '../../src/evaluation/turns/kept-answer.ts'
import type { CitedSource } from '../../src/turns/run/run-events.ts'

type Check = CitedSource['verification'][number]

/** A cited source of a book of our own. */
export function cited(ref: string, ...verification: readonly Check['result'][]): CitedSource {
  return {
    ...{ n: 1, ref, he_ref: '', title: ref, work: 'Gate', language: 'en', version: 'v', license: 'CC0' },
    ...{ url: '', text: `the text of ${ref}` },
    verification: verification.map((result) => ({ result })),
  }
}

export function asked(changes: Partial<Question> = {}): Question {
  const none = { any: [], all: [] }
  return {
    ...{
      id: 'q',
      line: 1,
      question: 'What?',
      language: 'en',
      expected: none,
      forbidden: [],
      mustRefuse: false,
    },
    ...{ needs: [], note: '' },
    ...changes,
  }
}

export function answered(
  text: string,
  end: Partial<AnswerEnd> = {},
  changes: Partial<KeptAnswer> = {},
): KeptAnswer {
  return {
    ...{
      id: 'q',
      attempt: 1,
      run_id: 'run_1',
      status: 'completed',
      error: null,
      took_ms: 1_000,
      cost_micros: '5',
    },
    end: { text, sources: [], citations: [], quotations: [], unknown_marks: 0, unknown_refs: [], ...end },
    ...changes,
  }
}

/** A scored question, as a report has it, in a library without ranges: refs are equal when their text is. */
export function scored(question: Question, answer: KeptAnswer): ScoredQuestion {
  const { id, line, language, forbidden, note } = question
  return {
    ...{ id, line, question: question.question, language, forbidden, note, must_refuse: question.mustRefuse },
    ...scoreAnswer(question, answer, { ranges: new Map(), namedByQuestion: new Set() }),
    ...{ missing: [], run_id: answer.run_id, error: answer.error, took_ms: answer.took_ms },
    ...{ cost_micros: answer.cost_micros, answer: answer.end },
  }
}
