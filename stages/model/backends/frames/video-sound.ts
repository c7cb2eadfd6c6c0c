import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { MakeMedia } from '../../define-backend.js'
import { AttemptError } from '../../model.js'
import { listPieceStarts, soundRate, type SoundPlan } from './audio-in-video.js'
import { chooseDecoderInput, decode, type Decoding, unreadable } from './ffmpeg.js'
import type { Clip } from './frame-plan.js'

/** The bytes of one sample. */
const sampleBytes = 2

const noSound = { files: [], about: { after: [], seconds: [] } }

interface MakingSound extends SoundPlan, Decoding {
  readonly folder: string
}

/**
 * Writes the sound of a video as WAV files, mono and of 16 bits. Time is that of the pictures: it begins with the first frame, and gaps are silent.
 *
 * @returns no files if the video has no sound there; `after` names the frame that precedes each piece
 * @throws AttemptError (media) if the sound cannot be decoded, or would be mostly silence
 */
export async function makeSound(
  path: string,
  { clip, seconds, folder, ...decoding }: MakingSound,
): ReturnType<MakeMedia> {
  const input = await chooseDecoderInput(path, decoding)
  const begin = await findFirstPicture(path, decoding)
  if (begin === undefined) return noSound
  await refuseLongGaps(path, { ...decoding, begin: Number(begin), clip })
  const raw = join(folder, 'sound.raw')
  const { start = 0, end } = clip
  const filter = [
    `asetpts=PTS-(${begin})/TB`,
    `aresample=${soundRate}:async=1:first_pts=0`,
    `atrim=start=${start}${end === undefined ? '' : `:end=${end}`}`,
    'aformat=sample_fmts=s16:channel_layouts=mono',
  ].join(',')
  const read = ['-nostdin', '-v', 'error', '-copyts', ...input.options, '-i', input.path, '-map', '0:a:0']
  const pieces = ['-af', filter, '-c:a', 'pcm_s16le', '-f', 's16le', '-y', raw]
  try {
    await decode('ffmpeg', [...read, ...pieces], { ...decoding, isStrict: true })
  } catch (error) {
    if (!(error instanceof AttemptError)) throw error
    // Where the rate or the channels change, ffmpeg makes a new filter, which fills the time until then with silence again. So all gets one form before.
    const even = join(folder, 'sound.nut')
    const form = ['-c:a', 'pcm_s16le', '-ar', String(soundRate), '-ac', '1', '-f', 'nut', even]
    await decode('ffmpeg', [...read, ...form], decoding)
    await decode('ffmpeg', ['-nostdin', '-v', 'error', '-copyts', '-f', 'nut', '-i', even, ...pieces], decoding)
  }
  const samples = Math.floor((await stat(raw)).size / sampleBytes)
  if (samples === 0) return noSound
  const after = seconds === undefined ? [0] : listPieceStarts(seconds, start + samples / soundRate)
  const cuts = after.map((frame, piece) =>
    piece === 0 ? 0 : Math.round(((seconds?.[frame] ?? 0) - start) * soundRate),
  )
  const files: string[] = []
  for (const [piece, from] of cuts.entries()) {
    const file = join(folder, `${String(piece).padStart(6, '0')}.wav`)
    await writeWave(raw, { file, from, to: cuts[piece + 1] ?? samples })
    files.push(file)
  }
  return { files, about: { after: [...after], seconds: cuts.map(cut => start + cut / soundRate) } }
}

/** Finds the time of the first picture, by the file's own clock. @returns undefined if the video has no sound */
async function findFirstPicture(path: string, decoding: Decoding): Promise<string | undefined> {
  const input = await chooseDecoderInput(path, decoding)
  const probeOptions = [
    '-show_entries',
    'stream=codec_type,start_time:stream_disposition=attached_pic',
    '-of',
    'compact=p=0',
  ]
  const listed = await decode('ffprobe', ['-v', 'error', ...input.options, ...probeOptions, input.path], decoding)
  const lines = listed.toString('latin1').split('\n')
  if (!lines.some(line => line.includes('codec_type=audio'))) return undefined
  const pictures = lines.find(line => line.includes('codec_type=video') && !line.includes('attached_pic=1')) ?? ''
  return /start_time=(-?[\d.]+)/.exec(pictures)?.[1] ?? '0'
}

/** The silence in seconds that gaps may become, unless there is more sound than this. A file of 200 kB can state a gap of days. */
const mostSilence = 900
/** The shortest time between two packets in seconds that is a gap, where a file does not state how long its packets are. */
const longestPacket = 1

/** @throws AttemptError (media) if the gaps of the sound would become too much silence */
async function refuseLongGaps(
  path: string,
  { begin, clip, ...decoding }: Decoding & { readonly begin: number; readonly clip: Clip },
): Promise<void> {
  const input = await chooseDecoderInput(path, decoding)
  const [from, to] = [begin + (clip.start ?? 0), begin + (clip.end ?? Infinity)]
  const within = (time: number): number => Math.min(Math.max(time, from), to)
  let [end, silence, sound] = [begin, 0, 0]
  const onLine = (line: string): void => {
    const [time = NaN, duration = NaN] = [/pts_time=([^|]*)/, /duration_time=([^|]*)/].map(field =>
      parseFloat(field.exec(line)?.[1] ?? ''),
    )
    if (Number.isNaN(time)) return
    const gap = within(time) - within(end)
    if (!Number.isNaN(duration) || gap > longestPacket) silence += Math.max(0, gap)
    else sound += Math.max(0, gap)
    sound += Number.isNaN(duration) ? 0 : within(time + duration) - within(time)
    end = Math.max(end, time + (Number.isNaN(duration) ? 0 : duration))
  }
  const probeOptions = [
    '-select_streams',
    'a:0',
    '-show_entries',
    'packet=pts_time,duration_time',
    '-of',
    'compact=p=0',
  ]
  await decode('ffprobe', ['-v', 'error', ...input.options, ...probeOptions, input.path], { ...decoding, onLine })
  if (silence > Math.max(mostSilence, sound))
    throw unreadable(
      `its sound of ${Math.round(sound)} s has gaps of ${Math.round(silence)} s, which would be sent as silence. At most ${mostSilence} s are, or as much as there is sound. Repair the times in the file, or send it without its sound (audio_in_video=none)`,
    )
}

/** Writes some of the samples as a WAV file. */
async function writeWave(
  raw: string,
  { file, from, to }: { readonly file: string; readonly from: number; readonly to: number },
): Promise<void> {
  const output = createWriteStream(file)
  output.write(makeWaveHeader((to - from) * sampleBytes))
  await pipeline(createReadStream(raw, { start: from * sampleBytes, end: to * sampleBytes - 1 }), output)
}

/** Makes the header of a WAV file of one channel. Source: RFC 2361, and Multimedia Programming Interface 1.0, page 56. */
function makeWaveHeader(bytes: number): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + bytes, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  // PCM, in one channel.
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(soundRate, 24)
  header.writeUInt32LE(soundRate * sampleBytes, 28)
  header.writeUInt16LE(sampleBytes, 32)
  header.writeUInt16LE(8 * sampleBytes, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(bytes, 40)
  return header
}
