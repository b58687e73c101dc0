import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** One font with its files, in the form that programs need. */
export type FontFaces = { readonly name: string; readonly regular: Buffer; readonly bold: Buffer }

/** Frank Ruhl Libre, for Hebrew and English, and Noto Serif Hebrew, which also has the cantillation marks. */
export type PrintFonts = { readonly main: FontFaces; readonly cantillated: FontFaces }

/** Frank Ruhl Libre for a web page: for each weight, a Hebrew and a Latin part. */
export type WebFonts = readonly {
  readonly weight: 400 | 700
  readonly range: string
  readonly base64: string
}[]

export async function loadPrintFonts(): Promise<PrintFonts> {
  const [main, cantillated] = await Promise.all([
    faces('Frank Ruhl Libre', '@expo-google-fonts/frank-ruhl-libre', 'FrankRuhlLibre'),
    faces('Noto Serif Hebrew', '@expo-google-fonts/noto-serif-hebrew', 'NotoSerifHebrew'),
  ])
  return { main, cantillated }
}

async function faces(name: string, folder: string, file: string): Promise<FontFaces> {
  const [regular, bold] = await Promise.all([
    read(`${folder}/400Regular/${file}_400Regular.ttf`),
    read(`${folder}/700Bold/${file}_700Bold.ttf`),
  ])
  return { name, regular, bold }
}

const ranges = {
  hebrew: 'U+0307-0308, U+0590-05FF, U+200C-2010, U+20AA, U+25CC, U+FB1D-FB4F',
  latin:
    'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215',
}

export function loadWebFonts(): Promise<WebFonts> {
  const pieces = (['hebrew', 'latin'] as const).flatMap((subset) =>
    ([400, 700] as const).map(async (weight) => {
      const file = `@fontsource/frank-ruhl-libre/files/frank-ruhl-libre-${subset}-${weight}-normal.woff2`
      return { weight, range: ranges[subset], base64: (await read(file)).toString('base64') }
    }),
  )
  return Promise.all(pieces)
}

function read(file: string): Promise<Buffer> {
  return readFile(fileURLToPath(import.meta.resolve(file)))
}
