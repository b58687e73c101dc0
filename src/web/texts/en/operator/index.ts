import { accounts, feedback } from './accounts.ts'
import { collections } from './collections.ts'
import { health } from './health.ts'
import { library } from './library.ts'
import { models } from './models.ts'

export const operator = { accounts, collections, feedback, health, library, models }
