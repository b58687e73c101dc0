import { z } from 'zod'
import { withoutNulls } from '../../agent/tools.ts'

/** The arguments of a tool. Null counts as absent, as in the agent's own tools. */
export function toolInput<S extends z.ZodObject>(shape: S) {
  return z.preprocess(withoutNulls, shape)
}
