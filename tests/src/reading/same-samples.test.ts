/** Every surface gives the same samples of each kind, by id and in the same order. */
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../base/values/canonical-json.js'
import { labelAddress } from '../../../cache/facts/label-rules.js'
import type { Aggregate, ResponseBody } from '../../../cache/records.js'
import type { OpenedRun, Store } from '../../../cache/store.js'
import { openRun } from '../../../src/reading/runs/run-reference.js'
import { landLog } from '../../../src/exchange/land-log.js'
import { findReader } from '../../../src/exchange/readers.js'
import { sampleAt } from '../../../src/reading/samples/sample-at.js'
import type { SampleConditions } from '../../../src/reading/samples/sample-filter.js'
import { sampleKinds, type SampleKind } from '../../../src/reading/samples/sample-kinds.js'
import { aggregate } from '../../support/report-data.js'
import { testProvenance } from '../../support/store.js'
import { viewedRun, type ViewedDoc } from '../../support/viewed-run.js'
import { appScene, type AppScene } from '../service/http/scene.js'
import { filteringSurfaces, surfaces } from './surfaces.js'

/** One doc, with the kinds that it is of. */
interface Row {
  readonly doc: ViewedDoc
  /** The score of the answer, and that of the other run. Absent without a score. */
  readonly value?: number
  readonly other?: number
  readonly kinds: readonly Exclude<SampleKind, 'all'>[]
}

const cutOff: ResponseBody = { text: 'because', finishReason: 'length' }
const rows: readonly Row[] = [
  { doc: { answer: 'a0' }, value: 1, other: 1, kinds: ['right'] },
  { doc: { answer: 'a1' }, value: 0, other: 0, kinds: ['wrong'] },
  { doc: { answer: 'a2' }, value: 0.5, other: 0.5, kinds: ['wrong'] },
  { doc: { answer: 'a3' }, value: 1, other: 0, kinds: ['right', 'flipped', 'improved'] },
  { doc: { answer: 'a4' }, value: 0, other: 1, kinds: ['wrong', 'flipped', 'worsened'] },
  {
    doc: { answer: 'a5', score: { outcome: 'unparsed', reason: 'no letter' } },
    value: 0,
    other: 0,
    kinds: ['unparsed'],
  },
  { doc: { answer: '  ', score: { empty: true } }, value: 0, other: 0, kinds: ['wrong', 'empty'] },
  { doc: { answer: cutOff, score: { cut: true } }, value: 0, other: 0, kinds: ['wrong', 'cut'] },
  { doc: { answer: 'a13', score: { disputed: true } }, value: 1, other: 1, kinds: ['right', 'disputed'] },
  { doc: { failure: { class: 'invalid_request', message: 'too long', attempts: 1 } }, other: 1, kinds: ['failed'] },
  { doc: { answer: 'a9', score: { outcome: 'judge_failed', values: {}, reason: 'no reply' } }, kinds: ['failed'] },
  { doc: { answer: 'a10', score: { outcome: 'error', values: {}, reason: 'it broke' } }, kinds: ['failed'] },
  { doc: {}, kinds: [] },
  { doc: { answer: 'a12' }, value: 1, other: 1, kinds: ['right', 'labelled'] },
]

interface Form {
  readonly values: (value: number) => { readonly [metric: string]: Json }
  readonly aggregates: readonly Aggregate[]
  readonly scoreKey?: string
  readonly extra?: Partial<ViewedDoc>
}

const [m, b] = [aggregate({ metric: 'm' }), aggregate({ metric: 'b' })]
const forms: Readonly<Record<string, Form>> = {
  'plain numbers': { values: value => ({ m: value }), aggregates: [m] },
  'objects with a score': { values: value => ({ m: { score: value } }), aggregates: [m] },
  'objects with a Boolean score': {
    values: value => ({ m: { score: value === 0.5 ? 0.5 : value === 1 } }),
    aggregates: [m],
  },
  'objects with a field of their own': { values: value => ({ m: { hit: value } }), scoreKey: 'hit', aggregates: [m] },
  'a metric that is better if lower': {
    values: value => ({ wer: 1 - value }),
    aggregates: [aggregate({ metric: 'wer', higherIsBetter: false })],
  },
  'several metrics, of which the first counts': { values: value => ({ b: value, m: 1 - value }), aggregates: [b, m] },
  'metrics after a filter': {
    values: value => ({ 'm,strict': value }),
    aggregates: [aggregate({ metric: 'm', filter: 'strict' })],
  },
  'repeats of each question': { values: value => ({ m: value }), aggregates: [m], extra: { repeats: 2 } },
  'labels and groups of tasks': {
    values: value => ({ m: value }),
    aggregates: [
      m,
      aggregate({ metric: 'm', group: { field: 'type', label: 'x' } }),
      aggregate({ task: 'all', of: ['shapes_vqa'], metric: 'm', higherIsBetter: false }),
    ],
  },
}

async function madeRuns(app: AppScene, { values, aggregates, scoreKey, extra = {} }: Form) {
  const { store } = app.service
  const scoring = { shapes_vqa: { output_type: 'generate_until', config: { score_key: scoreKey ?? 'score' } } }
  const run = (docs: readonly ViewedDoc[], seed: number): Promise<OpenedRun> => {
    const about = { aggregates, provenance: { ...testProvenance, scoring }, extra: { repeat: seed } }
    return viewedRun(
      store,
      docs.map(doc => ({ ...extra, ...doc })),
      about,
    )
  }
  const scoreOf = (value: number | undefined) => ({
    groups: { type: 'x' },
    ...(value !== undefined && { values: values(value) }),
  })
  // Other questions, because runs with the same requests share answers and scores.
  const against = await run(
    rows.map(({ other }, at) => ({ prompt: `before ${at}`, answer: 'x', score: { values: {}, ...scoreOf(other) } })),
    1,
  )
  const opened = await run(
    rows.map(({ doc, value }) => ({ ...doc, score: { ...scoreOf(value), ...doc.score } })),
    2,
  )
  const place = rows.findIndex(({ kinds }) => kinds.includes('labelled'))
  await label(store, opened, place)
  return { opened, against }
}

async function label(store: Store, opened: OpenedRun, index: number): Promise<void> {
  const sample = await sampleAt(store, opened, { task: 0, index })
  const address = sample && labelAddress(sample)
  if (address === undefined) throw new Error('the sample has no answer to label')
  await store.labels.add({
    ...address,
    label: 'wrong',
    note: '',
    author: 'ann',
    run: opened.run.name,
    task: '',
    doc: '',
  })
}

const expected = (kind: SampleKind): readonly string[] =>
  rows.flatMap(({ kinds }, index) =>
    kind === 'all' || kinds.includes(kind) || (kind === 'unlabelled' && !kinds.includes('labelled'))
      ? [`q${index}`]
      : [],
  )

describe.each(Object.entries(forms))('samples scored with %s', (_, form) => {
  test('have the same kinds on each surface', async () => {
    const app = await appScene()
    const runs = await madeRuns(app, form)
    for (const [name, surface] of Object.entries(surfaces))
      for (const kind of sampleKinds) {
        const ids = await surface({ app, store: app.service.store, ...runs, kind })
        if (ids !== undefined) expect([name, kind, ids]).toEqual([name, kind, expected(kind)])
      }
  })
})

test('each surface that accepts conditions returns the same samples for them', async () => {
  const app = await appScene()
  const { store } = app.service
  const runs = await madeRuns(app, forms['plain numbers']!)
  const of = (conditions: SampleConditions, kind: SampleKind = 'all') => ({ conditions, kind })
  const asked = [
    [of({ docs: 'q1,q1?' }), ['q1', 'q10', 'q11', 'q12', 'q13']],
    [of({ docs: 'shapes_vqa/q[3-4]' }), ['q3', 'q4']],
    [of({ where: ['type=x'], score: ['m>0', 'm<1'] }), ['q2']],
    [of({ score: ['m=1'], answer: '^a[13]' }), ['q3', 'q8', 'q13']],
    [of({ answer: '^a' }, 'wrong'), ['q1', 'q2', 'q4']],
  ] as const
  for (const [query, wanted] of asked)
    for (const [name, surface] of Object.entries(filteringSurfaces))
      expect([name, query, await surface({ app, store, ...runs, ...query })]).toEqual([name, query, wanted])
  for (const conditions of [{ docs: 'q99' }, { where: ['colour=red'] }, { score: ['none<1'] }, { answer: '(' }])
    for (const [name, surface] of Object.entries(filteringSurfaces))
      await expect(surface({ app, store, ...runs, ...of(conditions) }), name).rejects.toThrow(
        /no doc of the run has|is no regular expression/,
      )
})

test('a pattern with endless backtracking does not block the service', async () => {
  const app = await appScene()
  const { run } = await viewedRun(app.service.store, [{ answer: `${'a'.repeat(40)}!` }])
  const query = new URLSearchParams({ answer: '^(a+)+$' })
  const response = await app.request(`/runs/${run.name}/samples?${query.toString()}`)
  expect(response.status).toBe(422)
  expect(await response.text()).toContain('the pattern did not end within 1 s on the answer of doc q0')
})

describe.each(['lmms-eval', 'lm-eval-choices', 'inspect/scorers.eval', 'evalscope/log', 'promptfoo/results.json'])(
  'samples of a log of %s',
  log => {
    test('are the same on each surface', async () => {
      const app = await appScene()
      const { store } = app.service
      const reader = await findReader(`tests/fixtures/logs/${log}`)
      if (reader === undefined) throw new Error(`no reader for ${log}`)
      const landed = await landLog(store, await reader.open(`tests/fixtures/logs/${log}`))
      for (const { outcome } of landed) {
        const opened = await openRun(store, outcome.run.name)
        for (const kind of sampleKinds) {
          const asked = { app, store, opened, against: opened, kind }
          const wanted = await surfaces['reading of all samples']!(asked)
          for (const [name, surface] of Object.entries(surfaces)) {
            const ids = await surface(asked)
            if (ids !== undefined) expect([name, kind, ids]).toEqual([name, kind, wanted])
          }
        }
      }
    })
  },
)
