import type { JsonObject } from '../../../../cache/records.js'
import type { ForeignLog, ForeignSample, ForeignTask, LogReader } from '../../foreign-log.js'
import { harnessFiles, resultFiles, type FileNames, type HarnessFiles } from './harness-files.js'
import {
  aggregationsIn,
  booleansIn,
  modelArguments,
  numberIn,
  objectIn,
  reportedScores,
  textIn,
} from './harness-values.js'

/** The differences between the logs of lm-eval and of lmms-eval. */
interface Harness {
  readonly names: FileNames
  /** The field of the results that holds the tool's version. */
  readonly version: string
  readonly readRun: (results: JsonObject) => Pick<ForeignTask, 'model' | 'startedAt'>
  readonly readSamples: (file: string, config: JsonObject) => AsyncIterable<ForeignSample>
}

/** Makes the reader of a harness's `--log_samples` files. */
export function makeHarnessReader(harness: Harness): LogReader {
  const { names } = harness
  return {
    tool: names.tool,
    async recognises(path) {
      return (await resultFiles(path, names).catch(() => [])).length > 0
    },
    async open(path) {
      const files = await harnessFiles(path, names)
      const version = textIn(files.results[harness.version])
      return {
        tool: names.tool,
        ...(version === undefined ? {} : { toolVersion: version }),
        files: [files.file, ...files.samples.map(({ file }) => file)],
        tasks: () => readTasks(files, harness),
      } satisfies ForeignLog
    },
  }
}

// eslint-disable-next-line @typescript-eslint/require-await -- the interface is asynchronous
async function* readTasks(
  { results, samples, missing }: HarnessFiles,
  { readRun, readSamples }: Harness,
): AsyncGenerator<ForeignTask> {
  const run = readRun(results)
  for (const [index, { task, file }] of samples.entries()) {
    const config = objectIn(objectIn(results['configs'])[task])
    const count = numberIn(objectIn(objectIn(results['n-samples'])[task])['effective'])
    yield {
      task,
      ...run,
      modelArgs: modelArguments(objectIn(results['config'])['model_args']),
      generation: objectIn(config['generation_kwargs']),
      source: file,
      ...(index === 0 && missing.length > 0 && { note: describeMissing(missing) }),
      config,
      reported: reportedScores(objectIn(objectIn(results['results'])[task]), count),
      higherIsBetter: booleansIn(objectIn(results['higher_is_better'])[task]),
      aggregations: aggregationsIn(config),
      samples: () => readSamples(file, config),
    }
  }
}

const describeMissing = (tasks: readonly string[]): string =>
  `the log has no samples of ${tasks.join(', ')}, so that ${tasks.length === 1 ? 'this task is' : 'these tasks are'} left out`
