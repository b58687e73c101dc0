import { notFound } from '../errors.ts'
import { listPrompts } from '../turns/run/instructions.ts'
import type { Command } from './command.ts'

export const promptCommands: Readonly<Record<string, Command>> = {
  prompts: {
    usage: '[HASH]',
    summary: 'lists the texts that the service and its host told models, or prints the one that a run names',
    options: {},
    words: [0, 1],
    run: async ({ installation, words: [hash] }) => {
      const prompts = await listPrompts(installation.database)
      if (hash === undefined) {
        const rows = prompts.map(({ text, ...prompt }) => ({
          ...prompt,
          begins: text.slice(0, 40).replaceAll(/\s+/g, ' '),
        }))
        return { rows }
      }
      const prompt = prompts.find((one) => one.hash === hash)
      if (!prompt) throw notFound('HASH')
      return { rows: prompt, lines: [prompt.text] }
    },
  },
}
