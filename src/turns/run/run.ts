import type { runs } from '../../db/schema/index.ts'

/** One request worked through by the agent. */
export type Run = typeof runs.$inferSelect
