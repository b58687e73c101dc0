import { readFile } from 'node:fs/promises'

/** Folder with the types of OpenAI's own client, which are generated from OpenAI's API description. */
export const sdkTypes = new URL('../../node_modules/openai/', import.meta.url)

/** Members of an interface of OpenAI's client, such as the members of a request. */
export async function membersOf(file: string, name: string): Promise<readonly string[]> {
  const text = await readFile(new URL(file, sdkTypes), 'utf8')
  const [, body] = new RegExp(`^export interface ${name} {\\n([\\s\\S]*?)\\n}$`, 'm').exec(text) ?? []
  if (body === undefined) throw new Error(`${file} has no interface ${name}`)
  return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, member = '']) => member)
}
