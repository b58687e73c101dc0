import { counter } from '../grammar/plural.ts'

const count = counter('en')

/** Names of the built-in plans. */
const plans: Readonly<Record<string, string>> = {
  free: 'Free',
  basic: 'Basic',
  pro: 'Pro',
  unlimited: 'Unlimited',
}

/** Words that several pages use, and counts with their nouns. */
export const common = {
  older: 'Older',
  newest: 'Newest',
  firstPage: 'First page',
  untitled: 'Untitled',
  deleted: 'deleted',
  unknown: 'unknown',
  never: 'never',
  name: 'Name',
  rename: 'Rename',
  cancel: 'Cancel',
  actions: 'Actions',
  download: 'Download',
  copy: 'Copy',
  copyWhat: (what: string) => `Copy: ${what}`,
  created: 'Created',
  status: 'Status',
  plan: 'Plan',
  /** The name of a plan: that of a built-in plan in the language of the page, another one as it is. */
  planName: (name: string) => (Object.hasOwn(plans, name) ? (plans[name] ?? name) : name),
  project: 'Project',
  email: 'E-mail address',
  password: 'Password',
  newPassword: 'New password',
  source: 'Source',
  sourceOf: (what: string) => `Source: ${what}`,
  close: 'Close',
  add: 'Add',
  any: 'Any',
  edit: 'Edit',
  lastUsed: 'Last used',
  model: 'Model',
  remove: 'Remove',
  save: 'Save',
  show: 'Show',
  size: 'Size',
  stop: 'Stop',
  time: 'Time',
  credits: (amount: string) => `${amount} credits`,
  chapters: count({ one: '1 chapter', other: (n) => `${n} chapters` }),
  filesCount: count({ one: '1 file', other: (n) => `${n} files` }),
  passages: count({ one: '1 passage', other: (n) => `${n} passages` }),
  permissions: count({ one: '1 permission', other: (n) => `${n} permissions` }),
  questions: count({ one: '1 question', other: (n) => `${n} questions` }),
  texts: count({ one: '1 text', other: (n) => `${n} texts` }),
  turns: count({ one: '1 turn', other: (n) => `${n} turns` }),
  versions: count({ one: '1 version', other: (n) => `${n} versions` }),
  works: count({ one: '1 work', other: (n) => `${n} works` }),
}
