import { expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import { recordOf } from '../../../support/judged.js'
import { aggregate, someRun } from '../../../support/report-data.js'
import { sha256 } from '../../../../cache/digest.js'
import { makeComparedDocs } from '../../../../cache/facts/compared-doc.js'
import type { Judgement } from '../../../../cache/records.js'
import type { Sample } from '../../../../cache/store.js'
import { metricKey, pairMetrics, scoredDocs } from '../../../../src/reading/comparing/pair-samples.js'

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

test('clusters docs by what their task names, or else by their medium', async () => {
  const clusterOf = async (cluster: string | undefined): Promise<string | undefined> => {
    const task = someRun.asked.tasks[0]?.name ?? ''
    async function* samples(): AsyncGenerator<Sample> {
      for await (const sample of samplesWith(1))
        yield { ...sample, score: { outcome: 'scored', values: { m: 1 }, extracted: {}, cluster } }
    }
    return (await scoredDocs(someRun, makeComparedDocs(samples()))).clusters.get(metricKey(task, 'q3'))
  }
  expect(await clusterOf('film 7')).toBe('film 7')
  expect(await clusterOf(undefined)).toBeUndefined()
})

test('clusters docs that share their last answer in one of the runs', async () => {
  const task = someRun.asked.tasks[0]?.name ?? ''
  const item = (prompt: string, type: 'generate_until' | 'loglikelihood', sample = 0): Sample['items'][number] => {
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: prompt }] }]
    const input = type === 'generate_until' ? { type, messages } : { type, messages, continuation: ' yes' }
    return { choice: 0, sample, request: { key: sha256(prompt), inputKey: sha256(prompt), input, generation: {} } }
  }
  const docsOf = (items: readonly Sample['items'][]) => {
    async function* samples(): AsyncGenerator<Sample> {
      for (const [index, own] of items.entries())
        for await (const sample of samplesWith(1)) yield { ...sample, index, id: `q${index}`, items: own }
    }
    return scoredDocs(someRun, makeComparedDocs(samples()))
  }
  const asked = (...prompts: string[]) => docsOf(prompts.map(prompt => [item(prompt, 'generate_until')]))
  const shared = await asked('coin', 'die', 'coin')
  const [first, other, twin] = ['q0', 'q1', 'q2'].map(id => shared.clusters.get(metricKey(task, id)))
  expect(first).toBeDefined()
  expect(twin).toBe(first)
  expect(other).toBeDefined()
  expect(other).not.toBe(first)

  const own = await asked('a', 'b', 'c')
  expect(own.clusters.size).toBe(0)
  const judgement = { aggregates: [aggregate({ task, metric: 'm' })] } as unknown as Judgement
  for (const [a, b] of [
    [shared, own],
    [own, shared],
  ] as const) {
    const [paired] = pairMetrics({ judgement, docs: a }, { docs: b })
    expect(paired!.pairs.map(({ cluster }) => cluster)).toEqual([first, other, first])
  }

  const talk = (opening: string, last: string) => [item(opening, 'generate_until'), item(last, 'generate_until', 1)]
  expect((await docsOf([talk('hello', 'a'), talk('hello', 'b')])).clusters.size).toBe(0)
  expect((await docsOf([talk('x', 'a'), talk('y', 'a')])).clusters.size).toBe(2)
  const likely = [item('coin', 'loglikelihood')]
  expect((await docsOf([likely, likely])).clusters.size).toBe(0)
})

async function numberOf(value: Json, scoreKey?: string): Promise<number | undefined> {
  const task = someRun.asked.tasks[0]?.name ?? ''
  const scoring =
    scoreKey === undefined ? {} : { [task]: { output_type: 'generate_until', config: { score_key: scoreKey } } }
  const run = { ...someRun, provenance: { ...someRun.provenance, scoring } }
  return (await scoredDocs(run, makeComparedDocs(samplesWith(value)))).values.get(metricKey(task, 'm'))?.get('q3')
}

test('compares the field of a value that the task names', async () => {
  expect(await numberOf(0.5)).toBe(0.5)
  expect(await numberOf({ score: 1, hits: 2 })).toBe(1)
  expect(await numberOf({ score: 1, hits: 2 }, 'hits')).toBe(2)
  expect(await numberOf({ hits: 2 })).toBeUndefined()
  expect(await numberOf([1])).toBeUndefined()
})
