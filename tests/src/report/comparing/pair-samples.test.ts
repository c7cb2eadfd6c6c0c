import { expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import { recordOf } from '../../../support/judged.js'
import { someRun } from '../../../support/report-data.js'
import type { Sample } from '../../../../cache/store.js'
import { metricKey, scoredDocs } from '../../../../src/report/comparing/pair-samples.js'

async function* samplesWith(value: Json): AsyncGenerator<Sample> {
  yield await Promise.resolve({
    task: 0,
    index: 3,
    id: 'q3',
    record: recordOf('x'),
    items: [],
    score: { outcome: 'scored', values: { m: value }, extracted: {} },
  })
}

test('docs are clustered by what their task names, else by their medium', async () => {
  const clusterOf = async (cluster: string | undefined): Promise<string | undefined> => {
    const task = someRun.asked.tasks[0]?.name ?? ''
    async function* samples(): AsyncGenerator<Sample> {
      for await (const sample of samplesWith(1))
        yield { ...sample, score: { outcome: 'scored', values: { m: 1 }, extracted: {}, cluster } }
    }
    return (await scoredDocs(someRun, samples())).clusters.get(metricKey(task, 'q3'))
  }
  expect(await clusterOf('film 7')).toBe('film 7')
  expect(await clusterOf(undefined)).toBeUndefined()
})

async function numberOf(value: Json, scoreKey?: string): Promise<number | undefined> {
  const task = someRun.asked.tasks[0]?.name ?? ''
  const scoring =
    scoreKey === undefined ? {} : { [task]: { output_type: 'generate_until', config: { score_key: scoreKey } } }
  const run = { ...someRun, provenance: { ...someRun.provenance, scoring } }
  return (await scoredDocs(run, samplesWith(value))).values.get(metricKey(task, 'm'))?.get('q3')
}

test('of a value with fields the one is taken that the task names', async () => {
  expect(await numberOf(0.5)).toBe(0.5)
  expect(await numberOf({ score: 1, hits: 2 })).toBe(1)
  expect(await numberOf({ score: 1, hits: 2 }, 'hits')).toBe(2)
  expect(await numberOf({ hits: 2 })).toBeUndefined()
  expect(await numberOf([1])).toBeUndefined()
})
