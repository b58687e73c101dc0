import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects with the slowest files come first, so that no slow file runs alone at the end. */
const order = ['browser', 'e2e', 'db', 'http', 'unit']

/**
 * Sorts the projects by `order`. Within a project it sorts like vitest: the slowest file of the last run
 * first.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => order.indexOf(a.project.name) - order.indexOf(b.project.name))
  }
}
