import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundleContents, type BundleContent } from '../../../cache/bundle/content.js'
import { exportRun } from '../../../cache/bundle/export.js'
import { importBundle } from '../../../cache/bundle/import.js'
import type { PortableStore } from '../../../cache/bundle/portable.js'
import { sealRun } from '../../../cache/bundle/seal.js'
import { readRows } from '../../../cache/parquet/read.js'
import { openScoresFile } from '../../../cache/bundle/scores-file.js'
import type { OpenedRun, Store } from '../../../cache/store.js'
import { readPrivateKey, writeCertificate } from '../../../src/evidence/certificate.js'
import { verifyBundle } from '../../../src/evidence/verify-certificate.js'
import { collect } from '../../support/portable-runs.js'
import { temporaryFolder, temporaryStore } from '../../support/store.js'
import { viewedRun } from '../../support/viewed-run.js'

type AnyStore = Store & PortableStore

/** A run whose scores quote the answer in every possible way. */
async function judgedRun(): Promise<{ readonly store: AnyStore; readonly opened: OpenedRun }> {
  const store = (await temporaryStore()) as AnyStore
  const score = {
    values: { exact_match: 1, graded: { score: 0.5, answer: 'SECRET-VALUE' }, f1: ['SECRET-PAIR', 'x'] },
    extracted: { none: 'SECRET-READING' },
    reason: 'SECRET-REASON',
    groups: { kind: 'easy' },
  }
  const opened = await viewedRun(store, [
    { prompt: 'SECRET-PROMPT', answer: 'SECRET-ANSWER', score, record: { target: 'SECRET-TARGET', doc: {} } },
    { answer: 'no', score: { values: { exact_match: 0 } } },
  ])
  await sealRun(store, opened.run)
  return { store, opened }
}

async function exported(store: AnyStore, { run }: OpenedRun, only: BundleContent) {
  const folder = await temporaryFolder()
  const file = join(folder, 'part.pipeline')
  const manifest = await exportRun(store, run, { file, media: false, only })
  execFileSync('tar', ['-xf', file, '-C', folder])
  return { file, folder, manifest }
}

test('scores alone hold numbers and no text of doc or answer', async () => {
  const { store, opened } = await judgedRun()
  const { folder, manifest } = await exported(store, opened, 'scores')
  expect(manifest).toMatchObject({ content: 'scores', version: 3, media: 0 })
  expect(manifest.parts.map(({ name }) => name)).toEqual(['preimages.parquet', 'scores-1.parquet'])
  const rows = await collect(() => readRows(join(folder, 'scores-1.parquet')))
  expect(JSON.stringify(rows) + (await readFile(join(folder, 'manifest.json'), 'utf8'))).not.toContain('SECRET')
  expect(JSON.parse(String(rows[0]?.['body']))).toEqual({
    outcome: 'scored',
    values: { exact_match: 1, graded: { score: 0.5 } },
    extracted: {},
    groups: { kind: 'easy' },
  })
  expect(rows[0]).toMatchObject({ doc_id: 'q0', answers: null, revision: null })
})

test('refuses to import scores alone, and says what they can be used for', async () => {
  const { store, opened } = await judgedRun()
  const { file } = await exported(store, opened, 'scores')
  const empty = (await temporaryStore()) as AnyStore
  const refusal = importBundle(empty, file, { onConflict: 'refuse' })
  await expect(refusal).rejects.toThrow(/holds scores of \S+ alone, without docs and answers.*\n.*baseline/)
  expect(await empty.runs.list()).toEqual([])
})

test('reads rules and values from scores alone', async () => {
  const { store, opened } = await judgedRun()
  const { file } = await exported(store, opened, 'scores')
  const scores = await openScoresFile(file, await temporaryFolder())
  expect(scores.judgement.tasks).toEqual(opened.judgement?.tasks)
  const samples = await collect(async function* () {
    for await (const sample of scores.samples()) yield [sample]
  })
  expect(samples.map(({ id, score }) => [id, score?.values['exact_match']])).toEqual([
    ['q0', 1],
    ['q1', 0],
  ])
})

test('imports judge inputs alone as a run without scores', async () => {
  const { store, opened } = await judgedRun()
  const { file, manifest } = await exported(store, opened, 'judge-inputs')
  expect(manifest).toMatchObject({ version: 1, judgements: [] })
  const empty = (await temporaryStore()) as AnyStore
  const { run, added } = await importBundle(empty, file, { onConflict: 'refuse' })
  expect(added).toEqual({ items: 2, responses: 2, scores: 0 })
  expect(await empty.judgements.list(run)).toEqual([])
})

test('rejects media in a bundle with scores alone', async () => {
  const { store, opened } = await judgedRun()
  const target = { file: join(await temporaryFolder(), 'x.pipeline'), media: true, only: 'scores' } as const
  await expect(exportRun(store, opened.run, target)).rejects.toThrow('leaves media out')
})

test.each(bundleContents)('verifies a signed file of %s and names a changed byte', async only => {
  const { store, opened } = await judgedRun()
  const { file, folder, manifest } = await exported(store, opened, only)
  const pem = join(folder, 'key.pem')
  await writeFile(pem, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await writeCertificate(file, { manifest, key: await readPrivateKey(pem), now: 0 })
  expect((await verifyBundle(file)).problems).toEqual([])
  const bytes = await readFile(file)
  bytes[bytes.length - 2000] = (bytes[bytes.length - 2000] ?? 0) ^ 1
  await writeFile(file, bytes)
  expect((await verifyBundle(file)).problems).toHaveLength(1)
})
