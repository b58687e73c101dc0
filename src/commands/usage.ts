import type { ParseArgsOptionDescriptor } from 'node:util'

/** The most words where a usage line has `...`. */
const many = 100

/**
 * Reads a usage line, so that the help and the parser never differ: `--name X` is an option with a text, `--name` one without,
 * and capitals are a word. What is in brackets may be absent, and with `...` it may come several times.
 */
export function readUsage(usage: string) {
  const found = [...usage.matchAll(/(\[|\| )?--([\w-]+)(?: ([^\s|\]]\S*))?/g)]
  const options = found.map(([, , name = '', value]): [string, ParseArgsOptionDescriptor] => [
    name,
    value === undefined ? { type: 'boolean' } : { type: 'string', multiple: value.endsWith(']...') },
  ])
  const rest = usage.replaceAll(/\[[^\]]*--[^\]]*\](\.{3})?|--[\w-]+ \S+/g, '')
  const words = [...rest.matchAll(/(\[)?["A-Z][^\s\]]*(?: \| \w+\])?(\]?\.{3})?/g)].map(([word, open]) => ({
    least: open === undefined ? 1 : 0,
    most: word.endsWith('...') ? many : 1,
  }))
  return {
    options: Object.fromEntries(options),
    required: found.flatMap(([, optional, name = '']) => (optional === undefined ? [name] : [])),
    least: words.reduce((sum, { least }) => sum + least, 0),
    most: words.reduce((sum, { most }) => sum + most, 0),
  }
}
