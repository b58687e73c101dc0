import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { test } from 'vitest'
import { useClientWorld } from '../support/conformance.ts'
import { expectBothAnswers } from '../support/programs.ts'

const world = useClientWorld()

/** The Python with the packages, for example that of a virtual environment. */
const python = process.env['PYTHON'] ?? 'python3'

/** The modules to import, and the packages that have them. */
const packages = { openai: 'openai', langchain_openai: 'langchain-openai', agents: 'openai-agents' }

for (const [name, installed] of Object.entries(packages)) {
  const isThere = spawnSync(python, ['-c', `import ${name}`]).status === 0
  test.skipIf(!isThere)(
    `${name} of Python shows the answer and its source (needs \`pip install ${installed}\`, or PYTHON with it)`,
    async () => {
      await expectBothAnswers(world(), python, [path.join(import.meta.dirname, 'clients.py'), name])
    },
  )
}
