import { spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { sniffMediaType } from '../../base/media/media-type.js'
import { sha256 } from '../../cache/digest.js'
import { runCli, type Ended } from '../support/cli.js'
import { startFakeOpenai } from '../support/fake-openai.js'
import { beepingVideo, hasFfmpeg } from '../support/framed-videos.js'
import { temporaryFolder } from '../support/store.js'

/** One part of a request: its type, the bytes of its medium, and the name that the server is told. */
interface SentPart {
  readonly type: string
  readonly bytes: Buffer
  readonly uuid?: string
}

interface ChatPart {
  readonly type: string
  readonly text?: string
  readonly image_url?: { readonly url: string }
  readonly input_audio?: { readonly data: string }
  readonly uuid?: string
}

const readParts = (body: string): readonly ChatPart[] =>
  (JSON.parse(body) as { readonly messages: readonly { readonly content: readonly ChatPart[] }[] }).messages.flatMap(
    ({ content }) => content,
  )

/** Four docs of the media whose handling the options choose, a server that counts, and the program. */
async function scene() {
  const folder = await temporaryFolder()
  const server = await startFakeOpenai({ answer: () => 'blue' })
  onTestFinished(() => server.close())
  const square = sharp({
    create: { width: 8, height: 8, channels: 4, background: { r: 9, g: 80, b: 200, alpha: 0.5 } },
  })
  const tone = spawnSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'sine=d=0.2', '-f', 'flac', 'pipe:1'])
  const files = {
    tiff: await square.clone().removeAlpha().tiff({ compression: 'lzw' }).toBuffer(),
    clear: await square.clone().png().toBuffer(),
    tone: tone.stdout,
    film: Buffer.from(await beepingVideo()),
  }
  await mkdir(join(folder, 'shown'))
  for (const [id, bytes] of Object.entries(files)) await writeFile(join(folder, `shown/${id}.bin`), bytes)
  const docs = Object.keys(files).map(id => JSON.stringify({ id, file: `${id}.bin`, question: `Doc ${id}?` }))
  await writeFile(join(folder, 'shown/docs.jsonl'), docs.join('\n'))
  await writeFile(
    join(folder, 'shown/shown.yaml'),
    'task: shown\ndataset_path: ./docs.jsonl\ndoc_to_visual: file\ndoc_to_text: "{{question}}"\ndoc_to_target: id\nmetric_list: [{metric: exact_match}]\n',
  )
  const run = (...args: readonly string[]): Promise<Ended> => runCli([...args, '--store', 'store'], { cwd: folder })
  return {
    folder,
    files,
    run,
    /** Evaluates the docs. Returns what the server got of each doc, without the question. */
    send: async (name: string, options: string) => {
      const before = server.seen.length
      const args = `model=m,base_url=${server.url},api_key=k,nframes=3,${options}`
      const { code, stderr } = await run(
        'eval',
        '--name',
        name,
        '--tasks',
        './shown',
        '--model',
        'openai',
        '--model-args',
        args,
      )
      expect({ code, stderr }).toMatchObject({ code: 0 })
      const sent = new Map<string, readonly SentPart[]>()
      for (const { text } of server.seen.slice(before)) {
        const parts = readParts(text)
        const [, id = ''] = /^Doc (\w+)\?$/.exec(parts.find(part => part.type === 'text')?.text ?? '') ?? []
        const media = parts.flatMap(({ type, image_url: image, input_audio: sound, uuid }) => {
          const base64 = image?.url.split(';base64,')[1] ?? sound?.data
          return base64 === undefined ? [] : [{ type, bytes: Buffer.from(base64, 'base64'), ...(uuid && { uuid }) }]
        })
        sent.set(id, media)
      }
      return { sent, stderr }
    },
  }
}

const formatsOf = (parts: readonly SentPart[] = []): readonly (string | undefined)[] =>
  parts.map(({ bytes }) => sniffMediaType(bytes)?.format)

test.skipIf(!hasFfmpeg)(
  'options set how media are sent, and the manifest distinguishes two runs (needs the system package ffmpeg)',
  async () => {
    const { folder, files, run, send } = await scene()

    const original = await send('original', 'media=original,audio_in_video=interleaved,media_uuid=true')
    for (const id of ['tiff', 'clear', 'tone'] as const)
      expect(original.sent.get(id)?.map(({ bytes }) => bytes)).toEqual([files[id]])
    const film = original.sent.get('film') ?? []
    const pair = ['image_url', 'input_audio']
    expect(film.map(({ type }) => type)).toEqual([...pair, ...pair, ...pair])
    for (const { bytes, uuid } of [...original.sent.values()].flat()) expect(uuid).toBe(sha256(bytes))

    // The names of media are in no key.
    expect((await send('original', 'media=original,audio_in_video=interleaved')).sent.size).toBe(0)

    const converted = await send('converted', 'media=converted')
    // A PNG is sent as it is with both, so that the earlier answer is taken.
    expect([...converted.sent.keys()].sort()).toEqual(['film', 'tiff', 'tone'])
    expect(converted.stderr).toContain('take their answers, and are not sent')
    expect(formatsOf(converted.sent.get('tiff'))).toEqual(['png'])
    expect(formatsOf(converted.sent.get('tone'))).toEqual(['wav'])
    expect(formatsOf(converted.sent.get('film'))).toEqual(['png', 'png', 'png'])
    const pixels = (bytes: Uint8Array) => sharp(bytes).raw().toBuffer()
    expect(await pixels(converted.sent.get('tiff')![0]!.bytes)).toEqual(await pixels(files.tiff))
    expect(converted.stderr.match(/the chat server does not take \w+: it is sent as \w+/g)?.sort()).toEqual([
      'the chat server does not take FLAC: it is sent as WAV',
      'the chat server does not take TIFF: it is sent as PNG',
    ])

    const lmms = await send('lmms', 'media=lmms')
    const [clear] = lmms.sent.get('clear') ?? []
    expect(await sharp(clear?.bytes).metadata()).toMatchObject({ format: 'png', channels: 3 })
    expect([...(await pixels(clear?.bytes ?? files.tiff)).subarray(0, 3)]).toEqual([9, 80, 200])
    // Frames, the WAV of the sound and the PNG of the TIFF come out the same with both.
    expect([...lmms.sent.keys()]).toEqual(['clear'])

    const manifest = await run('media', 'manifest', 'original', '--json')
    expect(JSON.parse(manifest.stdout)).toMatchObject({ format: 1, docs: { length: 4 } })
    await writeFile(join(folder, 'original.json'), manifest.stdout)
    expect(await readFile(join(folder, 'original.json'), 'utf8')).toContain(sha256(film[0]!.bytes))
    expect(manifest.stdout).toContain(sha256(film[5]!.bytes))
    const same = await run('media', 'manifest', 'original', '--compare', 'original.json')
    expect(same.code).toBe(0)
    expect(same.stdout).toMatch(/^(\S+) and \1 showed the same media \(4 docs\)\n$/)
    const other = await run('media', 'manifest', 'lmms', '--compare', 'original.json')
    expect(other.code).toBe(4)
    expect(other.stdout).toMatch(/^1 difference in media \(4 docs in both\)\n/)
    expect(other.stdout).toMatch(/film +medium 0, sounds +none +3/)
  },
)
