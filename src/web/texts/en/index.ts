import { type Formats, formatsOf } from '../grammar/formats.ts'
import type { Direction, Language } from '../grammar/language.ts'
import { account, members } from './account.ts'
import { alerts } from './alerts.ts'
import { common } from './common.ts'
import { answers, ask, sharing } from './conversations.ts'
import { errors } from './errors.ts'
import { files } from './files.ts'
import { frame } from './frame.ts'
import { keys } from './keys.ts'
import { landing } from './landing.ts'
import { ofLibrary } from './library/index.ts'
import { operator } from './operator/index.ts'
import { projects } from './projects.ts'
import { reference } from './reference.ts'
import { runs } from './runs.ts'
import { secondFactor } from './second-factor.ts'
import { usage } from './usage.ts'

const groups = {
  answers,
  ask,
  sharing,
  account,
  alerts,
  common,
  errors,
  files,
  frame,
  keys,
  landing,
  members,
  operator,
  projects,
  reference,
  runs,
  secondFactor,
  usage,
  ...ofLibrary,
}

/** What every language has. */
export type EnglishTexts = typeof groups &
  Formats & {
    readonly language: Language
    readonly direction: Direction
    /**
     * A message of another part of the service in this language; the English text if it has no translation.
     * @param nameOf the names of refs in this language.
     */
    readonly translate: (english: string, nameOf?: (ref: string) => string) => string
  }

export const en: EnglishTexts = {
  ...groups,
  ...formatsOf('en', {
    bytes: ['bytes', 'KB', 'MB', 'GB', 'TB'],
    underTenth: '< 0.1 s',
    seconds: (value) => `${value} s`,
    minutes: (minutes, seconds) => `${minutes} min ${seconds} s`,
  }),
  language: 'en',
  direction: 'ltr',
  translate: (english) => english,
}
