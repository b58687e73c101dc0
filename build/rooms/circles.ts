import type { Import } from './imports.ts'

/**
 * @returns one cycle per group of files that import each other, types included (Tarjan's algorithm, 1972).
 */
export function findCircles(imports: readonly Import[]): readonly (readonly string[])[] {
  const targets = new Map<string, string[]>()
  for (const found of imports)
    if (found.kind === 'file') targets.set(found.from, [...(targets.get(found.from) ?? []), found.to])
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []
  const visit = (file: string): void => {
    index.set(file, index.size)
    low.set(file, index.size - 1)
    stack.push(file)
    for (const to of targets.get(file) ?? []) {
      if (!index.has(to)) visit(to)
      if (stack.includes(to)) low.set(file, Math.min(low.get(file) ?? 0, low.get(to) ?? 0))
    }
    if (low.get(file) !== index.get(file)) return
    const circle = stack.splice(stack.indexOf(file))
    if (circle.length > 1) circles.push(circle)
  }
  for (const file of targets.keys()) if (!index.has(file)) visit(file)
  return circles
}
