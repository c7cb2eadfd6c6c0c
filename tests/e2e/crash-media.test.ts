import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../cache/digest.js'
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
import { answerOfDigest, completion, startFakeOpenai, type SeenRequest } from '../support/fake-openai.js'
import { picture } from '../support/own-task.js'
import { between, seededRandom } from '../support/seeded.js'
import { committedAnswers, filesIn, lookInto, query } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'

const docs = 48
const concurrency = 8

/** Media that depend only on the request, and are large enough for a kill during the write. */
function makeMedia(drawn: Buffer, { digest }: SeenRequest): { readonly image: Buffer; readonly sound: Buffer } {
  const sound = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(40_000, digest)])
  return { image: Buffer.concat([drawn, Buffer.alloc(20_000, digest)]), sound }
}

/** Lists the media of committed answers, by the text of each. */
const committedMedia = (store: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    (
      query(
        store,
        "SELECT json_extract(body, '$.text') AS text, json_extract(body, '$.content') AS content FROM response",
      ) as {
        readonly text: string
        readonly content: string
      }[]
    ).map(({ text, content }) => [
      text,
      (JSON.parse(content) as { readonly media: string }[]).map(({ media }) => media),
    ]),
  )

test('a killed run with media in its answers sends no answered request again, and its media are complete', async () => {
  const random = seededRandom(31)
  const drawn = await picture(90)
  const server = await startFakeOpenai({
    latencyMs: 15,
    answer(request) {
      const { image, sound } = makeMedia(drawn, request)
      const images = [{ image_url: { url: `data:image/png;base64,${image.toString('base64')}` } }]
      const audio = { data: sound.toString('base64'), transcript: '' }
      return completion(answerOfDigest(request), 'stop', { images, audio })
    },
  })
  onTestFinished(() => server.close())
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'drawn'))
  const rows = Array.from({ length: docs }, (_, id) => JSON.stringify({ id, question: `Draw ${id}.`, answer: 'a' }))
  await writeFile(join(folder, 'drawn/docs.jsonl'), rows.join('\n'))
  await writeFile(
    join(folder, 'drawn/drawn.yaml'),
    'task: drawn\ndataset_path: ./docs.jsonl\ndoc_to_text: "{{question}}"\ndoc_to_target: answer\nmetric_list: [{metric: contains}]\n',
  )
  const line = (store: string): readonly string[] => [
    ...['eval', '--tasks', join(folder, 'drawn'), '--store', store, '--model', 'openai'],
    ...['--model-args', `model=m,base_url=${server.url},api_key=k`, '--concurrency', String(concurrency)],
  ]
  const store = join(folder, 'killed')
  /** Kills once `count` has grown by up to 10. */
  const grown = (count: () => number): Moment['watch'] => {
    const step = between(random, 1, 10)
    return () => {
      const before = count()
      return () => count() >= before + step
    }
  }
  const wholeMedia = async (): Promise<void> => {
    for (const digest of new Set([...committedMedia(store).values()].flat())) {
      const hex = digest.slice('sha256:'.length)
      expect(sha256(await readFile(join(store, 'media', hex.slice(0, 2), hex.slice(2))))).toBe(digest)
    }
  }
  const lives: LifeBegun[] = []
  const crashes = await crashAgainAndAgain(
    line(store),
    [
      moment('inference', random, { spreadMs: 8, watch: grown(() => server.seen.length) }),
      moment('media', random, { spreadMs: 2, watch: grown(() => filesIn(store, 'media').length) }),
      moment('commit', random, { spreadMs: 2, watch: grown(() => lookInto(store).responses) }),
    ],
    {
      onLife: async () => {
        await expect.poll(() => server.stats().open).toBe(0)
        lives.push({ from: server.seen.length, committed: new Set(committedAnswers(store).values()) })
      },
      onKilled: wholeMedia,
    },
  )
  expect(crashes.killed).toBe(3)

  const log = server.seen.map(answerOfDigest)
  const committed = new Set(committedAnswers(store).values())
  expect(committed.size).toBe(docs)
  const lost = expectNothingAskedAgain(lives, { log, committed, concurrency })
  expect(log.length - new Set(log).size).toBeLessThanOrEqual(lost)

  await wholeMedia()
  const media = committedMedia(store)
  for (const request of server.seen) {
    const { image, sound } = makeMedia(drawn, request)
    expect(media.get(answerOfDigest(request))).toEqual([sha256(image), sha256(sound)])
  }
  const calm = join(folder, 'calm')
  expect(await runCli(line(calm))).toMatchObject({ code: 0 })
  const dump = await dumpOf(store)
  expect(dump).toBe(await dumpOf(calm))
  expect(dump).toContain([...media.values()][0]?.[1])
  await expectSound(store)
})
