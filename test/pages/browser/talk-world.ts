import { sql } from 'drizzle-orm'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { closeWindows, openBrowser, openWindow } from '../../support/browser.ts'
import { type ChatWorld, openChatWorld } from '../../support/chat-world.ts'
import { importLines } from '../../support/library-lines.ts'
import { callTools } from '../../support/scripted-upstream.ts'

/** A small book of our own, in the form of an import; one text carries markup, as a hostile import would. */
const book = [
  {
    work: 'The Gate',
    ref: 'The Gate 1:1',
    he_ref: 'השער א׳:א׳',
    en: 'A small lamp that is carried into a dark room does not argue with the darkness; it only shines.',
    he: 'נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל אֵינוֹ מִתְוַכֵּחַ עִם הַחֹשֶׁךְ, אֶלָּא מֵאִיר.',
    version_he: 'Gate, first printing',
    version_en: 'Gate, our translation',
    license: 'CC0',
    source_url: 'https://example.org/gate/1',
  },
  {
    work: 'The Gate',
    ref: 'The Gate 2:1',
    he_ref: 'השער ב׳:א׳',
    en: 'Whoever counts his own good deeds on the road arrives late, because his hands are full of numbers.',
    version_en: 'Gate, our translation',
    license: 'CC0',
    source_url: 'https://example.org/gate/2',
  },
  {
    work: 'The Hostile Book',
    ref: 'The Hostile Book 1:1',
    he_ref: '<img src=x onerror=alert(1)>',
    en: 'Before &lt;script>document.title = "owned"&lt;/script> and &lt;img src=x onerror="document.title = \'owned\'"> after it.',
    version_en: '<b onclick=alert(1)>Edition</b>',
    license: 'CC0',
  },
]

/** The chat world with a library and a browser. */
export type TalkWorld = ChatWorld & {
  readonly browser: Browser
  /** Somebody new, on plan `free`, signed in to the pages in a window of their own. */
  person(options?: { readonly url?: string; readonly scripts?: boolean }): Promise<Person>
}

export type Person = { readonly window: BrowserContext; readonly page: Page; readonly email: string }

let people = 0

export async function openTalkWorld(options: Parameters<typeof openChatWorld>[0] = {}): Promise<TalkWorld> {
  const world = await openChatWorld(options)
  await importLines(world.db.database, book)
  // No import takes such an address now; a library may have it from a former one.
  await world.db.database.system.execute(sql`
    update versions set source_url = 'javascript:alert(1)'
    where work_id = (select id from works where title = 'The Hostile Book')`)
  const browser = await openBrowser()
  return {
    ...world,
    browser,
    async person({ url = world.service.url, scripts = true } = {}) {
      people += 1
      const email = `reader-${people}@example.org`
      const window = await openWindow(browser, { ...world.service, url }, { scripts })
      const page = await window.newPage()
      await page.goto('/signup')
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password').fill('four unrelated words here')
      await page.getByRole('button', { name: 'Make the account' }).click()
      await page.waitForURL('**/ask')
      return { window, page, email }
    },
    async close() {
      await closeWindows(browser)
      return world.close()
    },
  }
}

/** Reads what the answers of these tests cite: `[S1]` Hebrew and `[S2]` English of 1:1, `[S3]` English of 2:1. */
export function readingTheGate() {
  const read = (ref: string) => ({ name: 'read_source', arguments: { ref } })
  return [callTools([read('The Gate 1:1')]), callTools([read('The Gate 2:1')])]
}

/** Types a question into the box of the page and sends it. */
export async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Your question').fill(question)
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.waitForURL(/\/sessions\//)
}

/** Waits until the newest turn of the conversation stands on the page with all that it came to. */
export function ended(page: Page): Promise<void> {
  return page.locator('article.turn').last().getByText('How this was found').waitFor()
}
