/** A process that writes frames of a video as the program does: `FILE COUNT FOLDER`. With a count of 0 it only starts. */
import { videoFacts } from '../stages/model/backends/frames/video-facts.js'
import { frameIndices } from '../stages/model/backends/frames/frame-plan.js'
import { extractFrames } from '../stages/model/backends/frames/seek-frames.js'

const [, , file = '', count = '', folder = ''] = process.argv
const decoding = { limits: { memoryMb: 2048, pixels: 36_000_000 }, signal: new AbortController().signal }
const rules = { nframes: Number(count), max_frames: 768, min_pixels: 784, max_pixels: 151_200, factor: 28 }
if (rules.nframes > 0) {
  const { packets, codec, ...video } = await videoFacts(file, { ...decoding, isExact: false })
  const indices = frameIndices(video, rules)
  const size = { width: 448, height: 252, pixels: video.width * video.height }
  const files = await extractFrames(file, { ...decoding, ...size, codec, packets, indices, folder })
  if (files.length !== rules.nframes) throw new Error(`${files.length} frames instead of ${count}`)
}
