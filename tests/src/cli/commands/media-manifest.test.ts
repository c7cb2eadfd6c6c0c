import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../../../cache/digest.js'
import { defineMedia } from '../../../../src/cli/commands/transfer/media.js'
import { compareManifests, infer, mediaManifest, openai, type MediaManifest } from '../../../../src/index.js'
import { runCommand } from '../../../support/command.js'
import { startFakeOpenai } from '../../../support/fake-openai.js'
import { beepingVideo, greyVideo, hasFfmpeg } from '../../../support/framed-videos.js'
import { picture } from '../../../support/own-task.js'
import { temporaryFolder } from '../../../support/store.js'

/** Stores a run whose two docs show one medium each. */
async function storeRun(media: readonly Uint8Array[], args: Readonly<Record<string, unknown>> = {}) {
  const folder = await temporaryFolder()
  const server = await startFakeOpenai()
  onTestFinished(() => server.close())
  await mkdir(join(folder, 'shown'))
  for (const [index, bytes] of media.entries()) await writeFile(join(folder, `shown/${index}.bin`), bytes)
  const docs = media.map((_, id) => JSON.stringify({ id, question: `Doc ${id}?`, file: `${id}.bin`, answer: 'a' }))
  await writeFile(join(folder, 'shown/docs.jsonl'), docs.join('\n'))
  await writeFile(
    join(folder, 'shown/shown.yaml'),
    'task: shown\ndataset_path: ./docs.jsonl\ndoc_to_visual: file\ndoc_to_text: "{{question}}"\ndoc_to_target: answer\nmetric_list: [{metric: exact_match}]\n',
  )
  const store = join(folder, 'store')
  const model = openai({ model: 'm', base_url: server.url, api_key: 'k', ...args })
  const run = await infer({ store, model, tasks: [join(folder, 'shown')] })
  return { folder, store, run, server, task: join(folder, 'shown') }
}

const manifestOf = async (store: string, ...flags: readonly string[]): Promise<string> =>
  (await runCommand(defineMedia, ['manifest', 'last', '--store', store, '--json', ...flags])).data

test('the manifest of pictures has their digests and sizes, in library and command', async () => {
  const pictures = [await picture(10), await picture(20)]
  const { store, run } = await storeRun(pictures)
  const manifest = await mediaManifest(run)
  expect(manifest.docs).toEqual(
    pictures.map((bytes, id) => ({
      ...{ task: 'shown', doc: String(id) },
      media: [{ type: 'image', digest: sha256(bytes), bytes: bytes.length, width: 8, height: 8 }],
    })),
  )
  expect(JSON.parse(await manifestOf(store))).toEqual(manifest)
  const { text } = await runCommand(defineMedia, ['manifest', 'last', '--store', store])
  expect(text).toContain('2 docs, 2 media')
})

test.skipIf(!hasFfmpeg)(
  'the manifest of a video lists the frames sent, and reports another number (needs the system package ffmpeg)',
  async () => {
    const video = await greyVideo()
    const { store, folder } = await storeRun([video], { nframes: 3 })
    const text = await manifestOf(store)
    const manifest = JSON.parse(text) as MediaManifest
    const [medium] = manifest.docs[0]!.media
    expect(medium).toMatchObject({ type: 'video', digest: sha256(video) })
    expect(medium!.frames).toMatchObject([
      { index: 0, seconds: 0, width: 56, height: 56 },
      { index: 4, seconds: 0.8 },
      { index: 9, seconds: 1.8 },
    ])
    const file = join(folder, 'manifest.json')
    await writeFile(file, text)
    expect(JSON.parse(await manifestOf(store, '--compare', file))).toMatchObject({ docs: 1, differences: [] })
    const other = await storeRun([video], { nframes: 4 })
    const codes: number[] = []
    const printed = await runCommand(
      (command, tools) => {
        defineMedia(command, tools, code => codes.push(code))
      },
      ['manifest', 'last', '--store', other.store, '--compare', file],
    )
    expect(codes).toEqual([4])
    expect(printed.text).toContain('1 difference in media')
    expect(printed.text).toMatch(/medium 0, frames +4 +3/)
  },
)

test.skipIf(!hasFfmpeg)(
  'the manifest lists the sound of a video by piece, or says there is none (needs the system package ffmpeg)',
  async () => {
    const videos = [await beepingVideo(), await greyVideo()]
    const { run } = await storeRun(videos, { nframes: 3, audio_in_video: 'interleaved' })
    const manifest = await mediaManifest(run)
    const [beeping, silent] = manifest.docs.map(({ media }) => media[0]!)
    expect(beeping!.sounds).toMatchObject([{ seconds: 0 }, { seconds: 2.8 }, { seconds: 5.8 }])
    // Three pieces of a sound of 6 seconds, with 16000 samples of two bytes a second.
    expect(beeping!.sounds!.reduce((sum, { bytes = 0 }) => sum + bytes, 0)).toBe(3 * 44 + 6 * 32_000)
    expect(silent).toMatchObject({ frames: expect.any(Array) as unknown, sounds: [] })
    const other = await mediaManifest((await storeRun(videos, { nframes: 3 })).run)
    expect(compareManifests(manifest, other).differences).toMatchObject([
      { doc: '0', medium: 0, field: 'sounds', a: 3, b: null },
      { doc: '1', medium: 0, field: 'sounds', a: 0, b: null },
    ])
  },
)

test.skipIf(!hasFfmpeg)(
  'the manifest of a task equals that of its run, without a request (needs the system package ffmpeg)',
  async () => {
    const { run, server, task, folder } = await storeRun([await beepingVideo(), await picture(30)], {
      ...{ nframes: 3, audio_in_video: 'after' },
    })
    const asked = server.seen.length
    const args = `model=m,base_url=${server.url},api_key=k,nframes=3,audio_in_video=after`
    const flags = ['--tasks', task, '--model', 'openai', '--model-args', args]
    const other = join(folder, 'other')
    const before = await runCommand(defineMedia, ['manifest', ...flags, '--store', other, '--json'])
    expect(JSON.parse(before.data)).toEqual(await mediaManifest(run))
    expect(server.seen).toHaveLength(asked)
    const first = await runCommand(defineMedia, ['manifest', ...flags, '--limit', '1', '--store', other])
    expect(first.text).toContain('1 doc, 1 media, 3 frames')
  },
)

test.skipIf(!hasFfmpeg)(
  'the manifest of a task names a doc whose video is damaged (needs the system package ffmpeg)',
  async () => {
    const { server, task, folder } = await storeRun([Buffer.from('\0\0\0\x18ftypisom and no video')])
    const args = `model=m,base_url=${server.url},api_key=k,nframes=3`
    const flags = ['--tasks', task, '--model', 'openai', '--model-args', args, '--store', join(folder, 'other')]
    const { data, told } = await runCommand(defineMedia, ['manifest', ...flags, '--json'])
    expect(told).toMatch(/note: task shown, doc 0: .*video/)
    expect(JSON.parse(data)).toMatchObject({ docs: [{ doc: '0', media: [{ type: 'video', frames: null }] }] })
  },
)

test.each([[[]], [['last', '--tasks', 'videomme']]])('requires either a run or tasks: %j', async words => {
  await expect(runCommand(defineMedia, ['manifest', ...words])).rejects.toThrow(/name a run .*or tasks and a model/)
})

test('names differences by doc, medium and frame', () => {
  const frames = [
    { index: 0, seconds: 0, digest: 'sha256:a' },
    { index: 5, seconds: 1, digest: 'sha256:b' },
  ]
  const media = [{ type: 'video' as const, digest: 'sha256:v', frames }]
  const docs = [1, 2].map(id => ({ task: 't', doc: String(id), media }))
  const a: MediaManifest = { format: 1, run: 'a', docs }
  const moved = [{ ...media[0]!, frames: [frames[0]!, { index: 6, seconds: 1.2, digest: 'sha256:c' }] }]
  const b: MediaManifest = { format: 1, run: 'b', docs: [{ ...docs[0]!, media: moved }] }
  const at = { task: 't', doc: '1', medium: 0, frame: 1 }
  expect(compareManifests(a, b).differences).toEqual([
    { ...at, field: 'index', a: 5, b: 6 },
    { ...at, field: 'seconds', a: 1, b: 1.2 },
    { ...at, field: 'digest', a: 'sha256:b', b: 'sha256:c' },
    { task: 't', doc: '2', field: 'doc', a: 1, b: null },
  ])
  expect(compareManifests(a, a).differences).toEqual([])
})

test('names a file that is not a manifest', async () => {
  const file = join(await temporaryFolder(), 'other.json')
  await writeFile(file, '{"docs": 5}')
  const refused = runCommand(defineMedia, ['manifest', 'last', '--compare', file])
  await expect(refused).rejects.toThrow(/other\.json is no manifest of media/)
})
