import { type Catalogue, openCatalogue } from './model-catalogue.ts'

/** A catalogue whose models can be read again while it is in use. */
export type LiveCatalogue = Catalogue & {
  /**
   * Reads the settings' files again. Afterwards it has what they say.
   * @param prepare is called before that.
   * @throws what `openCatalogue` and `prepare` throw. The models then stay.
   */
  reload(prepare: (next: Catalogue) => Promise<void>): Promise<void>
}

/**
 * Opens a catalogue that can be read again. An earlier state is not closed, because running turns keep their model of it:
 * its idle connections time out by themselves.
 */
export async function openLiveCatalogue(
  ...settings: Parameters<typeof openCatalogue>
): Promise<LiveCatalogue> {
  let current = await openCatalogue(...settings)
  return {
    get models() {
      return current.models
    },
    get servers() {
      return current.servers
    },
    find: (id) => current.find(id),
    async reload(prepare) {
      const next = await openCatalogue(...settings)
      await prepare(next)
      current = next
    },
    close: () => current.close(),
  }
}
