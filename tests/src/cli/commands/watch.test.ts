import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Tools } from '../../../../src/cli/command.js'
import { watchEvaluation } from '../../../../src/cli/commands/watch.js'
import { realClock } from '../../../../src/clock.js'
import { plain } from '../../../../src/present/text/layout/paint.js'
import { temporaryFolder } from '../../../support/store.js'

interface Printed {
  readonly run: string
  readonly asked: number
  readonly pending: number
  readonly cause: string
  readonly failingCount: number
  readonly metrics: readonly { metric: string; value: number | null; before?: number; better: number; worse: number }[]
}

/** An edit of the task file, as a text and its replacement. */
type Edit = readonly [before: string, after: string]

/** Watches a task of three docs whose model always answers `1`, while its file is edited step by step. */
async function watchEdits(
  edits: readonly Edit[],
  {
    isAgreed = true,
    agree = false,
    json = true,
    hasFiles = true,
  }: { isAgreed?: boolean; agree?: boolean; json?: boolean; hasFiles?: boolean } = {},
) {
  const folder = await temporaryFolder()
  const task = join(folder, 'q.yaml')
  await writeFile(join(folder, 'docs.jsonl'), '{"q":"1","a":"1"}\n{"q":"2","a":"2"}\n{"q":"3","a":"11"}\n')
  await writeFile(
    task,
    'task: q\ndataset_path: ./docs.jsonl\ndoc_to_text: "{{q}}"\ndoc_to_target: a\nmetric_list: [{metric: exact_match}]\n',
  )
  const [lines, told, questions]: [string[], string[], number[]] = [[], [], []]
  const terminal = {
    print: (text: string | readonly string[]) => void lines.push(...[text].flat()),
    printData: (text: string) => void lines.push(text),
    tell: (text: string | readonly string[]) => void told.push(...[text].flat()),
    mask: () => undefined,
    isLive: false,
    rows: 24,
    paint: { out: plain, err: plain },
  }
  const left = [...edits]
  const followed: string[] = []
  const changes = {
    follow(paths: readonly string[]) {
      followed.push(...paths)
      return hasFiles
    },
    async next() {
      const edit = left.shift()
      if (edit === undefined) return undefined
      await writeFile(task, (await readFile(task, 'utf8')).replace(...edit))
      return [task]
    },
    nextEdit: () => new AbortController().signal,
    close: () => undefined,
  }
  const tools = { terminal, env: {}, clock: realClock, folder: {}, words: [] } as unknown as Tools
  const never = new AbortController().signal
  const flags = {
    tasks: [task],
    model: 'dummy',
    modelArgs: ['mode=fixed,text=1'],
    store: join(folder, 'store'),
    json,
  }
  const agreeing = (requests: number): Promise<boolean> => {
    questions.push(requests)
    return Promise.resolve(agree)
  }
  await watchEvaluation(flags, { tools, changes, drain: never, stop: never, isAgreed, agree: agreeing })
  return { lines, told, questions, followed, task }
}

const readPrinted = (lines: readonly string[]): readonly Printed[] => lines.map(line => JSON.parse(line) as Printed)

test('scores stored answers by a changed metric, and shows the previous state beside it', async () => {
  const { lines, followed, task } = await watchEdits([
    ['{metric: exact_match}', '{metric: exact_match}, {metric: length, max: 0}'],
    ['max: 0', 'max: 1'],
  ])
  const [first, second, third] = readPrinted(lines)
  expect([first?.asked, first?.failingCount, first?.cause]).toEqual([3, 2, 'start'])
  expect(second?.asked).toBe(0)
  expect(second?.metrics[1]).toMatchObject({ metric: 'length', value: 0 })
  expect(third?.metrics[1]).toMatchObject({ value: 1, before: 0, better: 3, worse: 0 })
  expect(followed).toContain(task)
})

test('counts the new requests of a changed prompt, and sends them only after confirmation', async () => {
  const edits: readonly Edit[] = [['"{{q}}"', '"Q: {{q}}"']]
  const refused = await watchEdits(edits, { isAgreed: false })
  expect(refused.questions).toEqual([3, 3])
  expect(readPrinted(refused.lines).map(({ asked, pending }) => [asked, pending])).toEqual([
    [0, 3],
    [0, 3],
  ])
  const agreed = await watchEdits(edits, { isAgreed: false, agree: true })
  expect(readPrinted(agreed.lines).map(({ asked, pending }) => [asked, pending])).toEqual([
    [3, 0],
    [3, 0],
  ])
})

test('a changed metric asks no question once all answers are stored', async () => {
  const { questions, lines } = await watchEdits([['exact_match', 'length, max: 1']], { isAgreed: false, agree: true })
  expect(questions).toEqual([3])
  expect(readPrinted(lines)[1]).toMatchObject({ asked: 0, pending: 0, failingCount: 0 })
})

test('reports a mistake once, and then the next valid state', async () => {
  const { lines, told } = await watchEdits([
    ['exact_match', 'exact_mtch'],
    ['task: q', 'task: q # twice'],
    ['exact_mtch', 'exact_match'],
  ])
  expect(told.filter(line => line.includes('exact_mtch'))).toHaveLength(1)
  expect(readPrinted(lines)).toHaveLength(2)
})

test('a change without an effect prints nothing', async () => {
  expect((await watchEdits([['task: q', '# a comment\ntask: q']])).lines).toHaveLength(1)
})

test('without a terminal, prints a table for each change with the failing docs below', async () => {
  const { lines } = await watchEdits([['exact_match', 'exact_match, ignore_case: true']], { json: false })
  const text = lines.join('\n')
  expect(text).toMatch(/^start {3}3 asked/)
  expect(text).toMatch(/q +exact_match +0\.333 +new/)
  expect(text).toContain('q/1   "1"   target "2"')
})

test('rejects a command line without a file to watch before any request', async () => {
  await expect(watchEdits([], { hasFiles: false })).rejects.toThrow('watch: there is no file to watch')
})
