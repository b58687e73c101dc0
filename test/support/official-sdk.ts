import { readFile } from 'node:fs/promises'

/** Where the types of OpenAI's own client are: they are made from the official description of its API. */
export const sdkTypes = new URL('../../node_modules/openai/', import.meta.url)

/** The members of an interface of OpenAI's client, such as those of a request. */
export async function membersOf(file: string, name: string): Promise<readonly string[]> {
  const text = await readFile(new URL(file, sdkTypes), 'utf8')
  const [, body] = new RegExp(`^export interface ${name} {\\n([\\s\\S]*?)\\n}$`, 'm').exec(text) ?? []
  if (body === undefined) throw new Error(`${file} has no interface ${name}`)
  return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, member = '']) => member)
}
