import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AttemptError } from '../../model.js'
import {
  chooseDecoderInput,
  chooseExpression,
  decode,
  type FrameFiles,
  oneFilter,
  pictureOutput,
  writeFrames,
} from './ffmpeg.js'
import { type PacketTimes, planSeeks, type SoughtGroup } from './seek-plan.js'

/**
 * Codecs of which each packet shows one frame, and the units of a picture with which decoding may begin. Other pictures that containers
 * call keyframes (H.264 with open groups or gradual refresh) may lean on what precedes them, and no error tells it.
 */
const startUnits: Readonly<Record<string, string | undefined>> = {
  h264: 'filter_units=pass_types=5',
  hevc: 'filter_units=pass_types=16-21',
  vp9: 'null',
  av1: 'null',
}
/** Containers with an index. Elsewhere ffmpeg guesses where a time is. */
const indexed: ReadonlySet<string> = new Set(['mov', 'matroska'])

/** The maximum number of times that one process opens the file. Each opening takes memory. */
const mostOpened = 16
/** Each opened file takes memory for its index and for the pictures that it decodes: the packets and pixels of those of one process. */
const mostPackets = mostOpened * 90_000
const mostPixels = 8 * 640 * 360

/** Frames to write, and how they are found. */
export interface SoughtFrames extends FrameFiles {
  readonly packets?: PacketTimes | undefined
  /** The pixels of one picture of the video. */
  readonly pixels: number
}

/**
 * Writes frames as PNG files. Of a long video, only what follows the keyframe before each frame is decoded, if that gives the same frames.
 *
 * @returns the files. There are fewer than requested if the video has fewer frames than packets.
 */
export async function extractFrames(
  path: string,
  { packets, pixels, ...frames }: SoughtFrames,
): Promise<readonly string[]> {
  const groups =
    packets !== undefined && frames.codec in startUnits
      ? planSeeks(packets, { indices: frames.indices, pixels })
      : undefined
  if (packets !== undefined && groups !== undefined) {
    const folder = join(frames.folder, 'sought')
    const together = Math.min(mostOpened, mostPackets / packets.ticks.length, mostPixels / pixels)
    const seeking = { ...frames, folder, tick: packets.tick, together: Math.max(1, Math.floor(together)) }
    if (await seekFrames(path, groups, seeking)) return (await readdir(folder)).sort().map(name => join(folder, name))
    await rm(folder, { recursive: true, force: true })
  }
  return writeFrames(path, { ...frames, folder: join(frames.folder, 'all') })
}

interface Seeking extends FrameFiles {
  readonly tick: number
  /** The number of groups that one process decodes. */
  readonly together: number
}

/** @returns whether all frames were written, each as decoding from the start gives it */
async function seekFrames(path: string, groups: readonly SoughtGroup[], seeking: Seeking): Promise<boolean> {
  const { folder, indices, limits, signal, together } = seeking
  const input = await chooseDecoderInput(path, seeking)
  if (!indexed.has(input.demuxer)) return false
  await mkdir(folder, { recursive: true })
  let writtenFrames = 0
  for (let at = 0; at < groups.length; at += together) {
    const some = groups.slice(at, at + together)
    const starts = some.map((_, place) => `${folder}-${at + place}`)
    try {
      const args = formatArguments(some, { ...seeking, input, starts, first: writtenFrames + 1 })
      await decode('ffmpeg', ['-nostdin', '-v', 'error', '-copyts', ...args], { limits, signal, isStrict: true })
    } catch (error) {
      // Whatever it is, decoding from the start has its own failure.
      if (error instanceof AttemptError) return false
      throw error
    }
    for (const [place, group] of some.entries())
      if (group.key !== undefined && !(await beginsBefore(group, starts[place] ?? '', seeking.tick))) return false
    writtenFrames += some.reduce((sum, { ticks }) => sum + ticks.length, 0)
  }
  return (await readdir(folder)).length === indices.length
}

interface Asking extends Seeking {
  readonly input: Awaited<ReturnType<typeof chooseDecoderInput>>
  /** The files that get the time of the picture with which the decoding of each group began. */
  readonly starts: readonly string[]
  /** The number of the first picture. */
  readonly first: number
}

function formatArguments(groups: readonly SoughtGroup[], asking: Asking): readonly string[] {
  const { codec, width, height, folder, tick, input, starts } = asking
  const inputs: string[] = []
  const outputs: string[] = []
  let { first } = asking
  for (const [place, { key, ticks }] of groups.entries()) {
    // Half a unit more, so that no rounding leads to the keyframe before.
    const at = key === undefined ? [] : ['-ss', ((key + 0.49) * tick).toFixed(6), '-seek_timestamp', '1']
    inputs.push('-threads', '1', ...input.options, ...oneFilter, ...at, '-noaccurate_seek', '-i', input.path)
    const pictures = pictureOutput(chooseExpression('pts', ticks), { width, height, count: ticks.length })
    outputs.push('-map', `${place}:V:0`, ...pictures, '-start_number', String(first), join(folder, '%06d.png'))
    if (key !== undefined) {
      const end = (((ticks.at(-1) ?? key) + 1) * tick).toFixed(6)
      const copied = ['-c', 'copy', '-copypriorss', '1', '-bsf:v', startUnits[codec] ?? 'null', '-frames:v', '1']
      outputs.push('-map', `${place}:V:0`, ...copied, '-to', end, '-f', 'framecrc', starts[place] ?? '')
    }
    first += ticks.length
  }
  return [...inputs, ...outputs]
}

/** Tells whether the decoding began with a picture that leans on no other, at or before the first wanted one. */
async function beginsBefore({ ticks }: SoughtGroup, file: string, tick: number): Promise<boolean> {
  const [, over, under, time] = startLine.exec(await readFile(file, 'latin1')) ?? []
  const seconds = (Number(time) * Number(over)) / Number(under)
  return seconds <= ((ticks[0] ?? NaN) + 0.49) * tick
}

/** The time base of the stream, and the second number of its first packet: `0, <decoding time>, <time>, …`. */
const startLine = /^#tb 0: (\d+)\/(\d+)$[^]*?^0, *-?\d+, *(-?\d+),/m
