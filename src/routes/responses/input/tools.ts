import { createHash } from 'node:crypto'
import { z } from 'zod'
import { boundedText, bounds } from '../../../http/limits/bounds.ts'
import {
  asFunction,
  functionShape,
  responsesCustomShape,
  type SentFunction,
  toolList,
} from '../../turn-request/tools.ts'

/** How requests name a function: a function of a group of tools has the group's name too. */
export const toolName = {
  name: boundedText(bounds.name),
  namespace: boundedText(bounds.name).nullish(),
}

const functionTool = z.object({ type: z.literal('function'), ...functionShape })

const customTool = z.object({ type: z.literal('custom'), ...responsesCustomShape })

const namespaceTool = z.object({
  type: z.literal('namespace'),
  name: toolName.name.min(1),
  tools: toolList<SentFunction>({ function: functionTool, custom: customTool.transform(asFunction) }),
})

type FunctionTool = SentFunction & {
  /** The names that the client gave, for a function of a namespace. */
  readonly place?: { readonly namespace: string; readonly name: string }
}

/** A tool, for the API description. */
export const documentedTool = z.union([
  functionTool,
  customTool,
  namespaceTool.extend({ tools: z.array(z.union([functionTool, customTool])).max(bounds.tools.max) }),
])

/** The functions of a request; those of namespaces have one flat name each. */
export const responseTools = toolList<readonly FunctionTool[]>({
  function: functionTool.transform((tool) => [tool]),
  custom: customTool.transform((tool) => [asFunction(tool)]),
  namespace: namespaceTool.transform(({ name: namespace, tools }) =>
    tools.map((tool) => ({
      ...tool,
      name: flatName({ namespace, name: tool.name }),
      place: { namespace, name: tool.name },
    })),
  ),
})
  .transform((lists) => lists.flat())
  .refine((tools) => tools.length <= bounds.tools.max, {
    error: `at most ${bounds.tools.max} functions, with those in namespaces`,
  })

const maxName = 64

/**
 * The name of a function for the model, which knows no namespaces: `crm` and `list` give `crm__list`. A longer
 * name ends with a hash of the whole.
 */
export function flatName(tool: {
  readonly name: string
  readonly namespace?: string | null | undefined
}): string {
  const { name, namespace } = tool
  if (!namespace) return name
  const whole = `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`
  const flat = whole.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  if (flat.length <= maxName) return flat
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 8)
  return `${flat.slice(0, maxName - hash.length - 1)}_${hash}`
}
