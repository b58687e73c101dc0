import { html } from 'hono/html'
import { counter } from '../../grammar/plural.ts'

const count = counter('en')

/** `/operator/library/collections`: adding curated works to the library. */
export const collections = {
  title: 'Collections',
  about: html`Curated works from Sefaria's public export. On the command line:
<code>npm run -s service -- sources add</code>`,
  held: (held: number, works: string, andOthers: boolean) =>
    `In the library: ${held} of ${works} listed${andOthers ? ' (and others)' : ''}`,
  stopping: 'Stopping…',
  update: 'Update',
  goOn: 'Go on',
  added: (day: unknown) => html`Added ${day}. `,
  waiting: 'Waiting to start.',
  cancelled: 'The last import was cancelled. What was added is kept.',
  failed: 'The last import failed:',
  notAdded: 'Not added.',
  adding: (title: string) => `Adding ${title}`,
  looking: 'Looking at what comes…',
  worksDone: (done: number, works: string, passages: string) => `${done} of ${works} · ${passages}`,
  perSecond: (number: string) => ` · ${number} per second`,
  timeLeft: (duration: string) => ` · ${duration} left`,
  imported: (versions: string, works: string, passages: string, unchanged: number) =>
    `${versions} of ${works} with ${passages} imported, ${unchanged} unchanged.`,
  unchanged: (versions: string) => `${versions} unchanged.`,
  leftOut: 'Left out',
  leftOutErrors: (failed: number) => `Left out, ${failed} of them by errors`,
  leftOutWhy: (files: string, why: string) => `${files}: ${why}`,
  addTitle: (title: string) => `Add ${title}`,
  back: 'Back to the library',
  unreachable: html`Set <code>LIBRARY_EXPORT</code> to a folder with the export or to the base URL of a mirror, and restart
the service. Or add the collection on the command line:`,
  noWork: (place: string) => `${place} has no work of this collection.`,
  from: 'From',
  renamed: 'Renamed',
  renamedTo: (listed: string, found: string) => `${listed} is there as ${found}`,
  missing: 'Not there',
  free: 'Free licences',
  none: 'none',
  beingAdded: 'This collection is being added.',
  moreThan: (size: string) => `more than ${size}`,
  permissions: {
    'cc-by-nc': {
      label: 'Also texts for non-commercial use',
      meaning: 'Allow them only if this service is not commercial.',
    },
    unknown: {
      label: 'Also texts without a known licence',
      meaning: 'You answer for the right to use them.',
    },
  },
  unseen: count({
    one: '1 file whose licence is not known yet',
    other: (n) => `${n} files whose licence is not known yet`,
  }),
  needPermission: 'Licences that need your permission',
  addToLibrary: 'Add to the library',
}
