import { accounts } from './accounts.ts'
import { collections } from './collections.ts'
import { feedback } from './feedback.ts'
import { health } from './health.ts'
import { holdings } from './holdings.ts'
import { models } from './models.ts'

export const operator = { accounts, collections, feedback, health, holdings, models }
