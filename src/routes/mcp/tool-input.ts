import { z } from 'zod'
import { asDeclared } from '../../agent/tools.ts'

/** The arguments of a tool, read as leniently as those of the agent's own tools. */
export function toolInput<S extends z.ZodObject>(shape: S) {
  return z.preprocess((args) => asDeclared(shape, args), shape)
}
