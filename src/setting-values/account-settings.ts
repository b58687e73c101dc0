import { z } from 'zod'
import { documented } from './documented.ts'
import { bucketUrl, hostList, httpUrl, mailAddress, optionalText, retentionDays, smtpUrl } from './values.ts'

/** Settings of files, accounts, sign-in and mail. */
export const ofAccounts = {
  Files: {
    FILES_URL: documented(bucketUrl, {
      value: 's3://bucket or s3://bucket/prefix',
      unset: 'Postgres stores them',
      description:
        'Bucket of an S3-compatible service for the content of files. See "Files outside Postgres" in docs/files.md.',
    }),
    FILES_ENDPOINT: documented(httpUrl, {
      value: 'URL',
      unset: 'Amazon S3',
      description: 'Address of another S3-compatible service, such as MinIO, Garage or R2.',
    }),
    FILES_REGION: documented(optionalText, {
      value: 'name of a region',
      unset: 'AWS_REGION; us-east-1 with FILES_ENDPOINT',
      description: 'Region of the bucket: auto for R2, garage for Garage.',
    }),
    FILES_ACCESS_KEY_ID: documented(optionalText, {
      value: 'text',
      unset: 'the credentials that the AWS SDK finds, such as those of the machine',
      description: 'Id of the access key. Needs FILES_SECRET_ACCESS_KEY.',
    }),
    FILES_SECRET_ACCESS_KEY: documented(optionalText, {
      value: 'text',
      unset: 'none',
      description: 'Secret of the access key.',
    }),
    OCR_COMMAND: documented(optionalText, {
      value: 'program and options, separated by spaces',
      unset: 'scanned PDFs have no text',
      description:
        'Command that gives scanned PDFs a text layer, such as: ocrmypdf --language heb+eng --jobs 1. See "Scanned PDFs" in docs/files.md.',
    }),
  },
  Accounts: {
    PLANS_FILE: documented(optionalText, {
      value: 'file',
      unset: 'free, basic, pro and unlimited',
      description: 'JSON file that replaces plans or adds others, see docs/billing.md.',
    }),
    SIGNUP: documented(z.enum(['open', 'invited', 'closed']).optional(), {
      value: 'open, invited or closed',
      unset: 'open with the embedded database, closed with DATABASE_URL',
      description:
        'Who can create an account in the pages: anybody, people who are invited to their address as members of an account, or nobody.',
    }),
    SIGNUP_DOMAINS: documented(hostList.default([]), {
      value: 'host names, separated by commas',
      description: 'Only addresses of these domains may create an account in the pages. Needs SMTP_URL.',
    }),
    SIGNUP_PLAN: documented(z.string().trim().min(1).default('free'), {
      value: 'name of a plan',
      description: 'Plan of the accounts that are created in the pages.',
    }),
    DELETION_DAYS: documented(z.coerce.number().int().min(0).max(365).default(0), {
      value: 'whole number from 0 to 365',
      description:
        'Days from the closing of an account by its owner to the deletion of its data. Until then it can be taken back.',
    }),
    RETENTION_DAYS: documented(retentionDays, {
      value: 'kind=days, separated by commas; kinds: conversations, files, feedback, deliveries',
      unset: 'nothing, but deliveries of webhooks after 30 days',
      description:
        'Days without a change after which data is deleted, such as conversations=365,files=90. See "Retention" in docs/operations.md.',
    }),
  },
  'Sign-in': {
    SIGN_IN_FILE: documented(optionalText, {
      value: 'file',
      unset: 'people sign in by password',
      description: 'JSON or YAML file with OpenID Connect providers, see docs/sign-in.md. Needs APP_URL.',
    }),
  },
  Mail: {
    SMTP_URL: documented(smtpUrl, {
      value: 'smtp:// or smtps:// URL with user and password',
      unset: 'no mail is sent; the operator makes links for new passwords',
      description:
        'SMTP server for mail to the owners of accounts. New accounts then confirm their address. Needs MAIL_FROM and APP_URL.',
    }),
    MAIL_FROM: documented(mailAddress, {
      value: 'address, or Name <address>',
      unset: 'none',
      description: 'Sender of the mails.',
    }),
  },
}
