import { fontsOf } from './fonts.ts'
import { joinedRuns } from './joined-runs.ts'
import { decoded, objectsOf, type PdfObjects, referenceIn, referencesIn } from './objects.ts'
import { type TextRun, textRunsOf } from './text-runs.ts'

/**
 * The text of each page of a PDF as Typst writes it. Undefined for every other file: from another program, changed
 * since, or encrypted.
 */
export function typstPages(pdf: Buffer): readonly (readonly TextRun[])[] | undefined {
  const original = originalOf(pdf)
  if (!original) return undefined
  const objects = objectsOf(original)
  const pages = pagesOf(objects).map((number) => runsOf(objects, number))
  return pages.length > 0 && pages.every((runs) => runs !== undefined) ? pages : undefined
}

const fileEnd = /\nstartxref\n\d+\n%%EOF/

/**
 * The file as Typst wrote it. What `completeTextLayer` adds states texts of single glyphs and is left out; other
 * updates may have changed what the pages show.
 */
function originalOf(pdf: Buffer): Buffer | undefined {
  if (!pdf.includes('/Creator (Typst ') || pdf.includes('/Encrypt')) return undefined
  const text = pdf.toString('latin1')
  const end = fileEnd.exec(text)
  if (!end) return undefined
  const length = end.index + end[0].length
  const added = text.slice(length)
  const objects = added.match(/\n\d+ 0 obj\n/g)?.length ?? 0
  const cmaps = added.match(/ 0 obj\n<< \/Length \d+ \/Type \/CMap /g)?.length ?? 0
  return objects === cmaps ? pdf.subarray(0, length) : undefined
}

/** Maximum depth of the tree of pages. */
const maxDepth = 32

/** The numbers of the pages in their order. */
function pagesOf(objects: PdfObjects): readonly number[] {
  const root = [...objects].find(([, { dictionary }]) => /\/Type \/Catalog\s/.test(dictionary))
  const first = referenceIn(root?.[1].dictionary ?? '', 'Pages')
  return first === undefined ? [] : leavesOf(objects, first, maxDepth)
}

function leavesOf(objects: PdfObjects, number: number, depth: number): readonly number[] {
  const dictionary = objects.get(number)?.dictionary ?? ''
  if (!/\/Type \/Pages\s/.test(dictionary)) return [number]
  if (depth === 0) return []
  return referencesIn(dictionary, 'Kids').flatMap((kid) => leavesOf(objects, kid, depth - 1))
}

function runsOf(objects: PdfObjects, number: number): readonly TextRun[] | undefined {
  const dictionary = objects.get(number)?.dictionary ?? ''
  const content = decoded(objects.get(referenceIn(dictionary, 'Contents') ?? -1))
  const runs = content === undefined ? undefined : textRunsOf(content, fontsOf(objects, dictionary))
  return runs && joinedRuns(runs)
}
