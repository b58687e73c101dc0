import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Kinds of files that take longest come first, so that no long file is alone at the end of a run. */
const order = ['browser', 'e2e', 'db', 'http', 'unit']

const place = ({ moduleId }: TestSpecification) =>
  order.findIndex((ending) => moduleId.endsWith(`.${ending}.test.ts`))

/** Sorts the kinds by `order`, and the files of a kind as vitest does: the longest of the last run first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => place(a) - place(b))
  }
}
