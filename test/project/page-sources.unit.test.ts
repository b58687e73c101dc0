import { expect, test } from 'vitest'
import { longLines, sizesWithoutToken } from '../../build/pages/faults.ts'

test('a line above 120 characters is refused, with its number', () => {
  expect(longLines('a.ts', `${'x'.repeat(120)}\n${'x'.repeat(121)}`)).toEqual([
    'a.ts:2: 121 characters, at most 120: break the line.',
  ])
})

test('a font size that is no token is refused in every unit', () => {
  const sizes = ['font-size: 0.9rem;', 'font-size: 1.1em;', 'font: 600 13px var(--sans);']
  for (const line of sizes) expect(sizesWithoutToken('a.css', `a {\n  ${line}\n}`)).toHaveLength(1)
  expect(sizesWithoutToken('a.css', 'font-size: var(--text-s);\nfont: inherit;')).toEqual([])
})

test('a margin, padding or gap that is no token is refused, except in em', () => {
  expect(sizesWithoutToken('a.css', '  margin-block: 1rem 0;\n  gap: 4px;')).toEqual([
    'a.css:1: "margin-block: 1rem 0": use a token --space-… of base.css.',
    'a.css:2: "gap: 4px": use a token --space-… of base.css.',
  ])
  expect(sizesWithoutToken('a.css', 'margin-block: 1.2em 0.4em;\npadding: var(--space-3) 0;')).toEqual([])
})
