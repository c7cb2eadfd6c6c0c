import { isFolder } from '../../../../base/files/path-kinds.js'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'
import { readText } from '../../../../base/files/files.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { present } from '../../../../base/values/present.js'
import type { JsonObject } from '../../../../cache/records.js'
import type { ForeignLog, ForeignTask, LogReader } from '../../foreign-log.js'
import { readScopeConfig, type ScopeConfig } from './evalscope-config.js'
import { reportedScores } from './evalscope-report.js'
import { scopeSamples } from './evalscope-samples.js'
import { fieldsIn, nameIn, parseFields } from '../loose-values.js'

const tool = 'evalscope'

/**
 * Reads a folder that EvalScope 1.0 or later writes: `predictions/`, `reviews/`, `reports/` and `configs/`. Each subset
 * of a benchmark is a task.
 */
export const evalscopeLogs: LogReader = {
  tool,
  async recognises(path) {
    return (await foldersIn(path, 'predictions')).length > 0 || (await foldersIn(path, 'reviews')).length > 0
  },
  async open(path) {
    const config = await readScopeConfig(path)
    const subsets = await subsetsIn(path)
    if (subsets.length === 0)
      throw new PipelineError(
        'dataset',
        `${shownPath(path)} holds neither predictions nor reviews of EvalScope. Name the folder with its predictions, reviews and reports`,
      )
    const log: ForeignLog = {
      tool,
      ...present({ toolVersion: config.version }),
      files: [
        ...(config.file === undefined ? [] : [config.file]),
        ...subsets.flatMap(({ predictions, reviews }) => [predictions, reviews]).filter(file => file !== undefined),
      ],
      async *tasks() {
        for (const subset of subsets) yield await readTask(path, subset, config)
      },
    }
    return log
  },
}

/** The files of one subset of a benchmark. A run that was stopped has predictions without reviews. */
interface Subset {
  readonly model: string
  /** `<benchmark>_<subset>`, the name of its files. */
  readonly name: string
  readonly predictions?: string
  readonly reviews?: string
}

async function subsetsIn(path: string): Promise<readonly Subset[]> {
  const subsets = new Map<string, Subset>()
  for (const kind of ['predictions', 'reviews'] as const) {
    for (const model of await foldersIn(path, kind)) {
      const folder = join(path, kind, model)
      for (const file of (await readdir(folder)).sort()) {
        if (!file.endsWith('.jsonl')) continue
        const name = basename(file, '.jsonl')
        const key = `${model}/${name}`
        subsets.set(key, { model, name, ...subsets.get(key), [kind]: join(folder, file) })
      }
    }
  }
  return [...subsets.values()]
}

async function foldersIn(path: string, name: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(join(path, name), { withFileTypes: true })
    return entries.flatMap(entry => (entry.isDirectory() ? [entry.name] : [])).sort()
  } catch {
    // An unreadable folder is no log here. Opening it reports the error.
    return []
  }
}

interface Report {
  readonly benchmark: string
  readonly report: JsonObject
}

/** Finds the report whose benchmark's name begins the name of the subset's files. The longest name wins. */
async function findReport(path: string, { model, name }: Subset): Promise<Report | undefined> {
  const folder = join(path, 'reports', model)
  if (!(await isFolder(folder))) return undefined
  const [file] = (await readdir(folder))
    .filter(file => file.endsWith('.json') && name.startsWith(`${basename(file, '.json')}_`))
    .sort((left, right) => right.length - left.length)
  if (file === undefined) return undefined
  const full = join(folder, file)
  return { benchmark: basename(file, '.json'), report: parseFields(await readText(full), () => shownPath(full)) }
}

async function readTask(path: string, subset: Subset, config: ScopeConfig): Promise<ForeignTask> {
  const { model, name, predictions, reviews } = subset
  const source = predictions ?? reviews ?? path
  const benchmarkReport = await findReport(path, subset)
  const scores =
    benchmarkReport === undefined
      ? undefined
      : await reportedScores(benchmarkReport.report, {
          subset: name.slice(benchmarkReport.benchmark.length + 1),
          reviews,
        })
  const benchmark = benchmarkReport === undefined ? undefined : fieldsIn(config.benchmarks?.[benchmarkReport.benchmark])
  return {
    task: name,
    // Folders have the name of the model as EvalScope shows it. Its configuration has the name of the service's model.
    model: nameIn(benchmarkReport?.report['model_name']) ?? model,
    source,
    reported: scores?.reported ?? [],
    ...present({ modelArgs: config.modelArgs, generation: config.generation, config: benchmark }),
    ...present({ higherIsBetter: scores?.higherIsBetter, aggregations: scores?.aggregations }),
    samples: () => scopeSamples({ ...present({ predictions, reviews }), repeats: config.repeats }),
  }
}
