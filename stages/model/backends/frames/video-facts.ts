import { chooseDecoderInput, decode, type Decoding, refuseLarge, unreadable } from './ffmpeg.js'
import { frameSeconds, type VideoFacts } from './frame-plan.js'
import type { PacketTimes } from './seek-plan.js'

const streamFields =
  'stream=codec_name,width,height,time_base,avg_frame_rate,r_frame_rate,nb_read_packets,nb_read_frames:stream_side_data=rotation'

/** The facts of a video, and what is needed to find its frames. */
export interface ProbedVideo extends VideoFacts {
  readonly codec: string
  /** The number of decoded frames before the first keyframe. They lean on frames that the file does not have, and are not shown. */
  readonly skipped: number
  /** Absent if frames were decoded, or a packet has no time. */
  readonly packets?: PacketTimes
}

/**
 * Reads a video's size, frame rate, and the time of each frame. It lists packets, which is fast. `isExact` decodes the frames.
 *
 * @throws AttemptError (media) if ffmpeg cannot read it as a video, or its pictures are larger than the limit
 */
export async function videoFacts(
  path: string,
  { isExact, beginsWithin = false, ...decoding }: Decoding & Listing,
): Promise<ProbedVideo> {
  const listed = await listFrames(path, { ...decoding, isExact, beginsWithin })
  const { video, keys, skipped } = listed
  // Decoders leave out or break such frames, so that numbers of packets are not those of frames.
  if (!isExact && listed.beginsWithin) return videoFacts(path, { ...decoding, isExact: true, beginsWithin: true })
  const [width, height] = [Number(video['width']), Number(video['height'])]
  if (!(width > 0 && height > 0)) throw unreadable('it has no pictures')
  refuseLarge({ width, height }, decoding.limits.pixels)
  const counted = [video['nb_read_frames'], video['nb_read_packets']].map(Number).find(count => count > 0)
  const frames = listed.ticks.length > 0 ? listed.ticks.length : (counted ?? 0) - skipped
  // Ogg states no average rate.
  const fps = parseFraction(video['avg_frame_rate']) ?? parseFraction(video['r_frame_rate'])
  if (!(frames > 0) || fps === undefined) throw unreadable('its frames cannot be counted')
  const isOnItsSide = Math.abs(Number(video['rotation'] ?? 0)) % 180 === 90
  const tick = parseFraction(video['time_base']) ?? NaN
  const ticks = joinRecordings(listed.ticks, { tick, fps })
  const seconds = frameSeconds(
    ticks.map(time => toMicroseconds(time * tick)),
    fps,
  )
  return {
    ...{ frames, fps, skipped, codec: video['codec_name'] ?? '' },
    ...(isOnItsSide ? { width: height, height: width } : { width, height }),
    ...(seconds && { seconds }),
    ...(!isExact &&
      ticks === listed.ticks &&
      ticks.length > 0 &&
      !ticks.some(Number.isNaN) && { packets: { ticks, keys, tick } }),
  }
}

/** Decoders hold back at most so many pictures, so that the times of packets go back by no more than these and a second. */
const mostHeldBack = 16

/**
 * Lets the times of a file go on where they jump back, as where two recordings were joined in one transport stream.
 *
 * @param ticks in the order of the file
 * @returns the same list if no time jumps back
 */
export function joinRecordings(
  ticks: readonly number[],
  { tick, fps }: { readonly tick: number; readonly fps: number },
): readonly number[] {
  const most = Math.max(1, mostHeldBack / fps) / tick
  const frame = Math.round(1 / fps / tick)
  let [offset, latest] = [0, -Infinity]
  const joined = ticks.map(time => {
    if (time + offset < latest - most) offset = latest + frame - time
    latest = Math.max(latest, time + offset)
    return time + offset
  })
  return offset === 0 ? ticks : joined
}

/** Times are those that ffprobe prints, which has six digits. */
const toMicroseconds = (seconds: number): number => (Number.isNaN(seconds) ? NaN : Number(seconds.toFixed(6)))

interface Listing {
  readonly isExact: boolean
  /** True if the file begins in the middle of a group of pictures, so that decoded frames before the first keyframe are skipped. @default false */
  readonly beginsWithin?: boolean
}

interface ListedFrames {
  /** The fields of the stream of pictures. */
  readonly video: Readonly<Record<string, string>>
  /** The time of each frame in units of the stream's time base, in the order of the file. NaN if there is none. */
  readonly ticks: readonly number[]
  /** The times of keyframes. */
  readonly keys: readonly number[]
  /** The number of decoded frames before the first keyframe, which are not among the others. */
  readonly skipped: number
  /** Whether the first packet is no keyframe, or others precede it in time. Not known if frames are decoded. */
  readonly beginsWithin: boolean
}

async function listFrames(
  path: string,
  { isExact, beginsWithin, ...decoding }: Decoding & Listing,
): Promise<ListedFrames> {
  const input = await chooseDecoderInput(path, decoding)
  const entries = `${streamFields}:${isExact ? 'frame=key_frame,best_effort_timestamp' : 'packet=pts,flags'}`
  // V: a cover picture is no video, though ffmpeg lists it as one, and in some files first.
  const count = isExact ? '-count_frames' : '-count_packets'
  const probeOptions = ['-select_streams', 'V:0', count, '-show_entries', entries, '-of', 'compact']
  let video: Readonly<Record<string, string>> = {}
  const ticks: number[] = []
  const keys: number[] = []
  let skipped = 0
  // Also if it is discarded: what an edit list cuts is decoded.
  let first: { readonly time: number; readonly isKey: boolean } | undefined
  // A line is the name of a section and its fields: `packet|pts=512|flags=K_`. A long video has a million of them.
  const onLine = (line: string): void => {
    if (line.startsWith('stream|')) video = { ...parseFields(line), ...video }
    else if (line.startsWith('packet|') || line.startsWith('frame|')) {
      const time = parseInt(timeField.exec(line)?.[1] ?? '', 10)
      const flags = flagsField.exec(line)?.[1] ?? ''
      if (flags.includes('K') || line.includes('key_frame=1')) {
        if (keys.length === 0 && isExact && beginsWithin === true) skipped = ticks.splice(0).length
        keys.push(time)
      }
      first ??= { time, isKey: flags.includes('K') }
      // A discarded packet is decoded for the sake of others, and shown by no player.
      if (!flags.includes('D')) ticks.push(time)
    }
  }
  await decode('ffprobe', ['-v', 'error', ...input.options, ...probeOptions, input.path], { ...decoding, onLine })
  const isOpen = first !== undefined && (!first.isKey || ticks.some(time => time < (first?.time ?? NaN)))
  return { video, ticks, keys, skipped, beginsWithin: isOpen && keys.length > 0 && !ticks.some(Number.isNaN) }
}

const timeField = /(?:pts|best_effort_timestamp)=(-?\d+)/
const flagsField = /\|flags=([^|]*)/

const parseFields = (line: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    line.split('|').flatMap(field => {
      const [name = '', value] = field.split('=')
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Parses a frame rate or time base, written as a fraction. `0/0` means unknown. */
function parseFraction(fraction = ''): number | undefined {
  const [over = 0, under = 0] = fraction.split('/').map(Number)
  return over > 0 && under > 0 ? over / under : undefined
}
