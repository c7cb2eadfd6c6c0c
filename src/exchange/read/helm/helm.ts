import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'
import { readText } from '../../../../base/files/files.js'
import { isReachable } from '../../../../base/files/path-kinds.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { present } from '../../../../base/values/present.js'
import type { JsonObject } from '../../../../cache/records.js'
import type { ForeignTask, LogReader } from '../../foreign-log.js'
import { helmSamples } from './helm-samples.js'
import { reportedStats } from './helm-stats.js'
import { inTurn } from '../in-turn.js'
import { fieldsIn, nameIn, parseFields } from '../loose-values.js'

const tool = 'helm'

const specFile = 'run_spec.json'
const stateFile = 'scenario_state.json'
const statsFile = 'stats.json'
const sampleStatsFile = 'per_instance_stats.json'

/** Reads the folder of a run that `helm-run` writes, or a folder with several such runs (`runs/<suite>`). */
export const helmLogs: LogReader = {
  tool,
  recognises: async path => (await runsIn(path)).length > 0,
  async open(path) {
    const runs = await runsIn(path)
    if (runs.length === 0)
      throw new PipelineError(
        'dataset',
        `${shownPath(path)} holds no run of HELM (a folder with ${specFile} and ${stateFile})`,
      )
    const tasks: ForeignTask[] = []
    const files: string[] = []
    for (const run of runs) {
      for (const name of [specFile, stateFile, sampleStatsFile, statsFile])
        if (await isReachable(join(run, name))) files.push(join(run, name))
      tasks.push(await readTask(run))
    }
    return { tool, files, tasks: () => inTurn(tasks) }
  },
}

async function runsIn(path: string): Promise<readonly string[]> {
  if (await isRun(path)) return [path]
  const runs: string[] = []
  for (const name of await namesIn(path)) if (await isRun(join(path, name))) runs.push(join(path, name))
  return runs
}

const isRun = async (path: string): Promise<boolean> =>
  (await isReachable(join(path, specFile))) && (await isReachable(join(path, stateFile)))

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return (await readdir(path)).sort()
  } catch {
    // A path that is no folder holds no run.
    return []
  }
}

async function readTask(run: string): Promise<ForeignTask> {
  const path = join(run, specFile)
  const spec = parseFields(await readText(path), () => shownPath(path))
  const adapter = fieldsIn(spec['adapter_spec']) ?? {}
  const [stats, sampleStats] = [join(run, statsFile), join(run, sampleStatsFile)]
  const state = join(run, stateFile)
  const hasSampleStats = await isReachable(sampleStats)
  const model = nameIn(adapter['model_deployment']) ?? nameIn(adapter['model'])
  return {
    task: taskName(nameIn(spec['name']) ?? basename(run)),
    source: state,
    config: spec,
    generation: readGeneration(adapter),
    reported: (await isReachable(stats)) ? await reportedStats(stats) : [],
    ...present({ model }),
    samples: () =>
      helmSamples(state, {
        hasTrials: Number(adapter['num_train_trials'] ?? 1) > 1,
        ...(hasSampleStats ? { stats: sampleStats } : {}),
      }),
  }
}

/** HELM writes the model into the name of a run (`mmlu:subject=anatomy,model=openai_gpt2`). It is no part of the task. */
function taskName(name: string): string {
  const [scenario = '', ...rest] = name.split(':')
  const settings = rest
    .join(':')
    .split(',')
    .filter(setting => setting !== '' && !/^model(_deployment)?=/.test(setting))
  return [scenario, ...settings].join(',')
}

function readGeneration(adapter: JsonObject): JsonObject {
  const names = ['temperature', 'max_tokens', 'stop_sequences', 'num_outputs', 'max_train_instances']
  return Object.fromEntries(names.flatMap(name => (name in adapter ? [[name, adapter[name]] as const] : [])))
}
