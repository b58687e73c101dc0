import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects whose files take longest come first, so that no long file is alone at the end of a run. */
const order = ['browser', 'e2e', 'db', 'http', 'unit']

/** Sorts the projects by `order`, and the files of a project as vitest does: the longest of the last run first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => order.indexOf(a.project.name) - order.indexOf(b.project.name))
  }
}
