import type { EnglishTexts } from '../../en/index.ts'
import { answers } from './answers.ts'
import { ask } from './ask.ts'
import { sharing } from './sharing.ts'

export const conversations: Pick<EnglishTexts, 'answers' | 'ask' | 'sharing'> = { answers, ask, sharing }
