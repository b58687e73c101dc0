/**
 * `npm run build:kernel`: compiles `src/sources/vectors/dot-kernel.wat` into `dot-kernel.ts` beside it, which is
 * committed: the service needs no compiler. A test compares the two.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import openWabt from 'wabt'

const folder = path.join(import.meta.dirname, '../src/sources/vectors')

/** The text of `dot-kernel.ts` as the source gives it. */
export async function kernelModule(): Promise<string> {
  const wabt = await openWabt()
  const parsed = wabt.parseWat(
    'dot-kernel.wat',
    await readFile(path.join(folder, 'dot-kernel.wat'), 'utf8'),
    {
      simd: true,
    },
  )
  const { buffer } = parsed.toBinary({})
  parsed.destroy()
  const lines =
    Buffer.from(buffer)
      .toString('base64')
      .match(/.{1,100}/g) ?? []
  return `/** WebAssembly of \`dot-kernel.wat\`, made by \`npm run build:kernel\`. */
export const dotKernel = [
${lines.map((line) => `  '${line}',`).join('\n')}
].join('')
`
}

if (import.meta.main) await writeFile(path.join(folder, 'dot-kernel.ts'), await kernelModule())
