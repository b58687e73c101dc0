import path from 'node:path'
import process from 'node:process'
import { findBreaches } from './rooms/breaches.ts'
import { readTree } from './rooms/imports.ts'

/** Compares the imports under `src` with what the README.md of each folder allows. Exit code 1 names what breaks it. */
const root = path.join(import.meta.dirname, '../src')
const breaches = findBreaches(await readTree(root, /\.ts$/), await readTree(root, /^README\.md$/))
for (const breach of breaches) process.stderr.write(`${breach}\n`)
process.exitCode = breaches.length === 0 ? 0 : 1
