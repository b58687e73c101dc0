import type { EnglishTexts } from '../en/index.ts'

export const runs: EnglishTexts['runs'] = {
  states: {
    queued: 'בתור',
    in_progress: 'בעבודה',
    completed: 'הושלמה',
    failed: 'נכשלה',
    cancelled: 'נעצרה',
  },
}
