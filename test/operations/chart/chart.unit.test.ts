import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { exampleFile } from '../../../build/configuration.ts'
import { renderChart } from './render.ts'

const manifests = path.resolve(import.meta.dirname, '../../../ops/kubernetes')

type Values = Readonly<Record<string, unknown>>
const plain: Values = {
  image: { repository: 'registry.example.org/meduyak' },
  settings: { APP_URL: 'https://chat.example.org', TRUST_PROXY: 'uniquelocal' },
  secret: { existing: 'meduyak-secrets' },
}

// biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested.
async function objects(values: Values): Promise<Readonly<Record<string, any>>> {
  const texts = Object.values(await renderChart(values))
  const documents = texts.flatMap((text) => {
    const read = parseAllDocuments(text, { strict: true, uniqueKeys: true })
    return read.map((one) => {
      expect(one.errors).toEqual([])
      return one.toJS()
    })
  })
  return Object.fromEntries(documents.map((one) => [`${one.kind}/${one.metadata.name}`, one]))
}

test('the plain manifests are what the chart renders', async () => {
  const rendered = await renderChart(plain)
  for (const [file, text] of Object.entries(rendered))
    await expect(`${text}\n`).toMatchFileSnapshot(path.join(manifests, file))
  expect((await readdir(manifests)).sort()).toEqual(Object.keys(rendered).sort())
})

test('two replicas run without rights, are probed, and get the time that a shutdown takes', async () => {
  const { 'Deployment/meduyak': deployment, 'PodDisruptionBudget/meduyak': budget } = await objects(plain)
  const { spec } = deployment.spec.template
  const [service] = spec.containers
  expect(deployment.spec).toMatchObject({ replicas: 2, strategy: { rollingUpdate: { maxUnavailable: 0 } } })
  expect(budget.spec.minAvailable).toBeLessThan(deployment.spec.replicas)
  expect(service).toMatchObject({
    image: 'registry.example.org/meduyak:0.3.0',
    startupProbe: { httpGet: { path: '/healthz' } },
    livenessProbe: { httpGet: { path: '/healthz' } },
    readinessProbe: { httpGet: { path: '/readyz' } },
    securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
  })
  expect(spec).toMatchObject({ terminationGracePeriodSeconds: 40, securityContext: { runAsNonRoot: true } })
  const volumes = spec.volumes.map(({ name }: { name: string }) => name)
  expect(service.volumeMounts.map(({ name }: { name: string }) => name)).toEqual(volumes)
})

test('every selector finds the pods of the service, and none the pod of the migration', async () => {
  const all = await objects(plain)
  const { labels } = all['Deployment/meduyak'].spec.template.metadata
  const migration = all['Job/meduyak-migrate'].spec.template.metadata.labels
  const selectors = [
    all['Deployment/meduyak'].spec.selector.matchLabels,
    all['PodDisruptionBudget/meduyak'].spec.selector.matchLabels,
    all['Service/meduyak'].spec.selector,
  ]
  for (const selector of selectors) {
    expect(labels).toMatchObject(selector)
    expect(migration).not.toMatchObject(selector)
  }
})

test('an upgrade migrates first, with the image, the settings and the secrets of the service', async () => {
  const { 'Job/meduyak-migrate': job, 'Deployment/meduyak': deployment } = await objects(plain)
  expect(job.metadata.annotations['helm.sh/hook']).toBe('pre-upgrade')
  const [migrate] = job.spec.template.spec.containers
  const [service] = deployment.spec.template.spec.containers
  expect(migrate.command).toEqual(['node', 'dist/cli.js', 'migrate'])
  expect([migrate.image, migrate.envFrom]).toEqual([service.image, service.envFrom])
})

test('secrets come from a Secret that exists, or from values; without both the chart is refused', async () => {
  const own = await objects(plain)
  expect(Object.keys(own).filter((name) => name.startsWith('Secret/'))).toEqual([])
  const refs = (all: Awaited<ReturnType<typeof objects>>) =>
    all['Deployment/meduyak'].spec.template.spec.containers[0].envFrom[1].secretRef.name
  expect(refs(own)).toBe('meduyak-secrets')
  const values = { DATABASE_URL: 'postgres://u:p@db/x', KEY_PEPPER: 'a "pepper"', SMTP_URL: 'smtp://m' }
  const made = await objects({ ...plain, secret: { values } })
  expect(made['Secret/meduyak'].stringData).toEqual(values)
  expect(refs(made)).toBe('meduyak')
  await expect(renderChart({ ...plain, secret: {} })).rejects.toThrow('Set secret.existing')
  await expect(renderChart({ secret: plain['secret'] })).rejects.toThrow('Set image.repository')
})

test('settings and files reach the container, and only changed settings restart it', async () => {
  const files = { 'models.json': '{\n  "models": []\n}\n' }
  const before = await objects(plain)
  const after = await objects({ ...plain, files })
  expect(after['ConfigMap/meduyak-files'].data).toEqual(files)
  expect(after['ConfigMap/meduyak'].data).toMatchObject({ HOST: '0.0.0.0', TRUST_PROXY: 'uniquelocal' })
  const template = (all: typeof before) => all['Deployment/meduyak'].spec.template
  expect(template(after)).toEqual(template(before))
  const changed = await objects({ ...plain, settings: { APP_URL: 'https://other.example.org' } })
  expect(template(changed)).not.toEqual(template(before))
})

test('with autoscaling the Deployment leaves the number of replicas to it', async () => {
  const all = await objects({ ...plain, autoscaling: { enabled: true } })
  expect(all['Deployment/meduyak'].spec.replicas).toBeUndefined()
  expect(all['HorizontalPodAutoscaler/meduyak'].spec).toMatchObject({ minReplicas: 2, maxReplicas: 6 })
})

test('the chart names only settings that exist', async () => {
  const known = exampleFile()
  const text = await readFile(path.join(manifests, '../helm/values.yaml'), 'utf8')
  const named = text.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []
  expect(named.filter((name) => !known.includes(`${name}=`))).toEqual([])
  expect(parse(text).settings).toEqual({})
})
