import type { runs } from '../../db/schema/index.ts'

/** One request worked through by the agent. How its hold is divided among pools stays in the database. */
export type Run = Omit<typeof runs.$inferSelect, 'holdPools' | 'holdParts'>
