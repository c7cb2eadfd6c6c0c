/**
 * Measures the performance contract. `npm run bench` runs all measurements, and `npm run bench -- rescoring images` some. `--large` adds those that
 * take many minutes or gigabytes, and `--json` prints for programs. The exit code is 1 if a figure exceeds its limit.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { comparing } from './compare.js'
import { finishedRun } from './finished-run.js'
import { frames } from './frames.js'
import { images, largeImages } from './images.js'
import { importing } from './import.js'
import type { Figure, Measurement } from './measurement.js'
import { parquet } from './parquet.js'
import { python } from './python.js'
import { pythonModel } from './python-model.js'
import { quickStart } from './quick-start.js'
import { reportFile } from './report-file.js'
import { rescoring, samples, scaling } from './samples.js'
import { scoring } from './scoring.js'
import { service, serviceMemory } from './service.js'
import { startup } from './startup.js'
import { capacity, rateLimit } from './limits.js'
import { heavyTail, throughput, zeroLatency } from './throughput.js'
import { viewer } from './viewer/viewer.js'

const all: readonly Measurement[] = [
  ...[
    startup,
    samples,
    rescoring,
    scoring,
    python,
    pythonModel,
    throughput,
    heavyTail,
    zeroLatency,
    rateLimit,
    capacity,
    images,
    frames,
    quickStart,
    reportFile,
    service,
    finishedRun,
    comparing,
    scaling,
    largeImages,
    importing,
    parquet,
    viewer,
    serviceMemory,
  ],
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { large: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
})

/** @throws RangeError for an unknown name */
function chosen(): readonly Measurement[] {
  if (positionals.length === 0) return all.filter(({ isLarge }) => isLarge !== true || values.large)
  return positionals.map(name => {
    const found = all.find(one => one.name === name)
    if (found === undefined)
      throw new RangeError(`no measurement "${name}": choose of ${all.map(one => one.name).join(', ')}`)
    return found
  })
}

async function measured(measurement: Measurement): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pipeline-bench-'))
  try {
    return await measurement.measure(folder, values)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const verdict = ({ limit, isOver }: Figure): string => (limit === '' ? '' : isOver ? 'OVER' : 'ok')

const row = (figure: Figure): string =>
  `${figure.what.padEnd(58)} ${figure.measured.padEnd(20)} ${figure.limit.padEnd(24)} ${verdict(figure)}`.trimEnd()

const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`
const figures: Figure[] = []
if (!values.json) console.log(`${machine}\n`)
for (const measurement of chosen()) {
  const found = await measured(measurement)
  figures.push(...found)
  if (!values.json) console.log(found.map(row).join('\n'))
}
const over = figures.filter(({ isOver }) => isOver)
if (values.json) console.log(JSON.stringify({ machine, figures }, undefined, 2))
else console.log(over.length === 0 ? '\nall within their limits' : `\n${over.length} over their limit`)
process.exitCode = over.length === 0 ? 0 : 1
