import { z } from 'zod'
import { readLeniently } from '../../agent/tools.ts'

/** The arguments of a tool, read as leniently as those of the agent's own tools. */
export function toolInput<S extends z.ZodObject>(shape: S) {
  return z.preprocess((args) => readLeniently(shape, args), shape)
}
