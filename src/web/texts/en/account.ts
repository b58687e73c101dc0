import { html } from 'hono/html'

/** Signing in and up, the new password, and the settings of the account. */
export const account = {
  signIn: 'Sign in',
  signUp: 'Create account',
  newHere: (href: string) => html`New here? <a href="${href}">Create account</a>`,
  haveAccount: (href: string) => html`Already have an account? <a href="${href}">Sign in</a>`,
  operatorCreates: 'The operator of this service creates accounts.',
  closed: html`The operator of this service creates accounts. Ask them for one, then <a href="/signin">sign in</a>.`,
  about: 'Ask questions about chassidic teachings and read the answers next to their sources.',
  planGives: (plan: string, credits: bigint) => `${plan}: ${credits.toLocaleString('en')} credits a month.`,
  planGivesPages: (plan: string, credits: bigint) =>
    `${plan}: ${credits.toLocaleString('en')} credits a month. No API.`,
  passwordRule: (min: number) => `At least ${min} characters. A few unrelated words make a good password.`,
  passwordRuleHere: (min: number) => `At least ${min} characters. All other browsers are signed out.`,
  done: {
    'signed-out': 'You are signed out.',
    reset: 'The new password has been set. Sign in with it.',
    deleted: 'The account and all its data have been deleted.',
    closed: 'The account is closed. Its data will be deleted after the waiting time. To keep it, sign in.',
    password: 'The password has been changed. All other browsers have been signed out.',
    address: 'The account has its new address. Sign in with it.',
    'address-sent': 'We have sent a link to the new address. Open it to finish.',
  },
  ended: {
    page: 'Your session has ended. Sign in to go on.',
    form: 'Your session had ended, so nothing was saved. Sign in, then send the form again.',
    kept: 'Your session had ended, so nothing was saved. Sign in here, and you get the form back with what you wrote.',
  },
  setPassword: 'Set a new password',
  setThePassword: 'Set the password',
  resetFor: (email: unknown) =>
    html`For the account ${email}. All browsers that are signed in to it are signed out.`,
  forgot: 'Forgot your password?',
  forgotHint: 'Enter your e-mail address. If there is an account for it, we send a link for a new password.',
  sendLink: 'Send the link',
  checkMail: 'Check your mail',
  checkMailHint:
    'We have sent a link to the address that you gave. It works for 24 hours. Look among unwanted mail too.',
  confirmTitle: 'Confirm the address',
  confirmFor: {
    account: (email: unknown) => html`This creates your account with the address ${email}.`,
    address: (email: unknown) => html`From now on your account has the address ${email}.`,
  },
  confirm: 'Confirm',
  changeAddress: 'Change the e-mail address',
  changeAddressHint: 'We send a link to the new address. Nothing changes until you open it.',
  newAddress: 'New e-mail address',
  settings: 'Settings',
  keysTab: 'API keys',
  accountTab: 'Account',
  changePassword: 'Change the password',
  currentPassword: 'Current password',
  exportData: 'Download your data',
  exportMeaning:
    'A ZIP file with your projects, conversations, usage, sheets and files. It has no passwords or secrets of keys.',
  keepAccount: 'Keep the account: take its deletion back',
  deleteAccount: 'Delete the account',
  deleteMeaning:
    'This permanently deletes your keys, projects, conversations and files. Remaining credits are lost.',
  closeMeaning: (days: number) =>
    `This closes the account at once: its keys, browsers and turns stop. After ${days} ${days === 1 ? 'day' : 'days'}, keys, projects, conversations and files are deleted and remaining credits are lost. Until then you can keep the account by signing in.`,
  close: 'Close the account',
  deleteDots: 'Delete the account…',
  deleteEverything: 'Delete everything',
  passwordToConfirm: 'Enter your password to confirm',
}
