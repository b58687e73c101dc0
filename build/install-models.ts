/**
 * `npm run models:install -- API...`: installs the packages that these APIs of `MODELS_FILE` need, in the versions that the
 * tests use. Packages of earlier calls stay. Package.json and the lock file do not change, so `npm ci` removes them again.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { type Api, apis } from '../src/agent/ai-sdk/apis.ts'
import { localModelPackage } from '../src/sources/embeddings/local-model.ts'

const root = path.resolve(import.meta.dirname, '..')
const known: Readonly<Record<string, Api>> = apis
const folderOf = (name: string): string => path.join(root, 'node_modules', name)

async function versionsOf(
  file: string,
): Promise<{ version: string; devDependencies: Record<string, string> }> {
  return JSON.parse(await readFile(file, 'utf8'))
}

async function main(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => known[name] === undefined)
  if (names.length === 0 || unknown !== undefined) {
    const wrong = unknown === undefined ? 'No API is named' : `There is no API "${unknown}"`
    process.stderr.write(`${wrong}. Name one or more of: ${Object.keys(known).join(', ')}.\n`)
    process.exitCode = 1
    return
  }
  const wanted = new Set(names.map((name) => known[name]?.package ?? ''))
  if ([...wanted].every((name) => existsSync(folderOf(name)))) {
    process.stdout.write('The packages are installed already.\n')
    return
  }
  // npm removes what package.json does not name, so the others are named again.
  for (const { package: name } of Object.values(known)) if (existsSync(folderOf(name))) wanted.add(name)
  const { devDependencies } = await versionsOf(path.join(root, 'package.json'))
  const packages = [...wanted].map((name) => `${name}@${devDependencies[name]}`)
  const embeddings = path.join(folderOf(localModelPackage), 'package.json')
  if (existsSync(embeddings)) packages.push(`${localModelPackage}@${(await versionsOf(embeddings)).version}`)
  // As development dependencies they would be left out together with the others.
  const options = [
    '--no-save',
    '--save-prod',
    '--ignore-scripts',
    ...(existsSync(folderOf('vitest')) ? [] : ['--omit=dev']),
  ]
  const { status } = spawnSync('npm', ['install', ...options, ...packages], { cwd: root, stdio: 'inherit' })
  process.exitCode = status ?? 1
}

await main(process.argv.slice(2))
