/** Every surface shows what judge models were asked about a doc, and what came of it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Command } from 'commander'
import { expect, onTestFinished, test } from 'vitest'
import type { Json } from '../../../base/values/canonical-json.js'
import type { OpenedRun, Store } from '../../../cache/store.js'
import type { Tools } from '../../../src/cli/command.js'
import { defineReport } from '../../../src/cli/commands/report/report.js'
import { plain } from '../../../src/present/text/layout/paint.js'
import { sampleView } from '../../../src/present/page/samples/sample-view.js'
import { openJudgeExchanges } from '../../../src/reading/samples/judge-exchanges.js'
import { sampleAt } from '../../../src/reading/samples/sample-at.js'
import { called } from '../../support/mcp-call.js'
import { aggregate } from '../../support/report-data.js'
import { temporaryStore } from '../../support/store.js'
import { viewedRun } from '../../support/viewed-run.js'
import { appScene } from '../service/http/scene.js'

/** A doc that two judges graded, and whose second grade is of the model `dated`. */
async function judgedRun(store: Store): Promise<OpenedRun> {
  const judges = ['openai mild', 'openai strict']
  const details = { judges: judges.map((judge, value) => ({ judge, value })) }
  const opened = await viewedRun(
    store,
    [
      { answer: 'blue', score: { values: { grade: 0.5, length: 4 }, extracted: { grade: details } } },
      { answer: 'red' },
    ],
    { aggregates: [aggregate({ metric: 'grade', judges }), aggregate({ metric: 'length' })] },
  )
  for (const [at, model] of ['mild', 'strict'].entries())
    await viewedRun(
      store,
      [
        {
          prompt: `Is it right, ${model} judge?`,
          answer: at === 0 ? 'NO' : 'YES',
          record: { target: null, doc: { task: 'shapes_vqa', index: 0, id: 'q0' } },
          ...(at === 1 && { served: 'dated' }),
        },
      ],
      {
        task: `judging by ${model}`,
        extra: { judge: { of: opened.run.id }, model: { backend: 'openai', args: { model } } },
      },
    )
  return opened
}

async function reported(store: Store, opened: OpenedRun, ...flags: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = []
  const print = (text: string | readonly string[]): void => void lines.push(...[text].flat())
  const terminal = { print, printData: print, tell: () => undefined, paint: { out: plain, err: plain } }
  const command = new Command()
  defineReport(command, { terminal, env: {} } as unknown as Tools, () => undefined)
  const args = [opened.run.name, '--samples', 'all', '--store', store.location, ...flags]
  await command.parseAsync(args, { from: 'user' })
  return lines
}

interface WithCalls {
  readonly judge_calls?: readonly { judge: string; served?: string; response: { text: string }; verdict: Json }[]
}

const shorten = (sample: WithCalls | undefined) =>
  sample?.judge_calls?.map(({ judge, served, response, verdict }) => [judge, served, response.text, verdict])

const expected = [
  ['openai mild', undefined, 'NO', { grade: 0 }],
  ['openai strict', 'dated', 'YES', { grade: 1 }],
]

const byJudge = <Entry extends readonly unknown[]>(entries: readonly Entry[] | undefined) =>
  entries?.toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))

test('command line, HTTP and agents return exchanges with judges as data', async () => {
  const app = await appScene()
  const { store } = app.service
  const opened = await judgedRun(store)
  const [first, second] = (await reported(store, opened, '--json')).map(line => JSON.parse(line) as WithCalls)
  expect(byJudge(shorten(first))).toEqual(expected)
  expect(second).not.toHaveProperty('judge_calls')
  const response = await app.request(`/runs/${opened.run.name}/samples`)
  const page = (await response.json()) as { samples: readonly WithCalls[] }
  expect(byJudge(shorten(page.samples[0]))).toEqual(expected)
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://127.0.0.1:7310/mcp'), {
      fetch: (_, init = {}) => app.request('/mcp', init),
    }),
  )
  const { data } = await called(client, 'get_run_result', { run_id: opened.run.name, include_samples: true })
  expect(byJudge(shorten((data['samples'] as readonly WithCalls[])[0]))).toEqual(expected)
})

test('the terminal shows judge, prompt, reply and verdict', async () => {
  const store = await temporaryStore()
  const opened = await judgedRun(store)
  const lines = await reported(store, opened)
  const start = lines.indexOf('  judge      openai strict   (the server says that dated answered)')
  expect(lines.slice(start + 1, start + 4)).toEqual([
    '  asks       Is it right, strict judge?',
    '  replies    "YES"',
    '  verdict    grade 1.000',
  ])
  expect(lines.filter(line => line.startsWith('  judge '))).toHaveLength(2)
})

test('the page of a sample shows the same exchanges', async () => {
  const store = await temporaryStore()
  const opened = await judgedRun(store)
  const { judgeCalls } = await sampleView(store, opened, { task: 0, index: 0 })
  const shown = judgeCalls.map(({ model, served, answer, verdict }) => [model, served, answer?.text, verdict])
  expect(byJudge(shown)).toEqual(expected)
})

test('shows an exchange once for a doc that two items of one request name', async () => {
  const store = await temporaryStore()
  const opened = await viewedRun(store, [{ answer: 'blue' }])
  const record = { target: null, doc: { task: 'shapes_vqa', index: 0, id: 'q0' } }
  const call = { prompt: 'Is it right?', answer: 'YES', record }
  await viewedRun(store, [call, call], { task: 'judging', extra: { judge: { of: opened.run.id } } })
  const exchanges = await openJudgeExchanges(store, opened)
  expect(await exchanges.read((await sampleAt(store, opened, { task: 0, index: 0 }))!)).toHaveLength(1)
})

test('a judgement without named judges shows no verdict', async () => {
  const store = await temporaryStore()
  const opened = await judgedRun(store)
  const exchanges = await openJudgeExchanges(store, { run: opened.run })
  const found = await exchanges.read((await sampleAt(store, opened, { task: 0, index: 0 }))!)
  expect(found.map(({ verdict }) => verdict)).toEqual([undefined, undefined])
})
