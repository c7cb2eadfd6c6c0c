import { describe, expect, test } from 'vitest'
import { sniffMediaType } from '../../../../../base/media/media-type.js'
import type { ContentPart } from '../../../../../cache/records.js'
import { listPieceStarts } from '../../../../../stages/model/backends/frames/audio-in-video.js'
import { parseModelArgs } from '../../../../../stages/model/model-args.js'
import { findBackend } from '../../../../../stages/model/registry.js'
import { contextOf } from '../../../../support/backend-client.js'
import {
  beepingVideo,
  framed,
  type FramedScene,
  frameFormat,
  greyVideo,
  hasFfmpeg,
} from '../../../../support/framed-videos.js'

const headerBytes = 44
const rate = 16_000
const format = { ...frameFormat, format: 'openai', nframes: 4, factor: 28 } as const

/** Returns the samples of a sound that was shown. */
async function readSamples({ read }: FramedScene, part: ContentPart | undefined): Promise<Int16Array> {
  const bytes = await read(part)
  expect(sniffMediaType(bytes)).toEqual({ kind: 'audio', mime: 'audio/wav', format: 'wav' })
  expect([bytes.readUInt16LE(22), bytes.readUInt32LE(24), bytes.readUInt16LE(34)]).toEqual([1, rate, 16])
  expect(bytes.readUInt32LE(40)).toBe(bytes.length - headerBytes)
  return new Int16Array(new Uint8Array(bytes.subarray(headerBytes)).buffer)
}

/** Lists the seconds, in steps of a tenth, in which the tone begins and ends. */
function listChanges(samples: Int16Array): readonly number[] {
  const tenths = Array.from({ length: Math.floor((samples.length * 10) / rate) }, (_, tenth) =>
    samples.subarray((tenth * rate) / 10, ((tenth + 1) * rate) / 10).some(value => Math.abs(value) > 3000),
  )
  return tenths.flatMap((isLoud, tenth) => (isLoud === (tenths[tenth - 1] ?? false) ? [] : [tenth / 10]))
}

const typesIn = (parts: readonly ContentPart[]): readonly string[] => parts.map(({ type }) => type)

describe.skipIf(!hasFfmpeg)('the sound of a video (needs the system package ffmpeg)', () => {
  test('follows its frames, mono at 16 kHz', async () => {
    const scene = await framed(format, { audio: 'after' })
    const shown = await scene.ask([
      { type: 'video', media: await scene.add(await beepingVideo()) },
      { type: 'text', text: 'What beeps?' },
    ])
    expect(typesIn(shown)).toEqual(['image', 'image', 'image', 'image', 'audio', 'text'])
    const samples = await readSamples(scene, shown[4])
    expect(samples).toHaveLength(6 * rate)
    expect(listChanges(samples)).toEqual([1, 2, 3, 4, 5])
    expect(scene.notes).toEqual([])
  })

  /** Six seconds of tone, whose times jump forward after three. */
  const interrupted = (seconds: number) =>
    beepingVideo({
      sound: [],
      container: ['-c:v', 'ffv1', '-af', `asetpts=PTS+gt(T\\,3)*${seconds}/TB`, '-c:a', 'pcm_s16le', '-f', 'matroska'],
    })

  test.each([60, 890])('has its gap of %i s as silence', async gap => {
    const scene = await framed(format, { audio: 'after' })
    const shown = await scene.ask([{ type: 'video', media: await scene.add(await interrupted(gap)) }])
    const samples = await readSamples(scene, shown[4])
    expect(samples.length / rate).toBeCloseTo(6 + gap, 1)
  })

  test.each([910, 1_000_000])('is refused with a gap of %i s, because it would be silence', async gap => {
    for (const rules of [format, undefined]) {
      const scene = await framed(rules, { audio: 'after' })
      const asked = scene.ask([{ type: 'video', media: await scene.add(await interrupted(gap)) }])
      await expect(asked).rejects.toThrow(
        `its sound of 6 s has gaps of ${gap} s, which would be sent as silence. At most 900 s are`,
      )
    }
  })

  test('is sent of a part without the gap', async () => {
    const scene = await framed(format, { audio: 'after' })
    const shown = await scene.ask([
      { type: 'video', media: await scene.add(await interrupted(20_000)), derive: { start: 0, end: 2 } },
    ])
    const samples = await readSamples(scene, shown.at(-1))
    expect(samples).toHaveLength(2 * rate)
    expect(listChanges(samples)).toEqual([1])
  })

  test('goes on where its rate and channels change', async () => {
    const part = (more: readonly string[]) =>
      beepingVideo({
        container: ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'mp2', ...more, '-f', 'mpegts'],
      })
    const parts = [await part([]), await part(['-ar', '48000', '-ac', '1', '-output_ts_offset', '6'])]
    const scene = await framed(format, { audio: 'after' })
    const shown = await scene.ask([{ type: 'video', media: await scene.add(Buffer.concat(parts)) }])
    const samples = await readSamples(scene, shown[4])
    expect(samples.length / rate).toBeCloseTo(12, 0)
    // The middle of each second: the two parts do not join without a click.
    const isLoud = (second: number): boolean =>
      samples.subarray((second + 0.4) * rate, (second + 0.6) * rate).some(value => Math.abs(value) > 3000)
    expect(Array.from({ length: 12 }, (_, second) => isLoud(second))).toEqual(
      Array.from({ length: 12 }, (_, second) => second % 2 === 1),
    )
  })

  test('is split into pieces that begin with the frames and add up to the whole', async () => {
    const whole = await framed(format, { audio: 'after' })
    const bytes = await beepingVideo()
    const sound = await readSamples(whole, (await whole.ask([{ type: 'video', media: await whole.add(bytes) }]))[4])
    const scene = await framed(format, { audio: 'interleaved' })
    const shown = await scene.ask([{ type: 'video', media: await scene.add(bytes) }])
    // Frames 0, 10, 19 and 29 of 30, at 5 a second. The last one is shown for 0.2 seconds.
    expect(typesIn(shown)).toEqual(['image', 'audio', 'image', 'audio', 'image', 'audio', 'image', 'audio'])
    const pieces = await Promise.all([1, 3, 5, 7].map(index => readSamples(scene, shown[index])))
    expect(pieces.map(({ length }) => length / rate)).toEqual([2, 1.8, 2, 0.2])
    expect(pieces.flatMap(piece => [...piece])).toEqual([...sound])
  })

  test('after timestamps, each piece follows its frame, and a clip has only its own sound', async () => {
    const scene = await framed({ ...frameFormat, nframes: 2 }, { audio: 'interleaved' })
    const media = await scene.add(await beepingVideo())
    const shown = await scene.ask([{ type: 'video', media, derive: { start: 1, end: 3.5 } }])
    expect(typesIn(shown)).toEqual(['text', 'image', 'audio', 'text', 'image', 'audio'])
    expect(shown.flatMap(part => (part.type === 'text' ? [part.text] : []))).toEqual(['<1.0 seconds>', '<3.4 seconds>'])
    const pieces = await Promise.all([2, 5].map(index => readSamples(scene, shown[index])))
    expect(pieces.map(({ length }) => length / rate)).toEqual([2.4, 0.1])
    expect(listChanges(pieces[0]!)).toEqual([0, 1, 2])
  })

  test.each([
    ['a sound that begins later is silent until then', { sound: ['-itsoffset', '1.5'] }, [2.5, 3.5, 4.5, 5.5, 6.5]],
    ['a sound that begins before the pictures is cut', { picture: ['-itsoffset', '1.5'] }, [0, 0.5, 1.5, 2.5, 3.5]],
    [
      'a gap in the sound stays a gap',
      { container: ['-af', "aselect='not(between(t,2,3))'", '-c:v', 'ffv1', '-c:a', 'flac', '-f', 'matroska'] },
      [1, 2, 3, 4, 5],
    ],
    [
      'an MPEG transport stream, whose clock begins elsewhere',
      { container: ['-c:v', 'mpeg2video', '-c:a', 'mp2', '-f', 'mpegts'] },
      [1, 2, 3, 4, 5],
    ],
  ])('is synchronous with the pictures: %s', async (_, video, changes) => {
    const scene = await framed(format, { audio: 'after' })
    const shown = await scene.ask([{ type: 'video', media: await scene.add(await beepingVideo(video)) }])
    const found = listChanges(await readSamples(scene, shown.at(-1)))
    expect(found).toHaveLength(changes.length)
    for (const [place, time] of changes.entries()) expect(Math.abs((found[place] ?? NaN) - time)).toBeLessThan(0.11)
  })

  test('is extracted once, and one note says that a video has no sound', async () => {
    const scene = await framed(format, { audio: 'after' })
    const [beeping, silent] = await Promise.all([scene.add(await beepingVideo()), scene.add(await greyVideo())])
    const parts: readonly ContentPart[] = [
      { type: 'video', media: silent },
      { type: 'video', media: beeping },
    ]
    const shown = await scene.ask(parts)
    expect(typesIn(shown).filter(type => type === 'audio')).toHaveLength(1)
    expect(await scene.ask(parts)).toEqual(shown)
    expect(scene.made()).toBe(4)
    expect(scene.notes).toEqual(['videos without sound are sent as frames alone   (audio_in_video)'])
  })

  test('follows a video that is sent whole', async () => {
    const scene = await framed(undefined, { audio: 'after' })
    const [beeping, silent] = await Promise.all([scene.add(await beepingVideo()), scene.add(await greyVideo())])
    const shown = await scene.ask([
      { type: 'video', media: beeping },
      { type: 'video', media: silent },
    ])
    expect(typesIn(shown)).toEqual(['video', 'audio', 'video'])
    expect(shown[0]).toEqual({ type: 'video', media: beeping })
    expect(listChanges(await readSamples(scene, shown[1]))).toEqual([1, 2, 3, 4, 5])
    expect(scene.notes).toEqual(['videos without sound are sent alone   (audio_in_video)'])
  })

  test('of a damaged video fails its docs with the reason', async () => {
    const scene = await framed(format, { audio: 'after' })
    const bytes = Buffer.from(
      await beepingVideo({
        container: ['-c:v', 'ffv1', '-c:a', 'vorbis', '-strict', '-2', '-ac', '2', '-f', 'matroska'],
      }),
    )
    // The headers of the codec, without which no sound can be decoded.
    bytes.fill(0, bytes.indexOf('vorbis') - 1, bytes.indexOf('vorbis') + 40)
    const failure: unknown = await scene
      .ask([{ type: 'video', media: await scene.add(bytes) }])
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ class: 'media', isRetryable: false })
  })
})

test('a piece of sound that would be too short is merged with the one before', () => {
  expect(listPieceStarts([0, 1, 2], 3)).toEqual([0, 1, 2])
  expect(listPieceStarts([0, 1, 2], 2.05)).toEqual([0, 1])
  expect(listPieceStarts([0, 1, 2], 0.5)).toEqual([0])
  // At 60 frames a second, a piece for every sixth frame.
  const times = Array.from({ length: 20 }, (_, frame) => frame / 60)
  expect(listPieceStarts(times, 1)).toEqual([0, 6, 12, 18])
  expect(listPieceStarts([4, 5], 6)).toEqual([0, 1])
})

test.each([
  [
    'openai',
    { audio_in_video: 'interleaved' },
    /is for videos that are sent as frames\. Add nframes=… or fps=…; .*=after/,
  ],
  ['groq', { nframes: 4 }, /needs a model that takes sound\. If this one does, say so: modalities=text\+image\+/],
  ['azure_openai', { nframes: 4, modalities: 'text+image' }, /needs a model that takes sound/],
])('%s rejects audio_in_video where no sound would be sent', async (id, given, message) => {
  const backend = await findBackend(id, [])
  const base_url = 'https://a.example/openai/v1'
  const args = parseModelArgs(backend, { model: 'm', base_url, api_key: 'k', audio_in_video: 'after', ...given })
  await expect(backend.identify(args, contextOf({}))).rejects.toThrow(message)
})

test('the default of audio_in_video is in no identity', async () => {
  const backend = await findBackend('openai', [])
  const identify = (given: object) =>
    backend.identify(parseModelArgs(backend, { model: 'm', nframes: 4, api_key: 'k', ...given }), contextOf({}))
  expect(await identify({ audio_in_video: 'none' })).toEqual(await identify({}))
  expect((await identify({ audio_in_video: 'after' })).args).toMatchObject({ audio_in_video: 'after' })
})
