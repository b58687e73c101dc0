import type { EnglishTexts } from '../en/index.ts'
import { formatsOf } from '../grammar/formats.ts'
import { translator } from '../grammar/translate.ts'
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
import { fieldNames } from './messages/field-messages.ts'
import { messages } from './messages/messages.ts'
import { operator } from './operator/index.ts'
import { projects } from './projects.ts'
import { reference } from './reference.ts'
import { runs } from './runs.ts'
import { secondFactor } from './second-factor.ts'
import { usage } from './usage.ts'

const translated = translator(messages, fieldNames)

const formats = formatsOf('he', {
  bytes: ['בתים', 'KB', 'MB', 'GB', 'TB'],
  underTenth: 'פחות מ־0.1 שניות',
  seconds: (value) => `${value} שניות`,
  minutes: (minutes, seconds) => `${minutes} דק׳ ${seconds} שנ׳`,
})

export const he: EnglishTexts = {
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
  ...formats,
  // Isolated: otherwise the number stands to the right of a unit in Latin letters.
  bytes: (bytes) => `\u2068${formats.bytes(bytes)}\u2069`,
  language: 'he',
  direction: 'rtl',
  translate: (english, nameOf) => translated(english, nameOf) ?? english,
}
