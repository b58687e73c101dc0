import type { Target } from '../target.ts'

/** Loaded one by one, because the upload target imports the whole service. */
const openers: Readonly<Record<string, () => Promise<Target>>> = {
  upstream: async () => (await import('./upstream.ts')).upstream,
  refs: async () => (await import('./refs.ts')).refs,
  folding: async () => (await import('./folding.ts')).folding,
  'imported-markup': async () => (await import('./imported-markup.ts')).importedMarkup,
  markdown: async () => (await import('./markdown.ts')).markdown,
  names: async () => (await import('./names.ts')).names,
  multipart: async () => (await import('./multipart.ts')).openMultipart(),
}

export const targetNames: readonly string[] = Object.keys(openers)

/** @throws RangeError for an unknown parser. */
export async function openTarget(name: string): Promise<Target> {
  const open = openers[name]
  if (!open) throw new RangeError(`there is no parser "${name}": ${targetNames.join(', ')}`)
  return open()
}
