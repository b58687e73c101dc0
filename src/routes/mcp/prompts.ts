import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

const text = (maximum: number) => z.string().trim().min(1).max(maximum)

const careful = `Use only the tools of this library for what the sources say. Search in Hebrew and in English. Read each \
passage with \`fetch\` before you rely on it. Quote word for word, with the ref and version of each quotation. Before you \
answer, check your draft with \`verify_quotations\`, and correct or remove what is not verbatim. Say clearly what the \
library does not have, and give no halachic ruling.`

const user = (content: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: content } }],
})

/** Registers prompts that a person can choose in a client. */
export function registerPrompts(server: McpServer): void {
  server.registerPrompt(
    'study_question',
    {
      title: 'Study question',
      description: 'An answer from the sources, with checked quotations',
      argsSchema: z.object({
        question: text(4_000).describe('What you want to understand'),
        language: text(40).optional().describe('Language of the answer, such as English or Hebrew'),
      }),
    },
    ({ question, language }) =>
      user(
        `Answer this question from the sources${language ? `, in ${language}` : ''}: ${question}\n\n${careful}`,
      ),
  )
  server.registerPrompt(
    'source_sheet',
    {
      title: 'Source sheet',
      description: 'A sheet of sources on a topic, for study together',
      argsSchema: z.object({
        topic: text(1_000).describe('The topic of the sheet'),
        audience: text(200).optional().describe('For whom it is, such as beginners'),
      }),
    },
    ({ topic, audience }) =>
      user(
        `Make a source sheet on "${topic}"${audience ? ` for ${audience}` : ''}. Choose five to eight passages in an order that builds up the topic. Give each in Hebrew and in English where the library has both, with its ref and version, and two questions for discussion. Add no explanation that the passages do not support.\n\n${careful}`,
      ),
  )
}
