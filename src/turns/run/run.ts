import type { runs } from '../../db/schema/index.ts'

/** One request worked through by the agent. The division of its hold among pools is not read into memory. */
export type Run = Omit<typeof runs.$inferSelect, 'holdPools' | 'holdParts'>
