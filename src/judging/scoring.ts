import { limitedFunction } from '../../base/time/time-limit.js'
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { codeManifest } from '../../cache/code/code-manifest.js'
import { pythonOf } from '../../cache/code/python/python-function.js'
import { loadStoredFunctions } from '../../cache/code/stored-code.js'
import { sha256 } from '../../cache/digest.js'
import type { CodeManifest, DatasetIdentity, JsonObject, StoredScoring } from '../../cache/records.js'
import type { MediaStore } from '../../cache/store.js'
import { isFunctionRef } from '../../stages/input/tasks/function-ref.js'
import { keepsMedia } from '../../stages/input/python/record-media.js'
import { isPrinted } from '../../stages/input/render/judge-record.js'
import type { Task } from '../../stages/input/tasks/task.js'
import type { AskJudge } from '../../stages/judge/define/judge-model.js'
import { judgesOf } from '../../stages/judge/compile/judges-of.js'
import type { Parity } from '../../stages/judge/define/parity.js'
import { withResources } from '../../stages/judge/compile/resources.js'
import { pythonProcessResults } from '../../stages/judge/python/python-scoring.js'
import { scoringMedia } from '../../stages/judge/python/wire-record.js'
import { makeScorer, type Scorer } from '../../stages/judge/scorer.js'
import type { ConfigPath, ProcessResults, TaskFunction } from '../../stages/judge/compile/scoring-spec.js'
import type { Hooks, JudgeSettings } from '../evaluation/settings.js'

/** The current scoring rules of a task's YAML. */
export const scoringOf = (task: Task, dataset: DatasetIdentity): StoredScoring => ({
  ...task.scoring,
  records: recordSource(task, dataset),
})

/** A digest that changes whenever a doc's target, choices or other fields may have changed. */
function recordSource(task: Task, dataset: DatasetIdentity): string {
  const { doc_to_target, doc_to_choice, process_docs } = task.config
  const sources = [doc_to_target, doc_to_choice, process_docs]
  const code = sources.some(isFunctionRef) ? task.closure : {}
  return sha256(
    canonicalJson({
      sources: sources.map(source => canonicalJson((source ?? null) as Json)),
      code,
      files: dataset.files,
      ...(keepsMedia(task) ? { media: true } : {}),
      // The first release read printed targets in another way.
      ...(isPrinted(task.config) ? { reading: 2 } : {}),
    }),
  )
}

/** The judge's code. A change of it recomputes all scores, which is cheap. */
const judgeCode = ['stages/judge/', 'base/']

export async function makeTaskScorer(
  task: string,
  scoring: StoredScoring,
  options: {
    readonly cacheDir: string
    /** The plugins' exports. */
    readonly exported: readonly unknown[]
    readonly locate?: (path: ConfigPath) => string
    /** The functions of a task that is a value, by name. */
    readonly functions?: Task['functions']
    /** The digest of the judge records, if they differ from the run's own. */
    readonly revised?: string
    /** The judge model, if the settings name one. */
    readonly judge?: { readonly ask: AskJudge; readonly identity: JsonObject }
    readonly parity?: Parity
    /** The store's media, for functions in Python. */
    readonly media?: Pick<MediaStore, 'has' | 'read' | 'path' | 'addBytes'>
    /** Receives notes about docs and values that are left out. */
    readonly emit?: Hooks['emit']
    /** @default process.env */
    readonly env?: NodeJS.ProcessEnv
  },
): Promise<Scorer> {
  const functions =
    options.functions === undefined
      ? await loadStoredFunctions(scoring, options)
      : heldFunctions(scoring, options.functions)
  const { process_results: processing } = scoring
  const { env = process.env, emit } = options
  const registry = await judgesOf({ config: scoring.config, outputType: scoring.output_type }, options.exported)
  const rules = withResources(scoring.config, registry.metrics, env)
  const own = processing === undefined ? undefined : functions[processing]
  const python = pythonOf(own)
  const media = options.media && scoringMedia(options.media)
  const processResults = python === undefined ? own : pythonProcessResults(python, media)
  return makeScorer(
    {
      task,
      outputType: scoring.output_type,
      config: {
        ...rules,
        ...(processing === undefined ? {} : { process_results: processing }),
        ...(mayAsk(scoring) && options.judge !== undefined ? { judge: options.judge.identity } : {}),
        ...(options.revised === undefined ? {} : { records: options.revised }),
      },
      scorerCode: await scorerCode(scoring),
      functions: functions as Readonly<Record<string, TaskFunction>>,
      ...(processResults === undefined ? {} : { processResults: processResults as ProcessResults }),
      ...(python === undefined ? {} : { refusesMisspelt: false }),
      ...(options.locate === undefined ? {} : { locate: options.locate }),
      ...(media && { media }),
      ...(options.judge === undefined ? {} : { ask: options.judge.ask }),
      ...(options.parity === undefined ? {} : { parity: options.parity }),
      ...(emit && { note: (text: string) => emit({ type: 'note', text: `${task}: ${text}` }) }),
    },
    registry,
  )
}

/** Returns what stands for functions of a task that is a value, by the texts that stand for them in its configuration. */
const heldFunctions = ({ functions = {} }: StoredScoring, held: NonNullable<Task['functions']>) =>
  Object.fromEntries(
    Object.entries(functions).map(([text, { function: reference }]) => {
      const callee = held[reference.slice(reference.lastIndexOf('.') + 1)]
      if (callee === undefined) throw new Error(`internal error: no function ${reference}`)
      return [text, pythonOf(callee) === undefined ? limitedFunction(reference, callee) : callee]
    }),
  )

/** Tells whether the task's own code is given the judge model: `process_results`, and metrics of tasks that are written in code. */
const mayAsk = ({ process_results: processing, config }: StoredScoring): boolean =>
  processing !== undefined || entriesOf(config['metric_list']).some(entry => entry['may_abstain'] === true)

const entriesOf = (list: Json | undefined): readonly JsonObject[] => (Array.isArray(list) ? (list as JsonObject[]) : [])

/** The parity setting, with a note that its scores are knowingly wrong. */
export function parityOf({ parity }: JudgeSettings, { emit }: Pick<Hooks, 'emit'>): { readonly parity?: Parity } {
  if (parity === undefined) return {}
  emit({ type: 'note', text: `scored as ${parity} scores, also where that is known to be wrong (docs/parity.md)` })
  return { parity }
}

async function scorerCode({ closure = {} }: StoredScoring): Promise<CodeManifest> {
  const { files } = await codeManifest({ files: judgeCode })
  return {
    files: { ...files, ...Object.fromEntries(Object.entries(closure).map(([path, id]) => [`task/${path}`, id])) },
  }
}
