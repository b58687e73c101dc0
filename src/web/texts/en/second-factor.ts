import { html } from 'hono/html'
import { counter } from '../grammar/plural.ts'

const count = counter('en')

/** The second factor: the step of the sign-in that asks for it, and its settings. */
export const secondFactor = {
  title: 'Second factor',
  about:
    'With a second factor, a sign-in also needs a code or a passkey. A stolen password is then not enough.',
  off: 'Off. A password is enough to sign in.',
  on: 'On. A sign-in has a second step.',
  change: 'Set up or change',
  addApp: 'Add an authenticator app',
  addAppHint: 'You need an app that shows six-digit codes, such as Aegis, FreeOTP or Google Authenticator.',
  appAdded: 'Your authenticator app is set up.',
  scan: 'Scan this code with the app. It shows six digits then, which you enter below.',
  qrCode: 'QR code for the authenticator app',
  cannotScan: 'If you cannot scan it, enter this secret in the app:',
  secret: 'Secret for the app',
  code: 'Code from the app',
  turnOn: 'Turn on',
  passkeys: 'Passkeys',
  passkeysHint: 'A passkey on your phone, computer or security key takes the place of the code.',
  addPasskey: 'Add a passkey',
  addPasskeyHint: 'Give it a name by which you know it again. Your browser then asks you where to keep it.',
  needsScripts: 'Passkeys need scripts, which are turned off in this browser.',
  passkeyFailed: 'The browser gave no passkey. Try again.',
  usePasskey: 'Use a passkey',
  recoveryCodes: 'Recovery codes',
  recoveryAbout:
    'Each code signs you in once when you do not have your phone. Keep them where you find them without it. They are not shown again.',
  recoveryLeft: count({
    one: '1 unused recovery code is left.',
    other: (n) => `${n} unused recovery codes are left.`,
  }),
  replaceCodes: 'Make new recovery codes',
  replaceHint: 'New ones replace them.',
  haveKept: 'I have kept them',
  turnOff: 'Turn off',
  turnOffTitle: 'Turn off the second factor',
  turnOffHint: 'A password is then enough to sign in.',
  anyCode: 'Code from the app, or a recovery code',
  stepTitle: 'Second step',
  stepHint: 'Enter the six digits that your authenticator app shows, or a recovery code.',
  startAgain: html`<a href="/signin">Sign in as somebody else</a>`,
  done: {
    'passkey-added': 'The passkey has been added.',
    'passkey-removed': 'The passkey has been removed.',
    off: 'The second factor is off.',
  },
}
