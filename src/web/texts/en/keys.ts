import { html } from 'hono/html'

/** `/settings/keys`: the list of keys, the form for a new one, and the page that shows its secret. */
export const keys = {
  title: 'API keys',
  newKey: 'New key',
  newTitle: 'New API key',
  noAccess: (
    plan: string,
  ) => html`<b>Your plan “${plan}” does not include the API.</b> You can create keys, but the
API refuses their requests with <code>plan_without_api_access</code> until the operator of this service gives you
another plan. <a href="/ask">Questions on these pages</a> work on every plan.`,
  none: 'No keys yet',
  noneHint: html`A key lets your programs ask questions. <a href="/settings/keys/new">Create your first key</a>.`,
  key: 'Key',
  access: 'Access',
  permissions: 'Permissions',
  lastUsed: 'Last used',
  states: { active: 'active', revoked: 'revoked', expired: 'expired' },
  until: (date: unknown) => html`until ${date}`,
  revoke: 'Revoke',
  revokeQuestion: (name: string) =>
    html`Programs that use “<bdi>${name}</bdi>” stop working immediately. This cannot be undone.`,
  revokeConfirm: 'Yes, revoke it',
  allProjects: 'all projects',
  ownProject: html`its own project <small class="faint">(created on first use)</small>`,
  done: {
    revoked: 'The key has been revoked. Requests with it are refused.',
    made: 'This form has already created a key, which is shown only once. If you lost it, revoke it and create another.',
  },
  namePlaceholder: 'For example: website, back end',
  grants: {
    'models:read': 'list the models',
    'sources:read': 'search and read the library, check quotations; costs no credits',
    'chat:write': 'ask questions, follow and stop runs; includes the library',
    'sessions:write': 'create and continue conversations',
    'files:read': 'list and download files',
    'files:write': 'upload and delete files',
    'projects:read': 'list projects',
    'projects:write': 'create, change and delete projects; only for a key with access to all projects',
  },
  expires: 'Expires',
  expiries: { never: 'Never', '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year' },
  create: 'Create key',
  forServers: (email: string) =>
    html`Keys of <bdi>${email}</bdi> are for servers and scripts. Never put a key into a web page, an app or a
repository.`,
  dedicated: 'A project of its own',
  dedicatedHint: 'The first request creates it. The key can access nothing else. This is the safest choice.',
  oneOfYours: 'One of your projects',
  all: 'All projects',
  allHint: 'Anyone with this key can read and change everything in your account. Use it only if you must.',
  yourNewKey: 'Your new key',
  made: (name: string) => html`The key “<bdi>${name}</bdi>” has been created`,
  copyNow: html`<b>Copy it now.</b> It is shown only once: the service stores no copy.`,
  refused: (plan: string) =>
    `Your plan “${plan}” does not include the API: requests with this key are refused.`,
  theKey: 'The key',
  theCommand: 'The curl command',
  theProgram: 'The program',
  withCurl: 'Ask a question with curl',
  withNode: 'With the OpenAI library for Node.js',
  withPython: 'With the OpenAI library for Python',
  copied: 'I have copied it',
  exampleQuestion: 'What does the Tanya mean by a beinoni?',
}
