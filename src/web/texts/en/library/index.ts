import { daily, library } from './library.ts'
import { reader } from './reader.ts'
import { search } from './search.ts'
import { sheets } from './sheets.ts'

/** The groups of the library and of source sheets. */
export const ofLibrary = { daily, library, reader, search, sheets }
