/** Every way to see which samples of a run are of a kind. Each surface gives their ids in the order of the run. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Command } from 'commander'
import { onTestFinished } from 'vitest'
import type { OpenedRun, Sample, Store } from '../../../cache/store.js'
import type { Tools } from '../../../src/cli/command.js'
import { defineReport } from '../../../src/cli/commands/report/report.js'
import type { OpenedStore } from '../../../src/library/options/evaluate-options.js'
import { evaluatedRun } from '../../../src/library/runs/results.js'
import type { SampleConditions } from '../../../src/reading/samples/sample-filter.js'
import { comparedKinds, kindTest, type SampleKind } from '../../../src/reading/samples/sample-kinds.js'
import { plain } from '../../../src/present/text/layout/paint.js'
import type { ReportedRun } from '../../../src/present/files/reported-run.js'
import { junitReport } from '../../../src/present/files/junit.js'
import { storePages } from '../../../src/service/viewer/store-pages.js'
import type { ReportedRun as EmbeddedRun } from '../../../src/present/page/data/index.js'
import { EmbeddedMedia } from '../../../src/present/files/html/embedded-media.js'
import { writeSamples } from '../../../src/present/files/html/sample-chunks.js'
import { selectSamples } from '../../../src/present/files/html/select-samples.js'
import { comparableRows, filteredRows } from '../../../src/web/data/embedded-rows.js'
import { called } from '../../support/mcp-call.js'
import { scanSamples } from '../../support/scan-samples.js'
import { counts } from '../../support/report-data.js'
import type { AppScene } from '../service/http/scene.js'

export interface Asked {
  readonly app: AppScene
  readonly store: Store
  readonly opened: OpenedRun
  readonly against: OpenedRun
  readonly kind: SampleKind
  /** Conditions beside the kind, for the surfaces in `filteringSurfaces`. */
  readonly conditions?: SampleConditions
}

/** @returns undefined if the surface does not know the kind */
export type Surface = (asked: Asked) => Promise<readonly string[] | undefined>

const againstName = ({ kind, against }: Asked): string | undefined =>
  comparedKinds.has(kind) ? against.run.name : undefined

interface JsonSample {
  readonly doc_id: string
}
const idOf = ({ doc_id }: JsonSample): string => doc_id

async function commandLine(asked: Asked): Promise<readonly string[]> {
  const lines: string[] = []
  const terminal = {
    print: () => undefined,
    printData: (line: string) => void lines.push(line),
    tell: () => undefined,
    paint: { out: plain, err: plain },
  }
  const command = new Command()
  defineReport(command, { terminal, env: {} } as unknown as Tools, () => undefined)
  const { store, opened, kind, conditions = {} } = asked
  const other = againstName(asked)
  const against = other === undefined ? [] : ['--against', other]
  const flags = ['--samples', kind, '--json', '--limit', '-1', '--store', store.location, ...against]
  const { docs, where = [], score = [], answer } = conditions
  const filters = [
    ...(docs === undefined ? [] : ['--samples', docs]),
    ...where.flatMap(text => ['--where', text]),
    ...score.flatMap(text => ['--score', text]),
    ...(answer === undefined ? [] : ['--answer', answer]),
  ]
  await command.parseAsync([opened.run.name, ...flags, ...filters], { from: 'user' })
  return lines.map(line => idOf(JSON.parse(line) as JsonSample))
}

async function http(asked: Asked): Promise<readonly string[]> {
  const { app, opened, kind, conditions = {} } = asked
  const other = againstName(asked)
  const ids: string[] = []
  let cursor = ''
  for (;;) {
    const query = new URLSearchParams({ only: kind, limit: '3', ...(other && { against: other }) })
    for (const [name, value] of Object.entries(conditions))
      for (const text of [value].flat()) query.append(name, String(text))
    if (cursor !== '') query.set('cursor', cursor)
    const response = await app.request(`/runs/${opened.run.name}/samples?${query.toString()}`)
    if (!response.ok) throw new Error(await response.text())
    const page = (await response.json()) as { samples: JsonSample[]; next_cursor: string | null }
    ids.push(...page.samples.map(idOf))
    if (page.next_cursor === null) return ids
    cursor = page.next_cursor
  }
}

async function mcp(asked: Asked): Promise<readonly string[]> {
  const { app, opened, kind, conditions } = asked
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://127.0.0.1:7310/mcp'), {
      fetch: (_, init = {}) => app.request('/mcp', init),
    }),
  )
  const args = {
    run_id: opened.run.name,
    include_samples: true,
    only: kind,
    against: againstName(asked) ?? null,
    ...conditions,
  }
  const { data, text, isError } = await called(client, 'get_run_result', args)
  if (isError) throw new Error(text)
  return (data['samples'] as readonly JsonSample[]).map(idOf)
}

async function library(asked: Asked): Promise<readonly string[]> {
  const { store, opened, kind, conditions } = asked
  const outcome = { ...opened, counts: counts(), failures: [], unjudged: 0, isNew: false, elapsedMs: 0 }
  const result = evaluatedRun({ ...outcome, asked: 0, fromStore: 0 }, { dir: '', given: store as OpenedStore })
  const against = againstName(asked)
  return (await collect(result.samples({ only: kind, ...(against && { against }), ...conditions }))).map(({ id }) => id)
}

async function viewer(asked: Asked): Promise<readonly string[]> {
  const { store, opened, kind } = asked
  const against = againstName(asked)
  const pages = storePages(store)
  const query = { only: kind, offset: 0, limit: 500, ...(against && { against }) }
  for (;;) {
    const { prepared, rows } = await pages.samples(opened.run.name, query, new AbortController().signal)
    if (prepared.filters === prepared.of) return rows.map(({ id }) => id)
    // The index is built between turns of the event loop.
    await new Promise(setImmediate)
  }
}

async function reportFile({ store, opened, against, kind }: Asked): Promise<readonly string[]> {
  const embedded = async (run: OpenedRun): Promise<EmbeddedRun> => {
    const selection = await selectSamples(store, run, 1_000)
    const of = { store, opened: run, selection, number: 0 }
    return (await writeSamples(of, new EmbeddedMedia(of.store.media), () => Promise.resolve())).reported
  }
  const other = comparedKinds.has(kind) ? await embedded(against) : undefined
  const rows = comparableRows(await embedded(opened), { against: other, texts: undefined })
  return filteredRows(rows, { only: kind }).map(({ id }) => id)
}

/** A test case says `failure` or `error` with its kind. */
async function junit({ store, opened, kind }: Asked): Promise<readonly string[] | undefined> {
  const pattern = { wrong: /type="wrong"/, unparsed: /type="unparsed"/, failed: /<error / }[kind as string]
  if (pattern === undefined) return undefined
  const xml = (await collect(junitReport({ ...opened, store } as ReportedRun))).join('')
  const cases = xml.split('<testcase ').filter(text => pattern.test(text))
  return cases.map(text => / name="([^"]*)"/.exec(text)?.[1] ?? '')
}

/** The store of the tests, which reads all samples for each question. */
async function reading({ store, opened, against, kind }: Asked): Promise<readonly string[]> {
  const question = { kind: kindTest(kind), offset: 0, limit: 1_000 }
  const { samples } = await scanSamples(store).find(opened, question, comparedKinds.has(kind) ? against : undefined)
  const all: readonly Sample[] = await collect(store.judgements.samples(opened.run, opened.judgement))
  return samples.map(({ task, index }) => all.find(one => one.task === task && one.index === index)?.id ?? '')
}

export const surfaces: Readonly<Record<string, Surface>> = {
  'command line': commandLine,
  'HTTP service': http,
  'agents (MCP)': mcp,
  library,
  viewer,
  'report in one file': reportFile,
  JUnit: junit,
  'reading of all samples': reading,
}

/** The surfaces that take conditions. */
export const filteringSurfaces: Readonly<Record<string, Surface>> = {
  'command line': commandLine,
  'HTTP service': http,
  'agents (MCP)': mcp,
  library,
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
