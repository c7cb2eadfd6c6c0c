import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { runCli, startCli } from '../support/cli.js'
import { crashAgainAndAgain, dumpOf, expectSound, moment, type Moment } from '../support/crash.js'
import { between, seededRandom } from '../support/seeded.js'
import { committedAnswers, filesIn, lookInto } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

const kills: Record<string, number> = {}
let killed = 0

/** Kills once `count` has grown by up to `most` in this process. */
const grown =
  (count: () => number, most: number): Moment['watch'] =>
  () => {
    const before = count()
    return () => count() >= before + most
  }

/** The duration of an uninterrupted command in milliseconds. Some kill times are fractions of it, on any machine. */
async function timed(line: readonly string[]): Promise<number> {
  const began = performance.now()
  expect(await runCli(line)).toMatchObject({ code: 0 })
  return Math.round(performance.now() - began)
}

/** Kills the command at each point, and compares the results with an uninterrupted run. */
async function crashAndCompare(
  line: (store: string) => readonly string[],
  moments: (store: string, calmMs: number) => readonly Moment[],
): Promise<void> {
  const folder = await temporaryFolder()
  const [store, calm] = [join(folder, 'killed'), join(folder, 'calm')]
  const calmMs = await timed(line(calm))
  let kept: ReadonlyMap<string, string> = new Map()
  const crashes = await crashAgainAndAgain(line(store), moments(store, calmMs), {
    onKilled: () => {
      const now = committedAnswers(store)
      // The map keeps everything committed, so that a lost or replaced answer is detected.
      expect(new Map([...now, ...kept])).toEqual(now)
      kept = now
    },
  })
  expect(await dumpOf(store)).toBe(await dumpOf(calm))
  await expectSound(store)
  for (const [name, n] of Object.entries(crashes.kills)) kills[name] = (kills[name] ?? 0) + n
  killed += crashes.killed
}

test.each([21, 22])(
  'a killed run of thousands of docs (seed %i) ends with the same results as an uninterrupted one',
  async seed => {
    const random = seededRandom(seed)
    const task = await writeTextTask(await temporaryFolder(), 4000)
    await crashAndCompare(
      store => ['eval', '--model', 'dummy', '--tasks', task, '--store', store],
      (store, calmMs) => [
        moment('input', random, { spreadMs: calmMs / 5, watch: () => () => true }),
        moment('input', random, { spreadMs: 2, watch: grown(() => lookInto(store).items, between(random, 1, 900)) }),
        moment('commit', random, {
          spreadMs: 2,
          watch: grown(() => lookInto(store).responses, between(random, 1, 900)),
        }),
        moment('commit', random, {
          spreadMs: 2,
          watch: grown(() => lookInto(store).responses, between(random, 1, 500)),
        }),
        moment('judging', random, {
          spreadMs: 2,
          watch: grown(() => lookInto(store).verdicts, between(random, 1, 700)),
        }),
        moment('judging', random, { spreadMs: 2, watch: () => () => lookInto(store).verdicts >= 4000 }),
        ...sealing(random, store),
      ],
    )
  },
)

/** Tables are written one after another and the manifest last, so later kill points are further on. */
function sealing(random: () => number, store: string): readonly Moment[] {
  const files = () => filesIn(store, 'runs')
  const parts = (n: number) => () => () => files().filter(name => name.endsWith('.parquet')).length >= n
  return [
    moment('sealing', random, { spreadMs: 0, watch: () => () => lookInto(store).finishedJudgements > 0 }),
    moment('sealing', random, { spreadMs: 10, watch: () => () => files().some(name => name.endsWith('.tmp')) }),
    moment('sealing', random, { spreadMs: 5, watch: parts(1) }),
    moment('sealing', random, { spreadMs: 2, watch: parts(3) }),
  ]
}

test('a killed rescoring (seed 31) ends with the same results as an uninterrupted one', async () => {
  const random = seededRandom(31)
  const task = await writeTextTask(await temporaryFolder(), 3000)
  const inferred = async (store: string): Promise<void> => {
    expect(await runCli(['infer', '--model', 'dummy', '--tasks', task, '--store', store])).toMatchObject({ code: 0 })
  }
  const folder = await temporaryFolder()
  const [store, calm] = [join(folder, 'killed'), join(folder, 'calm')]
  await inferred(store)
  await inferred(calm)
  const line = (where: string): readonly string[] => ['judge', 'last', '--store', where]
  const calmMs = await timed(line(calm))
  const crashes = await crashAgainAndAgain(line(store), [
    moment('judging', random, { spreadMs: calmMs / 4, watch: () => () => true }),
    ...Array.from({ length: 4 }, () =>
      moment('judging', random, { spreadMs: 2, watch: grown(() => lookInto(store).verdicts, between(random, 1, 600)) }),
    ),
    moment('sealing', random, { spreadMs: 3, watch: () => () => lookInto(store).finishedJudgements > 0 }),
    moment('sealing', random, {
      spreadMs: 1,
      watch: () => () => filesIn(store, 'runs').some(name => name.startsWith('.scores-')),
    }),
  ])
  expect(await dumpOf(store)).toBe(await dumpOf(calm))
  await expectSound(store)
  for (const [name, n] of Object.entries(crashes.kills)) kills[name] = (kills[name] ?? 0) + n
  killed += crashes.killed
})

test('a killed run of the local model (seed 41) ends with the same results as an uninterrupted one', async () => {
  const random = seededRandom(41)
  await crashAndCompare(
    store => ['eval', '--config', 'examples/quickstart.yaml', '--limit', '100', '--store', store],
    (store, calmMs) => [
      moment('input', random, { spreadMs: calmMs / 10, watch: grown(() => filesIn(store, 'media').length, 1) }),
      moment('inference', random, { spreadMs: calmMs / 4, watch: () => () => lookInto(store).items > 0 }),
      ...Array.from({ length: 5 }, () =>
        moment('inference', random, {
          spreadMs: 20,
          watch: grown(() => lookInto(store).responses, between(random, 1, 12)),
        }),
      ),
      ...Array.from({ length: 3 }, () =>
        moment('commit', random, { spreadMs: 0, watch: grown(() => lookInto(store).responses, between(random, 1, 8)) }),
      ),
      ...sealing(random, store),
    ],
  )
})

test('a killed run leaves no process of the local model behind', async () => {
  const store = join(await temporaryFolder(), 'store')
  const { child, ended } = startCli([
    'eval',
    '--config',
    'examples/quickstart.yaml',
    '--limit',
    '1000',
    '--store',
    store,
  ])
  while (lookInto(store).responses === 0) await sleep(5)
  const workers = processes().filter(({ parent }) => parent === child.pid)
  expect(workers.length).toBeGreaterThan(0)
  child.kill('SIGKILL')
  await ended
  const areLeft = (): boolean => processes().some(({ pid }) => workers.some(worker => worker.pid === pid))
  while (areLeft()) await sleep(20)
})

/** All running processes in /proc. The name in parentheses may contain blanks. A zombie does not count. */
function processes(): readonly { readonly pid: number; readonly parent: number }[] {
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return []
    const stat = textOf(`/proc/${name}/stat`)
    const [state, parent] = stat.split(') ').at(-1)?.split(' ') ?? []
    return state === undefined || parent === undefined || state === 'Z'
      ? []
      : [{ pid: Number(name), parent: Number(parent) }]
  })
}

/** Empty if the process has just ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

test('enough kills happened during work', () => {
  expect(Object.keys(kills).sort()).toEqual(['commit', 'inference', 'input', 'judging', 'sealing'])
  expect(killed).toBeGreaterThanOrEqual(30)
})

afterAll(() => console.log(`${killed} kill points against local models: ${JSON.stringify(kills)}`))
