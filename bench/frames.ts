import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atMost, megabytes, note, seconds, type Measurement } from './measurement.js'

const run = promisify(execFile)
const count = 64
const rate = 25
/** Two seconds where decoding from the start takes nine. */
const mostOfAll = 2 / 9

/** Runs a command and prints the CPU seconds of all its processes, and the megabytes of the largest. */
const meter = `
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss / 1024}))
`

async function measureCommand(args: readonly string[]): Promise<{ readonly cpu: number; readonly peak: number }> {
  const { stdout } = await run('python3', ['-c', meter, ...args])
  return JSON.parse(stdout) as { cpu: number; peak: number }
}

/**
 * Measures 64 frames of a video of an hour, with a keyframe every ten seconds. For comparison, decoding from the start, and a bare
 * loop that starts ffmpeg for each frame and takes what it finds at that time. It needs ffmpeg and python3.
 */
export const frames: Measurement = {
  name: 'frames',
  async measure(folder) {
    const video = await makeVideo(folder, { size: '320x180', minutes: 60 })
    const reader = fileURLToPath(new URL('./frame-reader.js', import.meta.url))
    const start = await measureCommand([process.execPath, reader, video, '0'])
    const own = await measureCommand([process.execPath, reader, video, String(count), join(folder, 'frames')])
    const all = await measureCommand(['ffmpeg', '-nostdin', '-v', 'error', '-i', video, '-f', 'null', '-'])
    const loop = await measureCommand(['/bin/sh', '-c', bareLoop, video, folder])
    return [
      atMost(`${count} of 90,000 frames: CPU time`, own.cpu - start.cpu, all.cpu * mostOfAll, seconds),
      atMost('  largest process', own.peak, 300, megabytes),
      note('  decoding from the start', seconds(all.cpu)),
      note('  a bare loop of ffmpeg -ss', seconds(loop.cpu)),
    ]
  },
}

const times = Array.from({ length: count }, (_, index) =>
  (Math.round((index * (90_000 - 1)) / (count - 1)) / rate).toFixed(2),
)
const bareLoop = `for at in ${times.join(' ')}; do ffmpeg -nostdin -v error -threads 1 -ss $at -i "$0" -frames:v 1 -y "$1/bare-$at.png"; done`

/** Encodes one minute and repeats it, because encoding takes longer than the measurement. */
async function makeVideo(
  folder: string,
  { size, minutes }: { readonly size: string; readonly minutes: number },
): Promise<string> {
  const [minute, video] = [join(folder, 'minute.mp4'), join(folder, 'video.mp4')]
  const ffmpeg = (args: readonly string[]) => run('ffmpeg', ['-nostdin', '-v', 'error', ...args])
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=60`, '-pix_fmt', 'yuv420p']
  await ffmpeg([...picture, '-c:v', 'libx264', '-preset', 'superfast', '-g', '250', minute])
  await ffmpeg(['-stream_loop', String(minutes - 1), '-i', minute, '-c', 'copy', video])
  return video
}
