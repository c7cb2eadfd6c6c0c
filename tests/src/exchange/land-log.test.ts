import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { landLog, type LandedRun } from '../../../src/exchange/land-log.js'
import { findReader } from '../../../src/exchange/readers.js'
import type { PortableStore } from '../../../cache/bundle/portable.js'
import { codeKey } from '../../../cache/keys.js'
import type { CodeManifest, Run } from '../../../cache/records.js'
import type { Sample, Store } from '../../../cache/store.js'
import { temporaryFolder, temporaryStore, testProvenance } from '../../support/store.js'

const logs = 'tests/fixtures/logs'

type WholeStore = Store & PortableStore

const emptyStore = async (): Promise<WholeStore> => (await temporaryStore()) as WholeStore

async function imported(store: WholeStore, path: string): Promise<readonly LandedRun[]> {
  const reader = await findReader(path)
  if (reader === undefined) throw new Error(`no reader for ${path}`)
  return landLog(store, await reader.open(path))
}

async function onlyRun(store: WholeStore, path: string): Promise<Run> {
  const [landed] = await imported(store, path)
  if (landed === undefined) throw new Error('no run')
  return landed.outcome.run
}

async function newest(store: Store, run: Run) {
  const judgement = (await store.judgements.list(run)).at(-1)
  if (judgement === undefined) throw new Error('no judgement')
  const samples: Sample[] = []
  for await (const sample of store.judgements.samples(run, judgement)) samples.push(sample)
  const scores = Object.fromEntries(
    (judgement.aggregates ?? []).map(({ task, metric, filter, value }) => [`${task} ${metric} ${filter}`, value]),
  )
  return { samples, scores, aggregates: judgement.aggregates ?? [] }
}

describe('a log of lmms-eval', () => {
  it('becomes a complete run with the scores that it reports', async () => {
    const store = await emptyStore()
    const run = await onlyRun(store, `${logs}/lmms-eval`)
    const { samples, scores, aggregates } = await newest(store, run)
    expect(run.asked.model).toEqual({ backend: 'dummy', args: { response: 'B' } })
    expect(run.provenance.version).toBe('lmms-eval main@v0.6-181')
    expect(new Date(run.createdAt).toISOString()).toBe('2026-11-21T23:23:12.000Z')
    expect(scores).toEqual({
      'syn_exact exact_match strict': 0.4,
      'syn_exact exact_match loose': 0.4,
      'syn_letter hit none': 0.4,
      'syn_letter by_gate none': 40,
    })
    expect(aggregates.find(({ metric }) => metric === 'by_gate')).toMatchObject({ interval: null, n: 5, total: 5 })
    expect(samples).toHaveLength(10)
    const first = samples[0]
    expect(first?.items[0]?.request?.input.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Gate 0: which opens?' }] },
    ])
    expect(first?.items[0]?.response?.body.text).toBe('B')
    expect(first?.score?.extracted).toEqual({ strict: 'B', loose: 'b' })
    expect(await store.runs.counts(run)).toMatchObject({ docs: 10, items: 10, answered: 10, pending: 0, failed: {} })
  })

  it('can be imported twice, even from a copy', async () => {
    const store = await emptyStore()
    await imported(store, `${logs}/lmms-eval`)
    const copy = await temporaryFolder()
    await cp(`${logs}/lmms-eval`, copy, { recursive: true })
    const [again] = await imported(store, copy)
    expect(again?.outcome).toMatchObject({
      isNew: false,
      added: { items: 0, responses: 0, scores: 0 },
      present: { items: 10, responses: 10, scores: 10 },
      conflicts: [],
    })
    expect(await store.runs.list()).toHaveLength(1)
  })

  it('says where its samples do not give the reported number', async () => {
    const folder = await temporaryFolder()
    await cp(`${logs}/lmms-eval`, folder, { recursive: true })
    const file = join(folder, '20261122_072312_results.json')
    await writeFile(file, (await readFile(file, 'utf8')).replace('"hit,none": 0.4', '"hit,none": 0.6'))
    const store = await emptyStore()
    const [landed] = await imported(store, folder)
    expect(landed?.differences).toEqual([{ task: 'syn_letter', metric: 'hit', reported: 0.6, ours: 0.4 }])
  })

  it('is rejected with file and line if it is damaged, and nothing is stored', async () => {
    const folder = await temporaryFolder()
    await cp(`${logs}/lmms-eval`, folder, { recursive: true })
    const file = join(folder, '20261122_072312_samples_syn_letter.jsonl')
    await writeFile(file, (await readFile(file)).subarray(0, -30))
    const store = await emptyStore()
    await expect(imported(store, folder)).rejects.toThrow(/samples_syn_letter\.jsonl:5 {2}not JSON/)
    expect(await store.runs.list()).toEqual([])
    expect((await readdir(store.workFolder)).filter(name => name.startsWith('.import'))).toEqual([])
  })
})

describe('imported answers', () => {
  it('never answer a request, even with the same input, model and code version', async () => {
    const store = await emptyStore()
    const run = await onlyRun(store, `${logs}/lmms-eval`)
    const { samples } = await newest(store, run)
    const input = samples[0]?.items[0]?.request?.input
    if (input === undefined) throw new Error('no input')
    const { type, messages } = input
    const code: CodeManifest = { files: {}, version: run.provenance.version }
    const asked = await store.runs.create({ ...run.asked, code: codeKey(code).key }, testProvenance, [
      { kind: 'code', ...codeKey(code) },
    ])
    const request = {
      choice: 0,
      sample: 0,
      input: { type, messages },
      generation: { until: ['\n\n'], do_sample: false },
    }
    const doc = { index: 0, id: '0', record: { target: 'B', doc: {} }, requests: [request] }
    await store.docs.commit(asked.run, 0, [doc], true)
    expect(await store.runs.counts(asked.run)).toMatchObject({ items: 1, answered: 0, pending: 1 })
    // Not even the code key of the import finds its answers.
    const forged = await store.runs.create({ ...run.asked, repeat: 2 }, testProvenance, [])
    await store.docs.commit(forged.run, 0, [doc], true)
    expect(await store.runs.counts(forged.run)).toMatchObject({ items: 1, answered: 0, pending: 1 })
  })
})

describe('a log of lm-eval', () => {
  it('becomes a run with log-likelihoods of choices and the answers of each filter', async () => {
    const store = await emptyStore()
    const [landed] = await imported(store, `${logs}/lm-eval`)
    if (landed === undefined) throw new Error('no run')
    expect(landed.differences).toEqual([])
    const { samples, scores } = await newest(store, landed.outcome.run)
    expect(Object.keys(scores).toSorted()).toEqual([
      'tiny_gen exact_match lower',
      'tiny_gen exact_match strict',
      'tiny_mc acc none',
    ])
    const choice = samples.find(({ score }) => score?.values['acc'] !== undefined)
    expect(choice?.record).toMatchObject({ choices: [' 4', ' 5'], target: '0', doc: { q: '2 + 2 =', doc_id: 0 } })
    expect(choice?.items.map(({ choice: number, response }) => [number, response?.body.isGreedy])).toEqual([
      [0, false],
      [1, false],
    ])
    expect(choice?.items[1]?.request?.input).toMatchObject({ type: 'loglikelihood', continuation: ' 5' })
    expect(choice?.items[1]?.response?.body.logprob).toBeLessThan(0)
  })
})

describe('a log of lm-eval with mutual information and repeats', () => {
  it('contains the choices that were sent with the question, and each repeat', async () => {
    const store = await emptyStore()
    const [landed] = await imported(store, `${logs}/lm-eval-mutual`)
    if (landed === undefined) throw new Error('no run')
    expect(landed.differences).toEqual([])
    const { samples, scores } = await newest(store, landed.outcome.run)
    expect(scores).toMatchObject({
      'mutual acc none': 1 / 3,
      'mutual acc_mutual_info none': 2 / 3,
      'mutual mcc none': 0,
      'repeats exact_match maj@3': 0,
    })
    const mutual = samples.find(({ task }) => task === 0)
    expect(mutual?.record.choices).toEqual([' alpha', ' beta', ' gamma'])
    expect(mutual?.items.map(({ choice, request }) => [choice, request?.input.continuation])).toEqual([
      [0, ' alpha'],
      [1, ' beta'],
      [2, ' gamma'],
    ])
    const repeats = samples.find(({ task }) => task === 1)
    expect(repeats?.items.map(({ sample, response }) => [sample, response?.body.text])).toEqual([
      [0, 'lol'],
      [1, 'lol'],
      [2, 'lol'],
    ])
  })
})

describe('a log of lm-eval with unusual choices', () => {
  const samplesOf = async () => {
    const store = await emptyStore()
    const [landed] = await imported(store, `${logs}/lm-eval-choices`)
    if (landed === undefined) throw new Error('no run')
    expect(landed.differences).toEqual([])
    return { ...(await newest(store, landed.outcome.run)), tasks: landed.outcome.run.asked.tasks }
  }

  it('keeps a separate answer for each of several equal choices', async () => {
    const { samples, tasks } = await samplesOf()
    const task = tasks.findIndex(({ name }) => name === 'equal')
    const equal = samples.find(sample => sample.task === task && sample.id === '0')
    expect(equal?.record.choices).toEqual([' same', ' other', ' same'])
    const likelihoods = equal?.items.map(({ response }) => response?.body.logprob)
    expect(new Set(likelihoods).size).toBe(3)
    expect(likelihoods?.every(number => number !== undefined && number < 0)).toBe(true)
  })

  it('has the texts as choices if one ending was scored after each of them, as in WinoGrande', async () => {
    const { samples, tasks } = await samplesOf()
    const task = tasks.findIndex(({ name }) => name === 'contexts')
    const texts = samples.find(sample => sample.task === task && sample.id === '1')
    expect(texts?.record.choices).toEqual(['Ann called Eva, and Ann', 'Ann called Eva, and Eva'])
    expect(texts?.items.map(({ response }) => typeof response?.body.logprob)).toEqual(['number', 'number'])
  })
})

describe('a log of Inspect', () => {
  it.each(['colours.eval', 'colours.json'])('%s becomes a run with epochs and pictures', async name => {
    const store = await emptyStore()
    const [landed] = await imported(store, `${logs}/inspect/${name}`)
    if (landed === undefined) throw new Error('no run')
    expect(landed.differences).toEqual([])
    const { samples, scores } = await newest(store, landed.outcome.run)
    expect(scores['colours match none']).toBeCloseTo(2 / 3, 12)
    expect(scores['colours includes none']).toBeCloseTo(2 / 3, 12)
    expect(samples.map(({ id }) => id).toSorted()).toEqual(['capital', 'red', 'sum'])
    const red = samples.find(({ id }) => id === 'red')
    expect(red?.items.map(({ sample, response }) => [sample, response?.body.text])).toEqual([
      [0, 'red'],
      [1, 'red'],
    ])
    const [text, picture] = red?.items[0]?.request?.input.messages[0]?.content ?? []
    expect(text).toEqual({ type: 'text', text: 'What colour is it?' })
    if (picture?.type !== 'image') throw new Error('no picture')
    expect(Buffer.from(await store.media.read(picture.media)).toString('latin1', 1, 4)).toBe('PNG')
    expect(red?.items[0]?.response?.meta.usage).toEqual({ inputTokens: 769, outputTokens: 3 })
  })

  it('separates the scores of two scorers with one name, and says where a failed epoch changes a mean', async () => {
    const store = await emptyStore()
    const [landed] = await imported(store, `${logs}/inspect/scorers.eval`)
    if (landed === undefined) throw new Error('no run')
    const { scores } = await newest(store, landed.outcome.run)
    expect(scores).toMatchObject({
      'scorers first/ok none': 1 / 3,
      'scorers second/ok none': 1,
      'scorers half none': 0.5,
      'scorers first/ok/max none': 0.5,
      'scorers half/even none': 0.5,
    })
    expect(landed.differences.map(({ metric, reported }) => [metric, reported])).toEqual([
      ['includes', 0.5],
      ['first/ok', 0.5],
      ['length', 2.25],
    ])
    expect(await store.runs.counts(landed.outcome.run)).toMatchObject({ docs: 4, answered: 7 })
  })

  it('is imported with a note as far as it was written, if its evaluation was killed', async () => {
    const store = await emptyStore()
    const [landed] = await imported(store, `${logs}/inspect/killed.eval`)
    if (landed === undefined) throw new Error('no run')
    expect(landed.notes).toEqual([
      'killed: the evaluation did not end well (its status is "started"), so samples may be missing',
    ])
    const { samples } = await newest(store, landed.outcome.run)
    expect(samples.map(({ id, items }) => [id, items[0]?.response?.body.text, items[0]?.failure?.message])).toEqual([
      ['1', 'ja', undefined],
      ['2', undefined, "RuntimeError('boom')"],
      ['3', 'nein', undefined],
    ])
  })

  it('is rejected if a byte of it is flipped', async () => {
    const folder = await temporaryFolder()
    const bytes = await readFile(`${logs}/inspect/colours.eval`)
    const at = bytes.indexOf('samples/sum_epoch_1.json') + 200
    bytes[at] = (bytes[at] ?? 0) ^ 1
    await writeFile(join(folder, 'flipped.eval'), bytes)
    const store = await emptyStore()
    await expect(imported(store, join(folder, 'flipped.eval'))).rejects.toThrow(/sum_epoch_1\.json: the ZIP file can't/)
    expect(await store.runs.list()).toEqual([])
  })
})
