import { readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { findBreaches } from './rooms/breaches.ts'
import { readTree } from './rooms/imports.ts'

/**
 * Compares the imports under `src` with `layers.yaml` and the doors in the README.md of each folder. Exits with 1 and lists the violations.
 */
const root = path.join(import.meta.dirname, '../src')
const breaches = findBreaches(
  await readTree(root, /\.ts$/),
  await readTree(root, /^README\.md$/),
  await readFile(path.join(root, 'layers.yaml'), 'utf8'),
)
for (const breach of breaches) process.stderr.write(`${breach}\n`)
process.exitCode = breaches.length === 0 ? 0 : 1
