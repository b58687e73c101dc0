import { answers } from './answers.ts'
import { ask } from './ask.ts'
import { sharing } from './sharing.ts'

export const conversations = { answers, ask, sharing }
