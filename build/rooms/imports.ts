import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** One import of a source file: a file under `src`, or a package. Imports of types count. */
export type Import =
  | { readonly kind: 'file'; readonly from: string; readonly to: string }
  | { readonly kind: 'package'; readonly from: string; readonly name: string }

const specifiers =
  /(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?(?:\{[^}]*\}[^'"\n]*?)?from\s+'([^']+)'|\bimport\('([^']+)'\)|(?:^|\n)import\s+'([^']+)'/g

/** @returns the imports in a file's text, without Node's own modules. */
export function importsOf(file: string, text: string): readonly Import[] {
  return [...text.matchAll(specifiers)].flatMap((found): readonly Import[] => {
    const specifier = found[1] ?? found[2] ?? found[3] ?? ''
    if (specifier.startsWith('node:')) return []
    if (specifier.startsWith('.'))
      return [{ kind: 'file', from: file, to: path.posix.join(path.posix.dirname(file), specifier) }]
    return [{ kind: 'package', from: file, name: packageName(specifier) }]
  })
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Texts of all files below a folder with a matching name, by path relative to the folder. */
export async function readTree(root: string, ending: RegExp): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .toSorted()
  const texts = await Promise.all(files.map((file) => readFile(path.join(root, file), 'utf8')))
  return new Map(files.map((file, at) => [file, texts[at] ?? '']))
}
