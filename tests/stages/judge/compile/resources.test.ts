import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { PipelineError } from '../../../../base/errors/errors.js'
import type { JsonObject } from '../../../../cache/records.js'
import { defineMetric, scored } from '../../../../stages/judge/define/define-metric.js'
import { loadTaskJudges } from '../../../../stages/judge/compile/judges-of.js'
import { withResources } from '../../../../stages/judge/compile/resources.js'
import { builtInJudges } from '../../../support/scorer.js'
import { temporaryFolder } from '../../../support/store.js'

const placed = (config: JsonObject, env: Readonly<Record<string, string>>): JsonObject =>
  withResources(config, builtInJudges.metrics, env)

const folder = fileURLToPath(new URL('../../../golden/nltk_data', import.meta.url))
const digestIn = (config: unknown): string => /"sha256":"([0-9a-f]{64})"/.exec(JSON.stringify(config))?.[1] ?? ''
const others = { output_type: 'generate_until', breakdown: [] }
const list = (...entries: readonly { readonly [key: string]: string | boolean }[]) => ({
  ...others,
  metric_list: entries,
})
const note = 'left out: METEOR_JAR does not say where METEOR is'
const jar = { METEOR_JAR: '/lib/meteor-1.5.jar' }

test('METEOR uses the jar of the environment, unless the task names one', () => {
  const named = { metric: 'meteor', jar: 'own.jar' }
  const given = list({ metric: 'cider' }, { metric: 'meteor', name: 'm', optional: true }, named)
  expect(placed(given, jar)).toEqual(
    list({ metric: 'cider' }, { metric: 'meteor', name: 'm', jar: '/lib/meteor-1.5.jar' }, named),
  )
})

test('without a jar, an optional METEOR has no number, and a required one is rejected', () => {
  const given = list({ metric: 'meteor', optional: true }, { metric: 'meteor', name: 'm' })
  for (const env of [{}, { METEOR_JAR: '' }])
    expect(placed(given, env)).toEqual(
      list({ metric: 'bypass', name: 'meteor', higher_is_better: true, note }, { metric: 'meteor', name: 'm' }),
    )
})

test('SPICE has its own environment variable', () => {
  const given = list({ metric: 'spice', optional: true }, { metric: 'meteor', jar: 'own.jar' })
  expect(placed(given, { SPICE_JAR: '/lib/spice-1.0.jar' })).toEqual(
    list({ metric: 'spice', jar: '/lib/spice-1.0.jar' }, { metric: 'meteor', jar: 'own.jar' }),
  )
  const left = { metric: 'bypass', name: 'spice', higher_is_better: true }
  expect(placed(given, jar)).toEqual(
    list({ ...left, note: 'left out: SPICE_JAR does not say where SPICE is' }, { metric: 'meteor', jar: 'own.jar' }),
  )
})

test('a task without a list of metrics stays unchanged', () => {
  expect(placed(others, jar)).toEqual(others)
})

test('rejects a jar that is a device or a folder, by its type', () => {
  const named = (own?: string) => list({ metric: 'spice', ...(own === undefined ? {} : { jar: own }) })
  const place = (jarOf: string) => () => placed(named(), { SPICE_JAR: jarOf })
  expect(place('/dev/zero')).toThrow(PipelineError)
  expect(place('/dev/zero')).toThrow('SPICE_JAR /dev/zero: it is a device, not a file. Give the path of the jar')
  expect(() => placed(named('/dev'), {})).toThrow('metric spice, jar /dev: it is a folder, not a file')
})

test('WUPS uses the data of the environment, unless the task names others', () => {
  const found = placed(list({ metric: 'wups', name: 'w', optional: true }, { metric: 'anls' }), {
    NLTK_DATA: `${folder}:/elsewhere`,
  })
  expect(found).toEqual(
    list({ metric: 'wups', name: 'w', nltk_data: folder, sha256: digestIn(found) }, { metric: 'anls' }),
  )
  const own = placed(list({ metric: 'wups', nltk_data: folder }), { NLTK_DATA: '/elsewhere' })
  expect(own).toEqual(list({ metric: 'wups', nltk_data: folder, sha256: digestIn(found) }))
})

test('other data change the key of scores', async () => {
  const other = join(await temporaryFolder(), 'nltk_data')
  await cp(folder, other, { recursive: true })
  const entry = list({ metric: 'wups' })
  expect(digestIn(placed(entry, { NLTK_DATA: other }))).toBe(digestIn(placed(entry, { NLTK_DATA: folder })))
  await writeFile(join(other, 'corpora', 'wordnet', 'verb.exc'), 'went go\n')
  expect(digestIn(placed(entry, { NLTK_DATA: other }))).not.toBe(digestIn(placed(entry, { NLTK_DATA: folder })))
})

test('without data, an optional WUPS has no number, and a required one is rejected', () => {
  const note = "left out: NLTK_DATA does not say where WordNet and NLTK's tagger are"
  const given = list({ metric: 'wups', name: 'WUPS', optional: true }, { metric: 'wups' })
  for (const env of [{}, { NLTK_DATA: '' }])
    expect(placed(given, env)).toEqual(
      list({ metric: 'bypass', name: 'WUPS', higher_is_better: true, note }, { metric: 'wups' }),
    )
  expect(placed(others, {})).toEqual(others)
})

test('reports missing data before anything is scored', () => {
  const place = () => placed(list({ metric: 'wups' }), { NLTK_DATA: '/nowhere' })
  expect(place).toThrow(PipelineError)
  expect(place).toThrow(/NLTK's data in \/nowhere can't be read/)
})

test("a plugin's metric can declare resources in the same way", () => {
  const table = defineMetric({
    id: 'by_table',
    args: z.strictObject({ table: z.string(), rows: z.number() }),
    higherIsBetter: true,
    resources: [
      {
        argument: 'table',
        variable: 'MY_TABLE',
        what: 'the table is',
        howToGet: 'write it',
        inspect: ({ length }) => ({ rows: length }),
      },
    ],
    judge: () => scored(1),
  })
  const metrics = new Map([['by_table', table]])
  const given = list({ metric: 'by_table', optional: true }, { metric: 'anls' })
  expect(withResources(given, metrics, { MY_TABLE: 'abc' })).toEqual(
    list({ metric: 'by_table', table: 'abc', rows: 3 } as never, { metric: 'anls' }),
  )
  const left = { metric: 'bypass', name: 'by_table', higher_is_better: true }
  expect(withResources(given, metrics, {})).toEqual(
    list({ ...left, note: 'left out: MY_TABLE does not say where the table is' }, { metric: 'anls' }),
  )
})

test('loads the replacement of an optional metric with the metrics of its task', async () => {
  const config = list({ metric: 'meteor', optional: true })
  const { metrics, aggregations } = await loadTaskJudges({ config, outputType: 'generate_until' }, [])
  expect([...metrics.keys()].sort()).toEqual(['bypass', 'meteor'])
  expect(aggregations.has('bypass')).toBe(true)
})
