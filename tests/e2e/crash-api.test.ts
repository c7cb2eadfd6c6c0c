import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../support/cli.js'
import {
  crashAgainAndAgain,
  dumpOf,
  expectNothingAskedAgain,
  expectSound,
  type LifeBegun,
  moment,
  type Moment,
} from '../support/crash.js'
import { spawnFakeOpenai, type FakeOpenaiProcess } from '../support/fake-openai-process.js'
import { between, seededRandom } from '../support/seeded.js'
import { committedAnswers, filesIn, lookInto } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'

const docs = 160
const concurrency = 8
const seeds = [11, 12, 13]
const kills: Record<string, number> = {}
let killed = 0

/** What is counted until the kill, in a process for which the server answers this many requests. */
const answering =
  (server: FakeOpenaiProcess, answers: number, watch: Moment['watch']): Moment['watch'] =>
  () => {
    const allowed = server.allow(answers)
    const isReached = watch()
    return async () => {
      await allowed
      return isReached()
    }
  }

/** Kill points from the first file to the last table: reading, sending, committing, judging, sealing. */
function chooseMoments(random: () => number, store: string, server: FakeOpenaiProcess): readonly Moment[] {
  const more = (count: () => number | Promise<number>, step: number) => () => {
    const before = count()
    return async () => (await count()) >= (await before) + step
  }
  /** Kills once `count` has grown by up to `most`. The server answers only a few more requests, so that no process ends before. */
  const grown = (count: () => number | Promise<number>, most: number): Moment['watch'] => {
    const step = between(random, 1, most)
    return answering(server, step + 4, more(count, step))
  }
  const asked = async (): Promise<number> => (await server.stats()).requests
  const isRead = (): boolean => lookInto(store).items >= docs
  const media = (most: number): Moment['watch'] => {
    const step = between(random, 1, most)
    return answering(server, 0, () => {
      const isReached = more(() => filesIn(store, 'media').length, step)()
      return async () => (await isReached()) || isRead()
    })
  }
  return [
    moment('input', random, { spreadMs: 300, watch: answering(server, 0, () => () => true) }),
    moment('input', random, { spreadMs: 5, watch: media(40) }),
    moment('input', random, { spreadMs: 20, watch: media(20) }),
    ...Array.from({ length: 4 }, () => moment('inference', random, { spreadMs: 8, watch: grown(asked, 18) })),
    ...Array.from({ length: 4 }, () =>
      moment('commit', random, { spreadMs: 2, watch: grown(() => lookInto(store).responses, 18) }),
    ),
    moment('judging', random, { spreadMs: 2, watch: grown(() => lookInto(store).verdicts, 10) }),
    moment('sealing', random, {
      spreadMs: 0,
      watch: answering(server, Infinity, () => () => lookInto(store).finishedJudgements > 0),
    }),
    moment('sealing', random, { spreadMs: 3, watch: () => () => filesIn(store, 'runs').length > 0 }),
  ]
}

test.each(seeds)('a killed run against a server (seed %i) never sends an answered request again', async seed => {
  const random = seededRandom(seed)
  const server = await spawnFakeOpenai(['--latency', '15', '--answers', '0'])
  onTestFinished(() => server.stop())
  const folder = await temporaryFolder()
  const line = (store: string): readonly string[] => [
    ...['eval', '--tasks', 'shapes_vqa', '--limit', String(docs), '--store', store, '--model', 'openai'],
    ...['--model-args', `model=m,base_url=${server.url}`, '--concurrency', String(concurrency)],
  ]
  const store = join(folder, 'killed')
  const lives: LifeBegun[] = []

  const crashes = await crashAgainAndAgain(line(store), chooseMoments(random, store, server), {
    onLife: async () => {
      await server.untilLeft()
      const committed = new Set(committedAnswers(store).values())
      lives.push({ from: (await server.log()).length, committed })
    },
  })

  const log = await server.log()
  const committed = new Set(committedAnswers(store).values())
  const lost = expectNothingAskedAgain(lives, { log, committed, concurrency })
  const { requests, distinct } = await server.stats()
  expect(requests - distinct).toBeLessThanOrEqual(lost)
  expect(committed).toEqual(new Set(log))

  const calm = join(folder, 'calm')
  expect(await runCli(line(calm))).toMatchObject({ code: 0 })
  expect(await dumpOf(store)).toBe(await dumpOf(calm))
  await expectSound(store)
  for (const [name, n] of Object.entries(crashes.kills)) kills[name] = (kills[name] ?? 0) + n
  killed += crashes.killed
})

test('enough kills happened during requests', () => {
  expect(Object.keys(kills).sort()).toEqual(['commit', 'inference', 'input', 'judging', 'sealing'])
  expect(killed).toBeGreaterThanOrEqual(30)
})

afterAll(() => console.log(`${killed} kill points against the server: ${JSON.stringify(kills)}`))
